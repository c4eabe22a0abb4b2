"""What must hold in every overworld, whatever happens."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld.blocks import BLOCKS, FIRST_SOLID, GRAVEL, SAND
from mnemocraft.envs.overworld.items import CRAFTS
from overworld_helpers import FUNCTIONS, act, action, arena, held, lying

RULES = rules("1.11.2")
STOCK = (
    "log",
    "planks",
    "stick",
    "cobblestone",
    "coal",
    "iron_ore",
    "iron_ingot",
    "beef",
    "crafting_table",
    "furnace",
    "torch",
    "sand",
    "milk_bucket",
    "sugar",
    "egg",
    "wheat",
    "wooden_pickaxe",
    "iron_pickaxe",
    "leather_boots",
)
MAKEABLE = [
    index
    for index, (item, _) in enumerate(CRAFTS)
    if any(
        all(part in STOCK for part, _ in recipe.ingredients)
        for recipe in RULES.recipes
        if recipe.result == item
    )
    or any(smelting.ingredient in STOCK for smelting in RULES.smelting if smelting.result == item)
]
inventories = st.dictionaries(st.sampled_from(STOCK), st.integers(1, 70), min_size=1, max_size=8).filter(
    lambda held: sum(-(-number // RULES.items[item].stack) for item, number in held.items()) <= 36
)
deeds = st.tuples(
    st.sampled_from(("drop", "attack", "craft", "craft", "craft", "equip", "place", "place", "destroy")),
    st.sampled_from(MAKEABLE),
    st.integers(0, 11),
    st.sampled_from((0, 0, 0, 15, -15)),
    st.sampled_from((-1, 0, 0, 1)),
)


def units(env: OverworldEnv) -> Counter[str]:
    """Everything in the inventory and on the ground."""
    return Counter(held(env)) + Counter(lying(env))


def feet(env: OverworldEnv) -> tuple[int, ...]:
    """The block that the player's feet are in."""
    return tuple(int(env.world["bodies"][0, 0][axis] >> 16) for axis in "xyz")


def solids(env: OverworldEnv, around: tuple[int, ...]) -> Counter[str]:
    """Blocks near a place by name."""
    x, y, z = around
    columns = np.ix_(
        np.arange(x - 20, x + 21) & 255, np.arange(z - 20, z + 21) & 255, np.arange(y - 8, y + 8)
    )
    numbers, counts = np.unique(env.world["blocks"][0][columns], return_counts=True)
    return Counter({BLOCKS[n].name: int(c) for n, c in zip(numbers, counts, strict=True)})


def craft_balances(index: int) -> list[Counter[str]]:
    """What one craft may take and give, without fuel."""
    item, station = CRAFTS[index]
    if station == 2:
        ways = [(1, ((s.ingredient, 1),)) for s in RULES.smelting if s.result == item]
    else:
        ways = [(r.count, r.ingredients) for r in RULES.recipes if r.result == item]
    balances = []
    for count, parts in ways:
        balance: Counter[str] = Counter({item: count})
        for part, number in parts:
            balance[part] -= number
            if part in RULES.remains:
                balance[RULES.remains[part]] += number
        balances.append(balance)
    return balances


def burnt(change: Counter[str], balance: Counter[str]) -> Counter[str]:
    """What went beyond a recipe."""
    rest = Counter({item: change[item] - balance[item] for item in change | balance})
    return Counter({item: number for item, number in rest.items() if number})


@settings(max_examples=30, deadline=None)
@given(inventories, st.lists(deeds, min_size=5, max_size=40))
@example({"log": 5, "torch": 1}, [("place", MAKEABLE[0], slot, 0, 0) for slot in (1, 0)])
def test_items_are_conserved(inventory, todo):
    env = arena(inventory)
    act(env, pitch=45)
    start = feet(env)
    for function, craft, slot, pitch, forward in todo:
        before, slots = units(env), env.world["inventory"][0].copy()
        ground = solids(env, start)
        info = env.step(
            [(0, 1, 2)[forward], 0, 0, 12 + pitch // 15, 12, FUNCTIONS.index(function), craft, slot]
        )[4]
        after = units(env)
        change = Counter({item: after[item] - before[item] for item in after | before})
        change = Counter({item: number for item, number in change.items() if number})
        if not info["action_success"] or function in ("drop", "equip"):
            assert not change, (function, info)
        elif function == "craft":
            rests = [burnt(change, balance) for balance in craft_balances(craft)]
            fuel = [r for r in rests if all(n < 0 and item in RULES.fuels for item, n in r.items())]
            assert fuel and (CRAFTS[craft][1] == 2 or Counter() in fuel)
        elif function == "place":
            now = solids(env, start)
            change["torch"] -= (ground - now)["torch"]  # one that stood there breaks, and lies on the ground
            spent = {item: number for item, number in change.items() if number}
            assert list(spent.values()) in ([-1], []), "none: a torch that fell off at once"
            assert now - ground == Counter(dict.fromkeys(spent, 1))
        elif function == "destroy":
            assert -sum(change.values()) == slots[slot]["count"]
        else:
            gone = ground - solids(env, start)
            assert sum(gone.values()) <= 2  # a block, and a torch on it
            assert all(n > 0 for i, n in change.items() if i not in RULES.tools)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**40), st.integers(12_000, 23_000))
