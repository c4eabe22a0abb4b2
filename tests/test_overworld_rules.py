"""What the player does in the overworld follows the rules of Minecraft 1.11.2."""

from __future__ import annotations

import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld.survival import softened
from overworld_helpers import act, arena, block, held, lying

RULES = rules("1.11.2")
FRONT = (0, 1, 2)
"""The place two blocks ahead at eye height."""


def ticks_to_break(env, until: str = "air") -> int:
    """Hold the attack key until the block in front is gone."""
    act(env)
    for tick in range(1, 200):
        act(env, function="attack")
        if block(env, FRONT) == until:
            return tick
    raise AssertionError("the block did not break")


@pytest.mark.parametrize(
    ("name", "tool", "ticks"),
    [
        ("log", None, 60),
        ("stone", "wooden_pickaxe", 23),
        ("stone", None, 150),
        ("dirt", None, 15),
        ("log", "diamond_axe", 8),
    ],
)
def test_break_times(name, tool, ticks):
    env = arena({tool: 1} if tool else None)
    env.set_block(name, FRONT)
    assert ticks_to_break(env) == ticks == RULES.break_ticks(RULES.blocks[name], tool)


def test_letting_go_starts_the_block_anew():
    env = arena()
    env.set_block("dirt", FRONT)
    act(env, 14, function="attack")
    act(env)
    act(env, 14, function="attack")
    assert block(env, FRONT) == "dirt"
    act(env, function="attack")
    assert block(env, FRONT) == "air"


@pytest.mark.parametrize(
    ("name", "tool", "drop"),
    [
        ("stone", None, {}),
        ("stone", "wooden_pickaxe", {"cobblestone": 1}),
        ("iron_ore", "wooden_pickaxe", {}),
        ("iron_ore", "stone_pickaxe", {"iron_ore": 1}),
        ("diamond_ore", "iron_pickaxe", {"diamond": 1}),
        ("grass", None, {"dirt": 1}),
        ("log", None, {"log": 1}),
        ("leaves", "shears", {"leaves": 1}),
    ],
)
def test_drops_need_the_right_tool_and_are_picked_up(name, tool, drop):
    env = arena({tool: 1} if tool else None)
    env.set_block(name, FRONT)
    ticks_to_break(env)
    tools = {tool: 1} if tool else {}
    assert lying(env) == drop and held(env) == tools
    act(env, 20, forward=1)
    assert lying(env) == {} and held(env) == tools | drop


def test_tools_wear_out():
    env = arena({"golden_pickaxe": 1})
    for used in range(1, 33):
        env.set_block("stone", FRONT)
        ticks_to_break(env)
        if used < 32:
            assert act(env)[0]["inventory"]["cur_durability"][0] == 32 - used
    assert "golden_pickaxe" not in held(env)


def test_logs_keep_their_kind():
    env = arena()
    env.set_block("log", FRONT, variant=2)
    ticks_to_break(env)
    observation, _ = act(env, 20, forward=1)
    assert (observation["inventory"]["name"][0], observation["inventory"]["variant"][0]) == ("log", 2)
    observation, _ = act(env, function="craft", craft="planks")
    assert (observation["inventory"]["name"][0], observation["inventory"]["variant"][0]) == ("planks", 2)
    assert observation["inventory"]["quantity"][0] == 4


def test_a_table_must_stand_in_view():
    env = arena({"planks": 10, "stick": 2})
    _, info = act(env, function="craft", craft="wooden_pickaxe")
    assert "crafting table" in info["failure"] and "wooden_pickaxe" not in held(env)
    act(env, function="craft", craft="crafting_table")
    slot = list(act(env)[0]["inventory"]["name"]).index("crafting table")
    act(env, pitch=45)
    observation, info = act(env, function="place", slot=slot)
    assert info["action_success"] and observation["nearby_tools"]["table"]
    turned, _ = act(env, yaw=180)
    assert not turned["nearby_tools"]["table"]
    assert "view" in act(env, function="craft", craft="wooden_pickaxe")[1]["failure"]
    act(env, yaw=180)
    observation, info = act(env, function="craft", craft="wooden_pickaxe")
    assert info["action_success"] and held(env)["wooden_pickaxe"] == 1
    assert observation["inventory"]["max_durability"].max() == 59


