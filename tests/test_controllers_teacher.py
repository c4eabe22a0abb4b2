"""The teacher acts on what lies before its eyes, and what the clone keeps of the past points there."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import PAST, features, token
from mnemocraft.controllers.looks import look_around
from mnemocraft.controllers.pursuit import pursue
from mnemocraft.controllers.recollection import (
    APPROACH,
    FOLLOWED,
    KEPT,
    ROUND,
    STRIKES,
    STUCK,
    WALK,
    Recollection,
    _middle,
)
from mnemocraft.controllers.sighted import SightedController
from mnemocraft.controllers.skills import SKILLS, begin
from mnemocraft.controllers.success import Progress
from mnemocraft.controllers.targets import search_level
from mnemocraft.controllers.teacher import REMEMBERED, Teacher
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal
from overworld_helpers import act, arena
from training.controller.demonstrations import see
from training.controller.rows import mirrored_numbers

SHEEP, IRON, WOOD = Goal("kill", "sheep"), Goal("mine", "iron_ore"), Goal("mine", "log")
REST, FORWARD = a.index(a.STAND, a.NONE), a.index(a.FORWARD, a.NONE)


def steps_to(env: OverworldEnv, goal: Goal, most: int = 300) -> int:
    """Steps that a new teacher takes to reach a goal; ``most`` if it does not."""
    observation = env.step(a.functional(0))[0]
    past, progress, last = Recollection(), Progress(goal, observation), REST
    teacher = Teacher(env, goal, past)
    for step in range(most):
        action = teacher.prepare(observation)
        if action is None:
            past.look(observation, see(env)[1] >> token(goal) & 1, last)
            last = teacher.move()
            action = a.to_minedojo(last)
        observation = env.step(action)[0]
        if progress.update(observation):
            return step
    return most


def wall(env: OverworldEnv, block: str, z: int, height: int = 3) -> None:
    """A wall across the arena."""
    for x in range(-5, 6):
        for y in range(height):
            env.set_block(block, (x, y, z))


def test_a_mob_counts_once_it_was_seen_and_is_soon_forgotten() -> None:
    env = arena()
    assert env.spawn_mobs("sheep", (0, 0, -4))  # behind the player
    teacher = Teacher(env, SHEEP, Recollection())
    env.step(a.functional(0))
    teacher.move()
    assert teacher._mob() is None
    env.step(a.functional(0, yaw=12))
    assert teacher._mob() is not None
    wall(env, "stone", -2)
    env.step(a.functional(0))
    assert teacher._mob() is not None, "remembered"
    teacher._now += REMEMBERED + 1
    assert teacher._mob() is None


def test_an_ore_counts_only_where_its_face_is_open() -> None:
    env = arena({"stone_pickaxe": 1})
    env.set_block("iron_ore", (0, 1, 4))
    env.step(a.functional(0))
    teacher = Teacher(env, IRON, Recollection())
    x, y, z = teacher._around.place
    teacher._now = 1
    assert teacher._known_block() == (x, y + 1, z + 4)
    wall(env, "stone", 3)
    hidden = Teacher(env, IRON, Recollection())
    hidden._now = 1
    assert hidden._known_block() is None


def test_a_stack_is_fetched_even_if_the_head_turns_away() -> None:
    env = arena()
    env.set_block("log", (0, 0, 4))
    env.step(a.functional(0))
    x, y, z = Teacher(env, WOOD, Recollection())._around.place
    env.teleport_agent(x + 0.5, y, z + 2.5)
    env.step(a.functional(0))
    teacher, stacks = Teacher(env, WOOD, Recollection()), 0
    for _ in range(100):
        stacks = len(teacher._around.stacks(teacher._objective))
        if stacks:
            break
        env.step(a.to_minedojo(teacher.move()))
    assert stacks and teacher._stack() is not None
    env.teleport_agent(x + 0.5, y, z - 1.5, yaw=180)
    env.step(a.functional(0))
    assert teacher._stack() is not None, "remembered, though nobody looks there"
    teacher._now += REMEMBERED + 1
    assert teacher._stack() is None


def test_it_steps_up_and_hits() -> None:
    env = arena({"wooden_axe": 1})
    for at in range(-5, 6):  # so that the sheep stays where it is level
        for x, z in ((at, 5), (at, -5), (5, at), (-5, at)):
            for y in (0, 1, 2):
                env.set_block("stone", (x, y, z))
    wall(env, "dirt", 2, height=1)
    assert env.spawn_mobs("sheep", (1, 0, 4))
    assert steps_to(env, SHEEP) < 120


def test_ores_and_stone_are_dug_for_in_a_shaft() -> None:
    for name, most in (
        ("Mine 1 iron ore with stone pickaxe", 3000),
        ("Mine 1 cobblestone with pickaxe", 600),
    ):
        skill = next(skill for skill in SKILLS if skill.name == name)
        env, _ = begin(skill, 3, None)
        assert steps_to(env, skill.goal, most) < most


def test_a_sighting_points_to_its_place_while_the_head_turns() -> None:
    env = arena(image_size=(64, 64))
    assert env.spawn_mobs("sheep", (-3, 0, 4))  # ahead to the right of who looks south
    past = Recollection()
    observation = act(env)[0]
    cells = see(env)[1] >> token(SHEEP) & 1
    past.look(observation, cells, REST)
    bearing = np.arctan2(3, 4)
    fresh, sine, cosine, above, size = past.numbers(observation)[:5]
    assert fresh == 1 and size > 0 and above < 0
    assert abs(np.arctan2(sine, cosine) - bearing) < 0.2, "a cell is .08 wide, the sheep some cells"
    turned = act(env, yaw=90)[0]  # away from it to the right
    past.look(turned, np.zeros((16, 16)), REST)
    numbers = past.numbers(turned)
    assert 0.9 < numbers[0] < 1 and abs(np.arctan2(numbers[1], numbers[2]) - (bearing - np.pi / 2)) < 0.2
    for _ in range(KEPT):
        past.look(turned, None, REST)
    assert (past.numbers(turned)[:5] == 0).all()


def test_a_search_looks_around_and_walks_by_turns() -> None:
    observation, past, looks = act(arena())[0], Recollection(), []
    for _ in range(2 * (ROUND + WALK)):
        looks.append(past.looks_around)
        past.look(observation, None, REST)
    assert looks == 2 * (ROUND * [True] + WALK * [False])
    for _ in range(ROUND + 3):
        past.look(observation, None, REST)
    assert not past.looks_around


def test_only_a_goal_that_was_followed_ends_a_search() -> None:
    """Or a head that turns past a wrong sighting once a round would turn for ever."""
    env = arena(image_size=(64, 64))
    there, nothing = np.ones((16, 16)), np.zeros((16, 16))
    observation, past = act(env)[0], Recollection()
    for turn in range(ROUND + 3):
        past.look(observation, there if turn % 24 < 5 else nothing, REST)
    assert not past.looks_around, "seen for a moment only"
    for _ in range(FOLLOWED + 3):
        past.look(observation, there, REST)
    assert not past.looks_around, "seen all the time from one place"
    x, y, z = observation["location_stats"]["pos"]
    env.teleport_agent(float(x), float(y), float(z) + APPROACH + 0.5)
    past.look(act(env)[0], there, REST)
    assert past.looks_around, "followed: when it is lost, look around first"


def test_who_strikes_for_long_in_one_place_is_stuck() -> None:
    env, past = arena(), Recollection()
    observation = act(env)[0]
    dig = a.index(a.STAND, a.ATTACK)
    for _ in range(STRIKES):
        past.look(observation, None, dig)
    assert not past.aside, "some blocks take long"
    past.look(observation, None, dig)
    assert past.turns_aside


def test_a_sighting_is_in_the_middle_of_what_is_seen() -> None:
    cells = np.zeros((16, 16))
    cells[5:8, 10:13] = 1
    assert _middle(cells) == (6.5, 11.5)
    assert _middle(cells.T) == (11.5, 6.5)


def test_motion_without_headway_is_got_around_and_work_is_not() -> None:
    observation = act(arena())[0]
    for last, stuck in ((FORWARD, True), (REST, False), (a.index(a.FORWARD, a.ATTACK), False)):
        past = Recollection()
        for _ in range(STUCK + 2):
            past.look(observation, None, last)
        assert past.turns_aside == stuck
        assert (past.numbers(observation)[6] == 1) == stuck


def test_the_level_of_the_ores_is_told_to_who_looks_for_them() -> None:
    env = arena()
    level = search_level(Goal("mine", "diamond"))
    assert 0 < level < search_level(IRON) < 64 and search_level(WOOD) == 0
    told = []
    for height in (level + 1, level, level - 1):
        env.teleport_agent(0.5, height, 0.5)
        seen = act(env)[0]
        told.append([float(Recollection(kept).numbers(seen)[9]) for kept in (level, 0)])
    assert told == [[1, 0], [-1, 0], [-1, 0]]


def test_place_and_turn_are_told_from_the_nearest_axis_and_mirrored() -> None:
    env = arena(image_size=(64, 64))
    env.teleport_agent(0.75, 65.5, 0.25, yaw=0)
    south = features(act(env)[0], Recollection()).numbers
    env.teleport_agent(0.75, 65.5, 0.25, yaw=90)  # looks west, so that north is to the right
    west = features(act(env)[0], Recollection()).numbers
    assert np.allclose(south[7:10], [-1.25, -1.25, 0], atol=0.02), "to the back, to the left: east of south"
    assert np.allclose(west[7:10], [-1.25, 1.25, 0], atol=0.02)
    turned = features(act(env, yaw=30)[0], Recollection()).numbers
    assert np.allclose(turned[9:11], [2, 0])
    assert np.allclose(turned[11:13], [2, 2]), "far above both levels at 65"
    env.teleport_agent(0.75, 10, 0.25)
    assert np.allclose(features(act(env)[0], Recollection()).numbers[11:13], [-0.25, -2], atol=0.1)
    mirrored = mirrored_numbers(turned[None])[0]
    assert np.allclose(mirrored[7:10], [-1.25, -1.25, -2], atol=0.02)
    assert (mirrored[PAST.stop :] == turned[PAST.stop :]).all()
    assert (mirrored_numbers(mirrored[None])[0] == turned).all()


def test_the_sighted_one_goes_for_what_it_sees_and_searches_for_what_it_does_not() -> None:
    env = arena({"diamond_axe": 1})
    assert env.spawn_mobs("sheep", (0, 0, -4))  # behind the player, who looks south
    controller, observation = SightedController(env), env.step(a.functional(0))[0]
    turned = [controller.act(observation, SHEEP) for _ in range(4)]
    rests, turns = (a.to_minedojo(a.index(a.STAND, head)) for head in (a.NONE, a.TURN_RIGHT))
    assert np.array_equal(turned, [rests, turns, rests, turns])
    outcome = pursue(env, SightedController(env), SHEEP, observation, 300)
    assert outcome.success and not SightedController(env).horizon(observation, [SHEEP]).any()


def test_the_sighted_one_rests_between_actions_but_not_between_blows() -> None:
    steps = {}
    for pace in (1, 2):
        env = arena({"diamond_axe": 1})
        controller, observation = SightedController(env, pace), env.step(a.functional(0))[0]
        blows: list[bool] = []
        progress, log = Progress(WOOD, observation), (0, 1, 6)
        env.set_block("log", log)
        while not progress.reached and len(blows) < 200:
            action = controller.act(observation, WOOD)
            blows.append(bool(action[5] == 3))
            observation = env.step(action)[0]
            progress.update(observation)
        first = blows.index(True)
        steps[pace] = first, sum(blows)
        assert all(blows[first : first + sum(blows)]), "a block heals between blows"
    assert steps[2][0] > 1.5 * steps[1][0] and steps[2][1] == steps[1][1]


def test_the_sighted_one_takes_up_a_search_where_it_left_it() -> None:
    env = arena({"diamond_axe": 1})
    controller, observation = SightedController(env, pace=1), env.step(a.functional(0))[0]
    for goal, times in ((SHEEP, ROUND), (Goal("kill", "cow"), 1)):
        for _ in range(times):
            observation = env.step(controller.act(observation, goal))[0]
    turns = a.to_minedojo(a.index(a.STAND, a.TURN_RIGHT))
    assert np.array_equal(controller.act(observation, Goal("kill", "cow")), turns)
    assert not np.array_equal(controller.act(observation, SHEEP), turns), "it has looked around for that one"


def test_looking_around_shows_all_sides_once_with_a_level_head() -> None:
    env = arena()
    observation = env.step(a.functional(0, pitch=4, yaw=1))[0]
    before = int(observation["location_stats"]["yaw"][0])
    seen = look_around(env, observation)
    yaws = [(int(view["location_stats"]["yaw"][0]) - before) % 360 for view in seen]
    assert yaws == [60, 120, 180, 240, 300, 0]
    assert all(view["location_stats"]["pitch"][0] == 0 for view in seen)
    assert all(view["rgb"].shape == (3, 128, 128) for view in seen)
    assert len({view["rgb"].tobytes() for view in seen}) > 1


def test_looking_around_stops_with_the_episode() -> None:
    env = OverworldEnv(3, max_steps=4, specified_biome="plains")
    env.reset()
    assert len(look_around(env, env.step(a.functional(0))[0])) == 3
