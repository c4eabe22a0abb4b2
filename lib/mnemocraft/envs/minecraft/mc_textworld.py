"""Rules of the peer MC-TextWorld, so that plans can be judged as the DEPS paper's Table 3 judged them.

Its semantics: the recipes of 1.16.5 with few exceptions; stations and tools only have to be in the inventory;
nothing wears or burns (but coal with iron); all units of an ingredient are of one kind; no vessel comes back.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mnemocraft.envs.minecraft.facts import Rules
from mnemocraft.envs.minecraft.operators import Demand, Operator, Operators, grouped
from mnemocraft.envs.minecraft.rules import rules

_FACTS = Path(__file__).parent / "mc_textworld.toml"
_TABLE: tuple[Demand, ...] = ((("crafting_table",), 1),)
_FURNACE: tuple[Demand, ...] = ((("furnace",), 1),)


@cache
def textworld_operators() -> Operators:
    """Its 732 actions: 562 crafts, 52 smelts, 117 things to mine, and ``no_op``."""
    facts = tomllib.loads(_FACTS.read_text(encoding="utf-8"))
    game = rules("1.16.5")
    every = [*_crafts(game, facts), *_smelts(game, facts["smelt"]), *_mines(facts["mine"])]
    return grouped(every) | {("no_op", ""): (Operator(("no_op", "")),)}


def _crafts(game: Rules, facts: dict[str, Any]) -> Iterator[Operator]:
    for recipe in game.recipes:
        if recipe.result not in facts["craft"]:
            takes = tuple((game.members(ingredient), units) for ingredient, units in recipe.ingredients)
            needs = _TABLE if recipe.table else ()
            yield Operator(("craft", recipe.result), needs, takes, ((recipe.result, recipe.count),))
    for kind in ("craft", "craft_also"):
        for result, (count, station, material, units) in facts[kind].items():
            needs = (((station,), 1),)
            yield Operator(("craft", result), needs, (((material,), units),), ((result, count),))


def _smelts(game: Rules, facts: dict[str, Any]) -> Iterator[Operator]:
    for smelting in game.smelting:
        if smelting.result not in facts["left_out"]:
            of = tuple(item for item in game.members(smelting.ingredient) if item not in facts["not_from"])
            fuel = ((tuple(facts["fuel"]), 1),) if smelting.result == "iron_ingot" else ()
            takes = ((of, 1), *fuel)
            yield Operator(("smelt", smelting.result), _FURNACE, takes, ((smelting.result, 1),))


def _mines(facts: dict[str, Any]) -> Iterator[Operator]:
    golden = (*facts["iron"], "golden_pickaxe")
    groups = (
        ("any_pickaxe", facts["pickaxes"]),
        ("stone_pickaxe", facts["stone"]),
        ("iron_pickaxe", facts["iron"]),
        ("golden_or_iron_pickaxe", golden),
        ("diamond_pickaxe", facts["diamond"]),
        ("shears", ["shears"]),
        ("wooden_axe", ["wooden_axe"]),
    )
    for group, tools in groups:
        yield from (_mine(item, needs=((tuple(tools), 1),)) for item in facts[group])
    eaten = ((tuple(facts["stone"]), 1),)
    yield from (_mine(item, needs=eaten, takes=eaten) for item in facts["eats_stone_pickaxe"])
    yield from (_mine(item, takes=(((vessel,), 1),)) for item, vessel in facts["uses"].items())
    yield from (_mine(item) for item in facts["free"])


def _mine(item: str, needs: tuple[Demand, ...] = (), takes: tuple[Demand, ...] = ()) -> Operator:
    return Operator(("mine", item), needs, takes, ((item, 1),))
