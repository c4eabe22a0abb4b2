"""The scripted controller reaches its goals, comes to no harm, and says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.pursuit import Outcome, pursue
from mnemocraft.controllers.scripted import ScriptedController
from mnemocraft.controllers.skills import SKILLS, begin
from mnemocraft.controllers.success import Progress, counts
from mnemocraft.controllers.targets import best_tool, sources
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal
from overworld_helpers import act, arena, world


def reach(env: OverworldEnv, goal: Goal, steps: int = 600) -> Outcome:
    """Pursue a goal with a new script."""
    observation = env.step(a.functional(0))[0]
    return pursue(env, ScriptedController(env), goal, observation, steps)


def wall(env: OverworldEnv, block: str, z: int) -> None:
    """A wall across the arena, three high."""
    for x in range(-5, 6):
        for y in range(3):
            env.set_block(block, (x, y, z))


# --- the 42 actions -----------------------------------------------------------------------------------


def test_the_42_actions_differ_and_are_minedojos() -> None:
    env = arena()
    every = [a.to_minedojo(action) for action in range(a.ACTIONS)]
    assert len(every) == len({tuple(action) for action in every}) == 42
    assert all(env.action_space.contains(action) for action in every)


def test_mirroring_swaps_left_and_right_only() -> None:
    assert [a.MIRROR[a.MIRROR[action]] for action in range(a.ACTIONS)] == list(range(a.ACTIONS))
    for action in range(a.ACTIONS):
        one, other = a.to_minedojo(action), a.to_minedojo(a.MIRROR[action])
        assert (one[[0, 2, 3, 5]] == other[[0, 2, 3, 5]]).all()
        assert one[4] - a.STILL == a.STILL - other[4]
        assert (one[1] + other[1]) % 3 == 0


# --- success ------------------------------------------------------------------------------------------


def test_what_was_there_before_does_not_count() -> None:
    env = arena({"log": 5})
    observation = env.step(a.functional(0))[0]
    progress = Progress(Goal("mine", "log", 2), observation)
    env.set_inventory({"log": 6})
    assert not progress.update(env.step(a.functional(0))[0])
    assert "gained 1 of 2 log" in str(progress)
    env.set_inventory({"log": 7})
    assert progress.update(env.step(a.functional(0))[0])


def test_digging_down_and_equipping_are_seen() -> None:
    env = arena({"stick": 1, "iron_helmet": 1})
    observation = env.step(a.functional(0))[0]
    helmet = Progress(Goal("equip", "iron_helmet"), observation)
    assert not helmet.reached and Progress(Goal("equip", "stick"), observation).reached
    observation, _ = act(env, function="equip", slot=1)
    assert helmet.update(observation)
    height = int(observation["position"][1])
    assert Progress(Goal("dig", "down", height), observation).reached
    assert not Progress(Goal("dig", "down", height - 1), observation).reached


# --- where things come from -----------------------------------------------------------------------------


def test_sources_are_natural_and_tools_fit() -> None:
    assert ("tallgrass", None) in sources(Goal("mine", "wheat_seeds")).blocks
    assert sources(Goal("mine", "wool")).mobs == ("sheep",) and not sources(Goal("mine", "wool")).blocks
    assert sources(Goal("mine", "birch_log")).blocks == (("log", 2),)
    held = {"wooden_axe": 1, "stone_pickaxe": 1, "shears": 1, "stone_sword": 1}
    assert best_tool(Goal("mine", "log"), held) == "wooden_axe"
    assert best_tool(Goal("mine", "iron_ore"), held) == "stone_pickaxe"
    assert best_tool(Goal("mine", "leaves"), held) == "shears"
    assert best_tool(Goal("kill", "cow"), held) == "wooden_axe"
    assert best_tool(Goal("mine", "log", 1, "shears"), held) == "shears"


# --- goals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skill", [s for s in SKILLS if s.max_steps == 600], ids=lambda s: str(s.goal))
def test_short_skills_are_reached(skill: object) -> None:
    env, observation = begin(skill, 11, None)  # type: ignore[arg-type]
    outcome = pursue(env, ScriptedController(env), skill.goal, observation)  # type: ignore[attr-defined]
    assert outcome.success, outcome.reason
    assert outcome.observation["life"] >= 17, "at most a fall, where a mob leads over a ledge"


def test_wood_to_stone_pickaxe_with_one_table() -> None:
    env = world(seed=4, specified_biome="forest", initial_inventory={"log": 3}, max_steps=10_000)
    env.reset()
    goals = [Goal("craft", "planks", 12), Goal("craft", "stick", 4), Goal("craft", "crafting_table")]
    goals += [Goal("craft", "wooden_pickaxe"), Goal("mine", "cobblestone", 3), Goal("craft", "stone_pickaxe")]
    controller, observation = ScriptedController(env), env.step(a.functional(0))[0]
    for goal in goals:
        outcome = pursue(env, controller, goal, observation, 1500)
        assert outcome.success, outcome.reason
        observation = outcome.observation
    assert counts(observation)["stone_pickaxe"] == 1


def test_crafting_in_a_shaft_makes_room_for_the_table() -> None:
    env = arena({"wooden_pickaxe": 1, "crafting_table": 1, "planks": 8})
    for x, z in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        for y in range(3):
            env.set_block("stone", (x, y, z))
    outcome = reach(env, Goal("craft", "chest"))
    assert outcome.success, outcome.reason


def test_smelting_burns_coal_and_not_the_tools() -> None:
    env = arena({"wooden_axe": 1, "furnace": 1, "crafting_table": 1, "beef": 2, "coal": 1})
    outcome = reach(env, Goal("smelt", "cooked_beef", 2))
    left = counts(outcome.observation)
    assert outcome.success and "coal" not in left
    assert left["wooden_axe"] == left["crafting_table"] == 1


def test_a_wall_is_dug_through_and_what_it_hides_is_fetched() -> None:
    env = arena({"stone_pickaxe": 1})
    wall(env, "stone", 2)
    env.set_block("coal_ore", (0, 0, 4))
    assert reach(env, Goal("mine", "coal")).success


def test_lava_on_the_way_does_no_harm() -> None:
    env = arena({"stone_pickaxe": 1})
    for x in range(-5, 5):  # one gap, at x = 5
        env.set_block("lava", (x, -1, 2))
    env.set_block("iron_ore", (0, 0, 4))
    outcome = reach(env, Goal("mine", "iron_ore"))
    assert outcome.success, outcome.reason
    assert outcome.observation["life"] == 20


def test_stairs_lead_down_and_back_up() -> None:
    env = world(seed=2, initial_inventory={"iron_pickaxe": 1}, max_steps=10_000)
    env.reset()
    high = int(env.world["bodies"][0, 0]["y"] >> 16)
    assert reach(env, Goal("dig", "down", high - 12), 2000).success
    path = ScriptedController(env)._around.route(5, [(0, high, 0)], factor=20)
    assert path, "one can walk out without digging"


def test_a_chicken_in_the_way_of_an_axe() -> None:
    env = arena({"wooden_axe": 1})
    assert env.spawn_mobs("chicken", (3, 0, 3))
    outcome = reach(env, Goal("kill", "chicken"))
    assert outcome.success, outcome.reason


# --- what is wrong --------------------------------------------------------------------------------------


def test_a_missing_tool_fails_at_once() -> None:
    outcome = reach(arena({"wooden_pickaxe": 1}), Goal("mine", "iron_ore"))
    assert not outcome.success and outcome.steps == 0 and "stone_pickaxe" in outcome.reason


def test_what_is_not_there_is_said() -> None:
    outcome = reach(arena(), Goal("kill", "llama"), 30)
    assert not outcome.success and outcome.steps == 30 and "llama" in outcome.reason


def test_equal_seeds_equal_steps() -> None:
    skill = next(s for s in SKILLS if s.goal == Goal("kill", "sheep"))
    runs = []
    for _ in range(2):
        env, observation = begin(skill, 7, None)
        script = ScriptedController(env, 1)
        taken = []
        for _ in range(60):
            taken.append(script.act(observation, skill.goal))
            observation = env.step(taken[-1])[0]
        runs.append(np.array(taken))
    assert (runs[0] == runs[1]).all()


def test_nearer_goals_have_shorter_horizons() -> None:
    env = arena({"stone_pickaxe": 1})
    env.set_block("coal_ore", (0, 0, 2))
    env.set_block("iron_ore", (0, 0, 5))
    observation = env.step(a.functional(0))[0]
    goals = [Goal("mine", "iron_ore"), Goal("mine", "coal"), Goal("kill", "llama")]
    far, near, nowhere = ScriptedController(env).horizon(observation, goals)
    assert near < far < nowhere