def test_smelting_burns_fuel():
    env = arena({"iron_ore": 10, "planks": 2, "coal": 1})
    assert "furnace" in act(env, function="craft", craft="iron_ingot")[1]["failure"]
    env.set_inventory({"iron_ore": 10, "furnace": 1, "planks": 2, "coal": 1})
    act(env, pitch=45)
    act(env, function="place", slot=1)
    act(env, 3, function="craft", craft="iron_ingot")
    # two planks burn 300 ticks each: exactly three ingots
    assert held(env) == {"iron_ore": 7, "iron_ingot": 3, "coal": 1}
    act(env, 7, function="craft", craft="iron_ingot")
    assert held(env) == {"iron_ingot": 10}  # a coal is enough for eight
    env.set_inventory({"iron_ore": 2})
    assert act(env, function="craft", craft="iron_ingot")[1]["action_success"]  # its eighth
    assert "fuel" in act(env, function="craft", craft="iron_ingot")[1]["failure"]
    assert held(env) == {"iron_ore": 1, "iron_ingot": 1}


def test_what_is_missing_is_said():
    env = arena({"planks": 1})
    assert "missing 1 planks" in act(env, function="craft", craft="stick")[1]["failure"]


def test_equip_swaps_and_armour_is_worn():
    env = arena({"dirt": 1, "stone_sword": 1, "iron_chestplate": 1})
    observation, _ = act(env, function="equip", slot=1)
    assert observation["equipment"]["name"][0] == "stone sword"
    observation, _ = act(env, function="equip", slot=2)
    assert observation["equipment"]["name"][3] == "iron chestplate"
    assert act(env)[0]["life_stats"]["armor"][0] == 6
    env.set_inventory({"dirt": 1, "pumpkin": 1})
    assert act(env, function="equip", slot=1)[0]["equipment"]["name"][4] == "pumpkin"


def test_placing_wants_a_face_and_room():
    env = arena({"dirt": 2, "stick": 1})
    act(env, pitch=-90)
    assert "no block under the crosshair" in act(env, function="place", slot=0)[1]["failure"]
    assert "cannot be placed" in act(env, function="place", slot=1)[1]["failure"]
    assert act(env, function="place", slot=5)[1]["failure"] == "Slot 5 is empty."
    for _ in range(6):
        act(env, pitch=30)
    assert "no room" in act(env, function="place", slot=0)[1]["failure"]  # where the player stands
    assert held(env) == {"dirt": 2, "stick": 1}


def test_thrown_items_can_be_picked_up_later():
    env = arena({"dirt": 3})
    act(env, function="drop")
    assert (held(env), lying(env)) == ({"dirt": 2}, {"dirt": 1})
    act(env, 10, forward=1)
    assert held(env) == {"dirt": 2}, "not at once"
    act(env, 30)
    act(env, 10, forward=1)
    assert (held(env), lying(env)) == ({"dirt": 3}, {})


def test_sand_falls_and_stays_whole():
    env = arena()
    for up in (1, 2, 3):
        env.set_block("sand" if up > 1 else "dirt", (0, up, 2))
    ticks_to_break(env, until="sand")
    assert [block(env, (0, up, 2)) for up in range(4)] == ["sand", "sand", "air", "air"]


def test_animals_are_hit_killed_and_leave_their_drops():
    env = arena({"diamond_sword": 1})
    assert env.spawn_mobs("sheep", (0, 0, 2))
    act(env, pitch=30)
    for _ in range(200):
        act(env, function="attack")
        mobs = int(env.world["status"]["bodies"][0])
        if not mobs:
            break
        sheep, player = env.world["bodies"][0, 1], env.world["bodies"][0, 0]
        sheep["x"], sheep["z"], sheep["vx"], sheep["vz"] = player["x"], player["z"] + 2 * 65536, 0, 0
    found = lying(env)
    assert mobs == 0 and found["wool"] == 1 and 1 <= found["mutton"] <= 2
    assert env.world["kills"][0, 0] == 1


def test_shears_and_buckets():
    env = arena({"shears": 1, "bucket": 1})
    env.spawn_mobs("sheep", (0, 0, 2))
    act(env, pitch=30)
    assert act(env, function="use")[1]["action_success"]
    assert 1 <= lying(env)["wool"] <= 3
    assert not act(env, function="use")[1]["action_success"]  # shorn already
    env.world["status"]["bodies"] = 0
    env.spawn_mobs("cow", (0, 0, 2))
    act(env, function="equip", slot=1)
    act(env, function="use")
    assert held(env)["milk_bucket"] == 1


