"""Failures in words: what is missing, how many, which tool or station."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from mnemocraft.envs.minecraft.engine import Shortage, TextWorldEngine
from mnemocraft.envs.minecraft.operators import Name

_SHOWN = 3
"""Members of a family that are named."""

Answer = tuple[str, str, dict[str, int]]
"""Category, sentence, and missing units by the first item that would do."""

_ANSWERS = 100_000
"""Answers that an engine remembers."""


def explain(engine: TextWorldEngine, name: Name, inventory: Mapping[str, int], heat: int) -> Answer:
    """Why an action fails.

    The same few failures come again and again, so answers are remembered by the numbers they are about.
    """
    get, units = inventory.get, engine.units
    had: list[int] = []
    for way in engine.operators[name]:
        for members, asked in way.demands:
            held = get(members[0], 0) if len(members) == 1 else units(inventory, members)
            had.append(held if held < asked else asked)
    key = (name, *had)
    answer = engine.answers.get(key)
    if answer is None:
        every = shortages(engine, name, inventory, heat)
        answer = category(every), failure(name, every[0]), _missing(every[0])
        more = answer[0] == "inventory_full" or any(way.heat for way in engine.operators[name])
        if not more:  # room and fuel are no units of what is asked for
            if len(engine.answers) >= _ANSWERS:
                engine.answers.clear()
            engine.answers[key] = answer
    return answer


def _missing(shortage: Shortage) -> dict[str, int]:
    entries = (*shortage.materials, *shortage.tools)
    missing = {members[0]: asked - had for members, asked, had in entries}
    return missing | ({"fuel": 1} if shortage.fuel else {})


def shortages(engine: TextWorldEngine, name: Name, inventory: Mapping[str, int], heat: int) -> list[Shortage]:
    """What each operator of an action lacks, the one that lacks least first."""
    every = [engine.shortage(operator, inventory, heat) for operator in engine.operators[name]]
    return sorted(every, key=lambda shortage: shortage.weight)


def category(every: list[Shortage]) -> str:
    """The kind of a failure.

    ``missing_tool``: some way has all its materials; else ``missing_material``: some way has all its tools;
    else ``missing_material_and_tool``. In the real game also ``missing_fuel`` and ``inventory_full``.
    """
    with_materials = [s for s in every if not s.materials]
    if with_materials:
        if any(s.tools for s in with_materials) and all(s.tools for s in with_materials):
            return "missing_tool"
        return "missing_fuel" if any(s.fuel for s in with_materials) else "inventory_full"
    return "missing_material" if any(not s.tools for s in every) else "missing_material_and_tool"


def failure(name: Name, shortage: Shortage) -> str:
    """One sentence on what an action lacks."""
    parts = [_material(*entry) for entry in shortage.materials] + [_tool(*entry) for entry in shortage.tools]
    if shortage.fuel:
        parts.append("fuel for the furnace (coal, planks or another fuel)")
    if not parts:
        return f"I cannot {' '.join(name)}: there is no free slot in the inventory."
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"I cannot {' '.join(name)}: I need {listed}."


def _material(members: tuple[str, ...], asked: int, had: int) -> str:
    return f"{asked - had} more {_any_of(members)} (have {had} of {asked})"


def _tool(members: tuple[str, ...], asked: int, had: int) -> str:
    if asked > 1:
        return f"{asked} {_any_of(members)} at hand (have {had})"
    return f"a {_any_of(members)} in the inventory"


def _any_of(members: tuple[str, ...]) -> str:
    """``cobblestone or blackstone``; long families are cut."""
    if len(members) <= _SHOWN:
        return " or ".join(members)
    return " or ".join(members[:_SHOWN]) + f" (or {len(members) - _SHOWN} others)"


def unknown(engine: TextWorldEngine, verb: str, item: str) -> str:
    """Why there is no such action: a wrong verb, no such item, or an item that is got in another way."""
    verbs = sorted({v for v, _ in engine.operators} | ({"equip"} if engine.real else set()))
    if verb not in verbs:
        return f"There is no action {verb!r}; use {', '.join(verbs[:-1])} or {verbs[-1]}."
    ways = [other for other in verbs if (other, item) in engine.operators]
    if ways:
        return f"I cannot {verb} {item}; it can be had by: {', '.join(ways)}."
    if item in engine.items:
        return f"I cannot {verb} {item}: there is no way to it in this world."
    every = sorted(engine.items | {name for _, name in engine.operators if name})
    close = get_close_matches(item, every, n=_SHOWN, cutoff=0.6)
    hint = f"; did you mean {' or '.join(close)}?" if close else "."
    return f"There is no item {item!r} in Minecraft {engine.rules.version}{hint}"
