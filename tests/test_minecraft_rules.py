"""The rules files: complete, consistent, true to known facts and to the packages they were made from."""

import sys
import time
from collections import Counter
from itertools import product

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemocraft.envs.minecraft import VERSIONS, ancestors, raw_materials, recipe_graph, rules
from mnemocraft.envs.minecraft.facts import SMELTING_TICKS
from mnemocraft.errors import MnemocraftError
from training.minecraft_rules.build import FOLDER, build
from training.minecraft_rules.crafting_facts import expanded
from training.minecraft_rules.packages import Packages

every_version = pytest.mark.parametrize("version", VERSIONS)


def drops(game):
    """All drops of a version."""
    loots = [b.drops for b in game.blocks.values()]
    loots += [loot for mob in game.mobs.values() for loot in (mob.drops, mob.sheared)]
    return [drop for loot in loots for pool in loot for drop in pool]


@every_version
def test_every_name_is_known(version):
    game = rules(version)
    ingredients = [i for recipe in game.recipes for i, _ in recipe.ingredients]
    ingredients += [smelting.ingredient for smelting in game.smelting]
    names = [item for ingredient in ingredients for item in game.members(ingredient)]
    names += [recipe.result for recipe in (*game.recipes, *game.smelting)]
    names += [drop.item for drop in drops(game) if drop.item]
    names += [tool for block in game.blocks.values() for tool in block.harvest]
    names += [*game.tools, *game.fuels, *game.remains, *game.remains.values()]
    names += [item for gate in game.gates.values() for item in gate]
    names += [name for gather in game.gathers for name in (gather.item, *gather.tools)]
    assert set(names) <= set(game.items)
    assert {ore.block for ore in game.ores} <= set(game.blocks)
    assert {biome for ore in game.ores for biome in ore.biomes} <= set(game.biomes)
    for biome in game.biomes.values():
        assert {species for species, _ in biome.trees} <= set(game.trees)
        assert {mob for mob, *_ in biome.animals} <= set(game.mobs)


@every_version
def test_numbers_make_sense(version):
    game = rules(version)
    assert all(item.stack in (1, 16, 64) for item in game.items.values())
    assert all(0 <= drop.low <= drop.high <= 64 and 0 < drop.chance <= 1 for drop in drops(game))
    assert all(low < high for _, low, high, *_ in map(vars_of, game.ores))
    assert all(n > 0 for recipe in game.recipes for _, n in recipe.ingredients)
    for recipe in game.recipes:
        if recipe.rows:  # the layout and the list of ingredients say the same
            assert Counter(cell for row in recipe.rows for cell in row if cell) == Counter(
                dict(recipe.ingredients)
            )
            assert recipe.table == (len(recipe.rows) > 2 or max(map(len, recipe.rows)) > 2)


def vars_of(ore):
    return ore.block, ore.low, ore.high, ore.veins


@every_version
def test_ingredients_of_a_recipe_never_share_a_member(version):
    """Taking one ingredient after the other is right only because of this."""
    game = rules(version)
    for recipe in game.recipes:
        members = [item for ingredient, _ in recipe.ingredients for item in game.members(ingredient)]
        assert len(members) == len(set(members)), recipe


def roll(loot, tool, random):
    """Roll the pools of ``loot``; ``random`` gives floats in [0, 1), e.g. ``Generator.random``."""
    given: dict[str, int] = {}
    for pool in loot:
        for drop in pool:
            if drop.tools and tool not in drop.tools:
                continue
            if drop.chance >= 1 or random() < drop.chance:
                span = drop.high - drop.low
                units = drop.low + (int(random() * (span + 1)) if span else 0)
                if drop.item and units:
                    given[drop.item] = given.get(drop.item, 0) + units
                break
    return given


@every_version
def test_break_times_of_the_game(version):
    game = rules(version)
    stone, log = game.blocks["stone"], game.blocks["log" if version == "1.11.2" else "oak_log"]
    assert game.break_ticks(log, None) == 60
    assert game.break_ticks(stone, "wooden_pickaxe") == 23
    assert game.break_ticks(stone, None) == 150
    assert not game.can_harvest(stone, None) and game.can_harvest(stone, "wooden_pickaxe")
    assert roll(stone.drops, "wooden_pickaxe", lambda: 0.0) == {"cobblestone": 1}
    assert game.break_ticks(game.blocks["bedrock"], "diamond_pickaxe") is None