def test_eating_takes_32_ticks():
    env = arena({"bread": 2})
    env.world["status"]["food"] = 10_000
    act(env, 31, function="use")
    assert held(env) == {"bread": 2}
    observation, _ = act(env, function="use")
    assert held(env) == {"bread": 1} and observation["life_stats"]["food"][0] == 15


def test_walking_speed_is_minecrafts():
    env = arena()
    act(env, 20, forward=-1)
    start = act(env)[0]["position"]
    act(env, 15, forward=1)
    a = act(env, forward=1)[0]["position"]
    b = act(env, forward=1)[0]["position"]
    assert start[2] < a[2] and float(b[2] - a[2]) == pytest.approx(4.317 / 20, rel=0.01)


@pytest.mark.parametrize(("height", "over"), [(1, True), (2, False)])
def test_a_jump_clears_one_block_but_not_two(height, over):
    env = arena()
    for up in range(height):
        for side in (-1, 0, 1):
            env.set_block("stone", (side, up, 2))
    start = float(act(env)[0]["position"][2])
    end = float(act(env, 60, forward=1, gait="jump")[0]["position"][2])
    assert (end > start + 2) == over


def test_a_ladder_is_climbed_and_breaks_no_bones():
    env = arena()
    for up in range(12):
        env.set_block("stone", (0, up, 2))
        env.set_block("ladder", (0, up, 1))
    start = float(act(env)[0]["position"][1])
    top = float(act(env, 60, forward=1)[0]["position"][1])
    assert start + 4 < top < start + 60 * 0.12
    observation, _ = act(env, 60)
    assert float(observation["position"][1]) == start and observation["life"] == 20


def test_ice_melts_where_it_is_broken():
    env = arena({"iron_pickaxe": 1})
    env.set_block("ice", FRONT)
    assert ticks_to_break(env, until="water") > 0
    assert lying(env) == {}


def test_sand_that_is_placed_falls():
    env = arena({"sand": 1})
    env.set_block("stone", FRONT)
    assert act(env, function="place", slot=0)[1]["action_success"]
    assert [block(env, (0, up, 1)) for up in (0, 1)] == ["sand", "air"]


def test_water_makes_obsidian_of_lava_beside_and_below_it():
    env = arena({"water_bucket": 1})
    env.set_block("lava", (1, 0, 2))
    env.set_block("lava", (0, 1, 2))  # above: it stays
    act(env, pitch=45)
    assert act(env, function="use")[1]["action_success"]
    assert [block(env, (x, y, 2)) for x, y in ((0, 0), (1, 0), (0, 1))] == ["water", "obsidian", "lava"]
    assert held(env) == {"bucket": 1}


def test_stations_are_not_forgotten_for_torches():
    env = arena()
    env.set_block("crafting_table", (0, 1, 2))
    for place in range(300):
        env.set_block("torch", (place % 11 - 5, 5 + place // 11, 4))
    assert act(env)[0]["nearby_tools"]["table"]
    env.set_block("air", (0, 1, 2))
    assert not act(env)[0]["nearby_tools"]["table"]


@pytest.mark.parametrize(
    ("damage", "points", "tough", "left"),
    [(3, 0, 0, 3), (3, 7, 0, 2.34), (3, 15, 0, 1.38), (43, 20, 8, 27.09), (43, 15, 0, 37.84)],
)
def test_armour_is_weaker_against_heavy_blows(damage, points, tough, left):
    """By the formula of Minecraft 1.9 and later, worked out by hand: none, leather, iron, diamond, iron."""
    assert softened(1000 * damage, points, tough) == round(1000 * left)


def test_hunger_and_starvation():
    env = arena()
    status = env.world["status"]
    status["food"], status["saturation"], status["life"] = 0, 0, 2000
    act(env, 85)
    assert status["life"][0] == 1000
    act(env, 200)
    assert status["life"][0] == 1000  # hunger alone does not kill
    status["food"], status["life"] = 20_000, 10_000
    act(env, 85)
    assert status["life"][0] == 11_000