def test_nothing_spawns_inside_rock(seed, time):
    env = OverworldEnv(seed=seed, image_size=None, start_time=time)
    for _ in range(15):
        known = int(env.world["status"]["bodies"][0])
        for body in env.world["bodies"][0, : known + 1]:
            low = [int(body[axis] - body["half"]) >> 16 for axis in "xz"]
            high = [int(body[axis] + body["half"] - 1) >> 16 for axis in "xz"]
            y0, y1 = int(body["y"]) >> 16, int(body["y"] + body["height"] - 1) >> 16
            columns = [np.arange(a, b + 1) & 255 for a, b in zip(low, high, strict=True)]
            box = env.world["blocks"][0][np.ix_(*columns, np.arange(y0, min(y1, 127) + 1))]
            assert (box < FIRST_SOLID).all()
        act(env, 20)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**62), st.integers(0, 2**32))
def test_observations_stay_in_their_space(seed, walk):
    env = OverworldEnv(seed=seed, image_size=(8, 8), start_time=13_000)
    env.action_space.seed(walk)
    for _ in range(150):
        chosen = env.action_space.sample()
        chosen[3:5] = np.clip(chosen[3:5], 10, 14)
        observation, _, over, _, _ = env.step(chosen)
        for key, part in observation.items():
            assert env.observation_space[key].contains(part), key
        assert set(observation) == set(env.observation_space)
        if over:
            env.reset()


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**20),
    st.sampled_from(("craft", "equip", "place", "destroy", "drop")),
    st.integers(0, 243),
    st.integers(0, 35),
)
def test_what_cannot_be_done_only_lets_time_pass(seed, function, craft, slot):
    tried, idle = (OverworldEnv(seed=seed, image_size=None, start_time=13_500) for _ in range(2))
    info = tried.step([0, 0, 0, 12, 12, FUNCTIONS.index(function), craft, slot])[4]
    act(idle, 3)
    assert not info["action_success"]  # nothing can be done with empty hands
    for env in (tried, idle):
        env.world["status"]["outcome"] = 0
    assert tried.world.tobytes() == idle.world.tobytes()


def test_a_long_random_walk_never_raises():
    env = OverworldEnv(seed=77, image_size=None, max_steps=10**9)
    env.action_space.seed(3)
    draw = np.random.default_rng(0)
    turns = draw.choice([11, 12, 12, 12, 13], (10_000, 2))
    for step in range(10_000):
        chosen = env.action_space.sample()
        chosen[:5] = 1, 0, draw.choice([1, 3]), *turns[step]
        _, _, over, _, info = env.step(chosen)
        if over:
            assert info["reason"] == "death"
            env.reset(seed=step)


def test_nothing_solid_floats_after_digging():
    """Sand and gravel lie on something."""
    env = OverworldEnv(seed=5, image_size=None, specified_biome="desert", allow_mob_spawn=False)
    env.set_inventory({"diamond_shovel": 1})
    for turn in range(12):
        act(env, 30, function="attack", pitch=15, yaw=15 * (turn % 3))
    x, y, z = feet(env)
    for i in range(x - 5, x + 6):
        for k in range(z - 5, z + 6):
            column = env.world["blocks"][0, i & 255, k & 255]
            loose = np.isin(column[y - 6 : y + 6], (SAND, GRAVEL))
            assert (column[y - 7 : y + 5][loose] >= FIRST_SOLID).all()


def test_changes_survive_when_the_player_is_far_away():
    env = arena({"crafting_table": 1})
    start = act(env, pitch=45)[0]["position"]
    act(env, function="place", slot=0)
    before = env.world["edits"][0].copy()
    x, y, z = start.tolist()
    env.teleport_agent(x + 5000, 100, z)
    act(env, 3)
    env.teleport_agent(x, y, z)
    act(env)
    for bx, by, bz, number in before[: int(env.world["status"]["edits"][0])]:
        assert env.world["blocks"][0, bx & 255, bz & 255, by] == last_change(before, (bx, by, bz), number)


def last_change(edits: np.ndarray, place: tuple[int, int, int], number: int) -> int:
    """The newest block of a place in a list of changes."""
    same = (edits[:, :3] == place).all(axis=1)
    return int(edits[same][-1, 3]) if same.any() else number


def test_a_full_list_of_changes_is_shortened():
    env = arena()
    edits, status = env.world["edits"][0], env.world["status"]
    used = int(status["edits"][0])
    edits[used:] = edits[0]
    status["edits"] = len(edits) - 500
    first = edits[: used - 1].copy()
    env.step(action())
    kept = edits[: int(status["edits"][0])]
    assert len(np.unique(kept[:, :3], axis=0)) == len(kept) <= used
    for row in first:
        assert last_change(kept, tuple(row[:3]), -1) == (
            int(edits[0, 3])
            if tuple(row[:3]) == tuple(edits[0, :3])
            else last_change(first, tuple(row[:3]), -1)
        )