def test_facts_that_differ_between_versions():
    old, middle, new = (rules(version) for version in VERSIONS)
    tools = {game.version: game.blocks["iron_ore"].harvest for game in (old, middle, new)}
    assert all("stone_pickaxe" in names and "wooden_pickaxe" not in names for names in tools.values())
    ore = [roll(game.blocks["iron_ore"].drops, "iron_pickaxe", lambda: 0.5) for game in (old, middle, new)]
    assert ore == [{"iron_ore": 1}, {"iron_ore": 1}, {"raw_iron": 1}]
    assert [game.items["wooden_pickaxe"].durability for game in (old, middle, new)] == [59] * 3
    assert {"iron_nugget", "planks", "log2"} <= set(old.items)
    assert "copper_ore" not in middle.blocks and "mangrove_planks" in new.members("#planks")
    assert [min(o.low for o in game.ores if o.block == "diamond_ore") for game in (old, new)] == [0, -64]
    assert old.fuels["coal"] == 8 * SMELTING_TICKS and middle.fuels["oak_planks"] == 300
    assert "warped_planks" not in middle.fuels
    assert old.biomes["roofed_forest"].trees[0][0] == "dark_oak" and not old.biomes["desert"].trees


@every_version
def test_a_version_loads_quickly(version):
    times = []
    for _ in range(3):
        rules.cache_clear()
        start = time.process_time()
        rules(version)
        times.append(time.process_time() - start)
    assert min(times) < 0.05


@given(st.randoms(use_true_random=False), st.sampled_from(["shears", "iron_pickaxe", None]))
def test_rolls_stay_within_the_table(random, tool):
    game = rules("1.16.5")
    for block in ("gravel", "oak_leaves", "redstone_ore", "grass", "wheat", "clay"):
        pools = game.blocks[block].drops
        given_items = roll(pools, tool, random.random)
        for item, units in given_items.items():
            possible = [
                d for pool in pools for d in pool if d.item == item and (not d.tools or tool in d.tools)
            ]
            assert possible and units <= sum(d.high for d in possible)


def test_shears_on_leaves_give_leaves_and_nothing_else():
    game = rules("1.16.5")
    assert roll(game.blocks["oak_leaves"].drops, "shears", lambda: 0.0) == {"oak_leaves": 1}
    by_hand = roll(game.blocks["oak_leaves"].drops, None, lambda: 0.0)
    assert set(by_hand) == {"oak_sapling", "stick", "apple"}


@pytest.mark.parametrize(
    ("version", "words"),
    [("1.12", "it is one of"), ("1.16.5", "cannot be read")],
    ids=["unknown", "damaged"],
)
def test_a_bad_file_or_version_is_told_in_one_sentence(version, words, tmp_path, monkeypatch):
    (tmp_path / "minecraft").mkdir()
    (tmp_path / "minecraft" / "1.16.5.json").write_text('{"version": "1.16.5", "items": {"stone": 3}}')
    monkeypatch.setattr(sys.modules[rules.__module__], "DATA", tmp_path)
    rules.cache_clear()
    with pytest.raises(MnemocraftError, match=words):
        rules(version)
    rules.cache_clear()


def test_unknown_tag():
    with pytest.raises(MnemocraftError, match="no tag #metals"):
        rules("1.16.5").members("#metals")


@every_version
def test_recipe_graph_agrees_with_the_recipes(version):
    game, graph = rules(version), recipe_graph(version)
    for recipe in game.recipes:
        for ingredient, _ in recipe.ingredients:
            assert all(graph.has_edge(item, recipe.result) for item in game.members(ingredient))
    assert ancestors("torch", version) >= {"stick", "coal"}
    assert nx.has_path(graph, "wheat", "cake")


def test_ancestors_with_and_without_tools():
    plain, all_of_it = (ancestors("iron_ingot", tools=tools) for tools in (False, True))
    assert "iron_ore" in plain and "furnace" not in plain
    assert {"furnace", "stone_pickaxe", "crafting_table", "oak_log"} <= all_of_it
    assert raw_materials("furnace") == {"cobblestone", "blackstone"}
    with pytest.raises(MnemocraftError, match="no item"):
        ancestors("unobtainium")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    try:
        return Packages(tmp_path_factory.mktemp("packages"))
    except MnemocraftError as error:
        pytest.skip(f"the source packages cannot be had: {error}")


@every_version
def test_the_files_are_what_the_build_makes(version, packages):
    assert build(packages, version) == (FOLDER / f"{version}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", ["1.16.5", "1.19.2"])
def test_recipes_agree_with_minecraft_data(version, packages):
    """Its recipes name every member of a family; ours name the family."""

    def spelt(result, count, cells):
        return result, count, tuple(sorted(Counter(cells).items()))

    game = rules(version)
    ours = set()
    for recipe in game.recipes:
        families = [game.members(ingredient) for ingredient, _ in recipe.ingredients]
        for chosen in product(*families):
            cells = [i for i, (_, n) in zip(chosen, recipe.ingredients, strict=True) for _ in range(n)]
            ours.add(spelt(recipe.result, recipe.count, cells))
    theirs = {
        spelt(result, count, [cell for row in rows for cell in row if cell])
        for result, count, rows, _ in expanded(packages, version)
    }
    assert theirs <= ours
    assert {recipe[0] for recipe in ours - theirs} <= {recipe[0] for recipe in theirs}
