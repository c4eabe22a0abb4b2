"""Plans from nothing for every task of DEPS, M2PA and MindStores, and shortest ones against search."""

from collections import deque

import pytest

from mnemocraft.envs import TextWorldEnv
from mnemocraft.envs.minecraft import VERSIONS, plan
from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.errors import MnemocraftError
from textworld_golden import needs_reference, tasks

COLUMNS = {"1.11.2": "target_1_11_2", "1.16.5": "target_1_16", "1.19.2": "target_1_19_2"}


def played(found, target, count=1, version="1.16.5", rules="game", inventory=None):
    """True if every action of a plan succeeds and the last one reaches the target."""
    env = TextWorldEnv(version, rules, {target: count}, inventory, max_steps=len(found) + 1)
    env.reset()
    infos = [env.step(action)[4] for action in found.actions]
    return all(info["action_success"] for info in infos) and infos[-1]["success"]


@needs_reference
@pytest.mark.parametrize("version", VERSIONS)
def test_every_task_has_a_plan_or_no_item(version):
    rows = tasks()
    assert [sum(row["suite"] == suite for row in rows) for suite in ("deps", "m2pa", "mindstores")] == [
        76,
        50,
        53,
    ]
    goals = {(row[COLUMNS[version]], int(row["quantity"])) for row in rows if row[COLUMNS[version]]}
    for target, count in sorted(goals):
        found = plan(target, count, version=version)
        if (target, version) == ("iron_ore", "1.19.2"):  # since 1.17 only silk touch takes the block
            assert not found and "raw_iron" in found.reason
            continue
        assert found, found.reason
        assert played(found, target, count, version), target
    absent = {row["task_name"] for row in rows if not row[COLUMNS[version]]}
    expected = {"1.11.2": {"craft barrel", "craft carpentry table"}, "1.16.5": set(), "1.19.2": set()}
    assert absent == expected[version] | ({"craft raw gold block"} if version != "1.19.2" else set())


@pytest.mark.parametrize(
    ("target", "version"), [("barrel", "1.11.2"), ("raw_gold_block", "1.16.5"), ("carpentry_table", "1.19.2")]
)
def test_an_item_that_does_not_exist_has_a_reason(target, version):
    found = plan(target, version=version)
    assert not found and "There is no item" in found.reason and version in found.reason


def test_an_item_out_of_reach_has_a_reason():
    found = plan("elytra")
    assert not found and found.steps == () and "nature gives none" in found.reason


def search(world, target, held, most):
    """Length of a shortest plan by trying all actions, breadth first."""
    queue, seen = deque([(held, 0, 0)]), set()
    while queue:
        inventory, heat, steps = queue.popleft()
        if inventory.get(target, 0) >= 1:
            return steps
        key = (tuple(sorted((i, n) for i, n in inventory.items() if n)), heat)
        if key in seen or steps == most:
            continue
        seen.add(key)
        for name in world.legal(inventory, heat):
            if name[0] not in ("craft", "smelt"):
                continue
            way = world.choose(name, inventory, heat)
            queue.append((*world.apply(way, inventory, heat), steps + 1))
    return None


@pytest.mark.parametrize(
    ("target", "held"),
    [
        ("torch", {"oak_log": 1, "coal": 1}),
        ("shield", {"oak_planks": 6, "iron_nugget": 9, "crafting_table": 1}),
        ("iron_nugget", {"iron_ore": 1, "furnace": 1, "oak_log": 1}),
        ("stone_button", {"cobblestone": 1, "furnace": 1, "stick": 2}),
        ("chest", {"oak_log": 1, "birch_log": 1, "crafting_table": 1}),
    ],
)
def test_as_short_as_exhaustive_search(target, held):
    """With nothing to mine, both find the same length (a plan may still mine, if that were shorter)."""
    world = engine("1.16.5", "game")
    shortest = search(world, target, held, most=6)
    found = plan(target, inventory=held)
    assert len(found) <= shortest and played(found, target, inventory=held)
    if not found.raw_materials:
        assert len(found) == shortest


def test_what_is_at_hand_is_used():
    assert plan("stick", 4, inventory={"stick": 4}).steps == ()
    assert [(s.verb, s.item) for s in plan("stick", inventory={"oak_planks": 2}).steps] == [
        ("craft", "stick")
    ]
    mixed = plan("chest", inventory={"oak_planks": 5, "birch_planks": 3, "crafting_table": 1})
    assert len(mixed) == 1 and played(
        mixed, "chest", inventory={"oak_planks": 5, "birch_planks": 3, "crafting_table": 1}
    )


def test_materials_that_are_needed_elsewhere_are_spared():
    """By itself the world would make the sticks of the oak planks that the boat needs."""
    held = {"oak_planks": 5, "spruce_planks": 2, "crafting_table": 1}
    found = plan("oak_boat", inventory=held)
    assert len(found) == 1
    env = TextWorldEnv(target={"oak_boat": 1, "stick": 4}, inventory=held)
    env.reset()
    env.step({"name": "craft", "arguments": {"item": "stick", "using": ["spruce_planks"]}})
    assert env.step({"name": "craft", "arguments": {"item": "oak_boat"}})[2]


def test_larger_numbers_and_families():
    found = plan("iron_ingot", 9)
    assert played(found, "iron_ingot", 9)
    assert found.raw_materials["iron_ore"] == 9
    assert sum(found.raw_materials.get(fuel, 0) for fuel in ("coal", "oak_log")) >= 4
    family = plan("#planks", 5)
    assert len(family) == 4 and played(family, "#planks", 5)


def test_fuel_is_there_before_it_burns():
    """A lava bucket burns longest, but its bucket is of iron that something else must have smelted."""
    found = plan("cake", version="1.11.2")
    by_hand = (
        63  # 9 ores, 9 ingots, 3 buckets, 3 of milk, 1 coal, a furnace, 2 tools, a hoe, sugar, egg, wheat
    )
    assert len(found) <= by_hand and played(found, "cake", version="1.11.2")
    assert sum(step.count for step in found.steps if step.item == "crafting_table") == 1  # none burns
    lava = plan("iron_ingot", inventory={"lava_bucket": 1, "furnace": 1, "iron_ore": 3})
    assert [(s.verb, s.count) for s in lava.steps if s.verb != "mine"] == [("smelt", 1)]
    assert played(lava, "iron_ingot", inventory={"lava_bucket": 1, "furnace": 1, "iron_ore": 3})


def test_bad_requests():
    with pytest.raises(MnemocraftError, match="at least 1"):
        plan("stick", 0)
    with pytest.raises(MnemocraftError, match="it is one of"):
        plan("stick", version="1.20")
    with pytest.raises(MnemocraftError, match="give version="):
        plan("stick", version="1.19.2", rules="mc-textworld")
