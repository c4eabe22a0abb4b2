"""The land: biomes, rivers, caves, ores and trees lie where Minecraft 1.11.2 has them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld.biomes import BIOMES, NAMES, OCEAN, RIVER
from mnemocraft.envs.overworld.blocks import (
    AIR,
    BEDROCK,
    BLOCKS,
    FIRST_LEAVES,
    FIRST_LOG,
    FIRST_SOLID,
    LAVA,
    NUMBER,
    REEDS,
    WATER,
)
from mnemocraft.envs.overworld.creatures import NAMES as MOBS
from mnemocraft.envs.overworld.items import CRAFTS, recipes_of
from mnemocraft.envs.overworld.setting import survey
from mnemocraft.envs.overworld.world import SEA
from overworld_helpers import act, arena, world
from textworld_golden import needs_reference, tasks

RULES = rules("1.11.2")
SPECIES = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak")


def near(env: OverworldEnv, radius: int = 48) -> np.ndarray:
    """The terrain around the player: (2 * radius, 2 * radius, 128)."""
    x, z = (int(env.world["bodies"][0, 0][axis] >> 16) for axis in "xz")
    return env.world["blocks"][0][
        np.ix_(np.arange(x - radius, x + radius) & 255, np.arange(z - radius, z + radius) & 255)
    ]


@pytest.fixture(scope="module")
def lands() -> list[np.ndarray]:
    """Terrain of some seeds."""
    env = world(specified_biome=None)
    found = []
    for seed in range(6):
        env.reset(seed=seed)
        found.append(near(env).copy())
    return found


def land_map(seed: int, step: int = 8, size: int = 256) -> tuple[np.ndarray, np.ndarray]:
    heights, biomes = (np.zeros((size, size), np.uint8) for _ in range(2))
    survey(seed, -1, -size * step // 2, -size * step // 2, step, heights, biomes)
    return heights, biomes


def test_every_biome_occurs():
    biomes = np.stack([land_map(seed)[1] for seed in range(4)])
    shares = np.bincount(biomes.ravel(), minlength=len(BIOMES)) / biomes.size
    assert (shares > 0.005).all(), dict(zip(NAMES, shares.round(3), strict=True))
    assert shares.max() < 0.4


def test_rivers_and_seas_lie_low():
    heights, biomes = land_map(1)
    assert (heights[biomes == OCEAN] < SEA).all()
    assert (heights[biomes == RIVER] <= SEA).all()
    assert heights.max() > 90 and (heights < 127).all()


def test_survey_agrees_with_the_terrain():
    env = world(specified_biome=None)
    env.reset(seed=3)
    x, z = (int(env.world["bodies"][0, 0][axis] >> 16) for axis in "xz")
    heights, biomes = (np.zeros((32, 32), np.uint8) for _ in range(2))
    survey(3, -1, x - 16, z - 16, 1, heights, biomes)
    rows = np.ix_(np.arange(x - 16, x + 16) & 255, np.arange(z - 16, z + 16) & 255)
    assert (env.world["biome"][0][rows] == biomes).all()
    ground = np.take_along_axis(env.world["blocks"][0][rows], heights[..., None].astype(int), axis=2)[..., 0]
    assert (ground >= FIRST_SOLID).mean() > 0.9  # the rest are mouths of caves


def test_ores_keep_to_their_heights(lands):
    for ore in RULES.ores:
        number = NUMBER[ore.block, 0]
        if ore.size > 20:  # soil and gravel lie about on the ground, too
            continue
        heights = np.concatenate([np.nonzero(land == number)[2] for land in lands])
        if not ore.biomes:
            assert len(heights) > 0, ore.block
        if len(heights):  # a vein may stray a few blocks
            assert heights.min() >= max(1, ore.low - 6) and heights.max() <= ore.high + 6, ore.block


def test_ores_are_as_frequent_as_their_veins(lands):
    """Coal, iron and diamond per chunk: at most veins x size, and not much less than a third of it."""
    chunks = len(lands) * (96 / 16) ** 2
    for name in ("coal_ore", "iron_ore", "redstone_ore", "diamond_ore"):
        ore = next(o for o in RULES.ores if o.block == name)
        share = min(1, 60 / (ore.high - ore.low + 1))  # of the veins, what lies under the ground
        found = sum(int((land == NUMBER[name, 0]).sum()) for land in lands) / chunks
        most = ore.veins * ore.size * share
        assert most / 4 < found <= most * 1.3, (name, found, most)


def test_caves_and_lava(lands):
    for land in lands:
        assert (land[..., 0] == BEDROCK).all()
        deep = land[..., 4:40]
        assert 0.01 < (deep == AIR).mean() < 0.25
        assert (land[..., 4:11] != AIR).all(), "hollows up to height 10 hold lava"
        assert (land[..., 11:] != LAVA).all()
        assert (land[..., 63:] != WATER).all()


def test_trees_are_those_of_the_biome():
    env = world()
    for biome in BIOMES[3:]:
        env = world(specified_biome=biome.name, seed=5)
        land = near(env)
        species = {SPECIES[n - FIRST_LOG] for n in np.unique(land) if FIRST_LOG <= n < FIRST_LOG + 6}
        listed = {name for name, _ in RULES.biomes[biome.rule].trees}
        assert species <= listed, biome.name
        if sum(number for _, number in RULES.biomes[biome.rule].trees) >= 1:
            assert species, biome.name
        if not listed:
            assert not ((land >= FIRST_LEAVES) & (land < FIRST_LEAVES + 6)).any()


def test_animals_are_those_of_the_biome():
    for biome in ("plains", "desert", "extreme_hills", "ice_plains"):
        rule = next(b.rule for b in BIOMES if b.name == biome)
        listed = {mob for mob, *_ in RULES.biomes[rule].animals}
        seen = set()
        for seed in range(8):
            env = world(seed=seed, specified_biome=biome, allow_mob_spawn=True)
            known = int(env.world["status"]["bodies"][0])
            seen |= {MOBS[body["kind"] - 1] for body in env.world["bodies"][0, 1 : known + 1]}
        assert seen and seen <= listed, (biome, seen)


def test_chunks_fit_whatever_the_order_in_which_they_are_made():
    """Trees cross the borders of chunks: the same land from two sides is the same."""
    env = world(seed=9, specified_biome="forest")
    x, _, z = env.reset()[0]["position"].tolist()
    env.teleport_agent(x + 400, 100, z)
    env.teleport_agent(x + 40, 100, z)
    other = near(env, 32).copy()
    env = world(seed=9, specified_biome="forest")
    env.teleport_agent(x + 40, 100, z)
    assert (near(env, 32) == other).all()


@needs_reference
def test_what_the_papers_ask_for_can_be_had():
    """From the blocks of all biomes and the mobs, by the rules and MineDojo's list of crafts."""
    found = {
        BLOCKS[n].name for biome in BIOMES[3:] for n in np.unique(near(world(specified_biome=biome.name)))
    }
    found |= {BLOCKS[n].name for n in np.unique(near(world(specified_biome=None, seed=3)))}
    ways = [
        (drop.item, (), (drop.tools or RULES.blocks[name].harvest, ()))
        for name in found
        for pool in RULES.blocks[name].drops
        for drop in pool
    ]
    ways += [(drop.item, (), (drop.tools, ())) for name in MOBS for p in RULES.mobs[name].drops for drop in p]
    ways += [(drop.item, (), (("shears",), ())) for p in RULES.mobs["sheep"].sheared for drop in p]
    ways += [("milk_bucket", ("bucket",), ((), ())), ("water_bucket", ("bucket",), ((), ()))]
    stations = ((), ("crafting_table",), ("furnace",))
    for item, station in CRAFTS:
        ways += [
            (item, [part for part, _ in parts], ((), stations[station]))
            for _, parts in recipes_of(item, station)
        ]
    have, size = set(), -1
    while size < len(have):
        size = len(have)
        for item, parts, (tools, near_by) in ways:
            if have.issuperset(parts) and have.issuperset(near_by) and (not tools or have & set(tools)):
                have.add(item)
    wanted = {row["target_1_11_2"] for row in tasks()} - {""}
    assert len(wanted) > 80
    assert wanted - have == {"quartz_block"}  # quartz is in the Nether


def test_sugar_cane_grows_at_the_water():
    for seed in range(30):
        env = world(seed=seed, specified_biome=None)
        land = near(env)
        for x, z, y in zip(*np.nonzero(land[1:-1, 1:-1] == REEDS), strict=True):
            if land[x + 1, z + 1, y - 1] == REEDS:
                continue
            beside = [land[x + 1 + i, z + 1 + k, y - 1] for i, k in ((1, 0), (-1, 0), (0, 1), (0, -1))]
            assert {WATER, NUMBER["ice", 0]} & set(beside)
            return
    raise AssertionError("no sugar cane in thirty worlds")


def test_monsters_come_at_night():
    env = world(seed=2, allow_mob_spawn=True, start_time=15_000)
    env.world["status"]["life"] = 10**9
    kinds = set()
    for _ in range(40):
        act(env, 20)
        known = int(env.world["status"]["bodies"][0])
        kinds |= {MOBS[body["kind"] - 1] for body in env.world["bodies"][0, 1 : known + 1]}
    assert {name for name in kinds if RULES.mobs[name].hostile}


@pytest.mark.parametrize(
    ("mob", "time", "left"), [("zombie", 6000, 0), ("zombie", 18_000, 1), ("creeper", 6000, 1)]
)
def test_the_undead_burn_by_day(mob, time, left):
    env = arena(start_time=time)
    for x in range(-5, 6):  # a wall keeps the monster off the player
        for y in range(3):
            env.set_block("stone", (x, y, 4))
    assert env.spawn_mobs(mob, (0, 0, 5))
    act(env, 450)
    assert int(env.world["status"]["bodies"][0]) == left


def test_blocks_are_known_to_the_rules():
    unknown = {block.name for block in BLOCKS} - set(RULES.blocks) - {"banner"}
    assert not unknown
