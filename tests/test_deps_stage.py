"""The Minecraft worlds that agents act on: the text world, and those with MineDojo's face."""

from functools import cache

import numpy as np
import pytest

from helpers import Scripted, events, play
from mnemocraft.agents.deps.methods import agent
from mnemocraft.agents.deps.selectors import HorizonSelector, NearestBySimulator
from mnemocraft.controllers import SightedController
from mnemocraft.envs.minecraft import plan
from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.minecraft import Demand, demand, line_of
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks
from mnemocraft.worlds.overworld import ControllerWorld, overworld_env
from mnemocraft.worlds.textworld import TextWorld, textworld

SWORD = """
mine({"log": 3}, tool=None)
craft({"planks": 12}, {"log": 3}, station=None)
craft({"stick": 4}, {"planks": 2}, station=None)
craft({"crafting_table": 1}, {"planks": 4}, station=None)
craft({"wooden_pickaxe": 1}, {"planks": 3, "stick": 2}, station="crafting_table")
mine({"cobblestone": 2}, tool="wooden_pickaxe")
craft({"stone_sword": 1}, {"cobblestone": 2, "stick": 1}, station="crafting_table")
"""


def text(version="1.11.2", max_steps=1000, **inventory):
    env = TextWorldEnv(version, inventory=inventory, max_steps=max_steps)
    return TextWorld("diamond", env, Demand({"diamond": 1}, {}))


def attempt(world, goal, limit=100, using=()):
    return world.act(line_of(goal, using), limit)


# --- the text world ---------------------------------------------------------------------------------------


def test_a_goal_gains_its_units():
    stage = text(log=2)
    assert attempt(stage, Goal("mine", "log", 3), 100).steps == 3 and stage.inventory == {"log": 5}
    done = attempt(stage, Goal("craft", "planks", 5), 100)
    assert done.success and done.steps == 2 and stage.inventory == {"log": 3, "planks": 8}


def test_a_goal_that_lacks_something_changes_nothing():
    stage = text(log=1, planks=2)
    failed = attempt(stage, Goal("craft", "planks", 8), 100)
    assert (failed.success, failed.steps) == (
        False,
        0,
    ) and "I need 1 more log (have 1 of 2)" in failed.failure
    assert stage.inventory == {"log": 1, "planks": 2} and stage.steps == 0
    assert "a crafting_table in the inventory" in attempt(stage, Goal("craft", "bowl", 4), 100).failure
    assert "There is no goal 'chop'" in stage.failure(Goal("chop", "log"))
    assert '"chop 1 log" is no action; write one of mine' in attempt(stage, Goal("chop", "log")).failure


def test_logs_of_a_species_where_the_version_does_not_tell_them_apart():
    stage = text()
    assert attempt(stage, Goal("mine", "birch_log", 2), 100).success and stage.inventory == {"log": 2}


def test_stations_may_be_placed_and_tools_equipped():
    stage = text(crafting_table=1, shield=1, stone_pickaxe=1)
    for goal in (Goal("place", "crafting_table"), Goal("equip", "shield"), Goal("dig", "down", 30)):
        assert attempt(stage, goal, 100).success
    assert (
        stage.inventory["crafting_table"] == 1 and not attempt(stage, Goal("place", "furnace"), 100).success
    )


def test_the_fuel_that_a_plan_names_is_burnt():
    for fuel in ("planks", "coal"):
        stage = text(furnace=1, beef=1, planks=1, coal=1)
        assert attempt(stage, Goal("smelt", "cooked_beef"), 100, ("beef", fuel)).success
        assert fuel not in stage.inventory


def test_limits_of_a_goal_and_of_the_episode():
    short = attempt(text(), Goal("mine", "dirt", 9), 4)
    assert (short.steps, short.failure) == (4, "I did not mine 9 dirt: gained 4 of 9 dirt.")
    assert attempt(text(), Goal("mine", "dirt", 4), 4).success
    stage = text(max_steps=5)
    failed = attempt(stage, Goal("mine", "dirt", 9), 100)
    assert not failed.success and failed.steps == 5 and stage.reason == "max_steps"


def test_kills_are_judged_by_what_the_mob_surely_leaves():
    stage = text()
    assert attempt(stage, Goal("kill", "sheep", 2), 100).steps == 2
    assert stage.inventory == {"wool": 2, "mutton": 2}


def test_a_task_is_done_by_anything_of_its_family():
    stage = textworld("wooden_door", version="1.16.5")
    assert stage.lacking() == "0 of 1 oak_door" and stage.inventory == {}
    for goal in (
        Goal("mine", "birch_log", 4),
        Goal("craft", "birch_planks", 16),
        Goal("craft", "crafting_table"),
    ):
        assert attempt(stage, goal, 100).success and not stage.reason
    assert attempt(stage, Goal("craft", "birch_door", 3), 100).success and stage.reason == "success"


def test_several_targets():
    wanted = Demand({"wool": 2, "beef": 1}, {})
    assert wanted.lacking({"wool": 1}) == "1 of 2 wool, 0 of 1 beef" and not wanted.lacking(
        {"wool": 3, "beef": 1}
    )


def _written(step, world):
    """A step of a shortest plan in the format of DEPS, its fuel or materials named."""
    gives = dict(world.operators[step.verb, step.item][0].gives)
    units = step.count * (gives.get(step.item) or max(gives.values()))
    needs = ", {" + ", ".join(f'"{item}": 1' for item in step.using) + "}" if step.using else ""
    return f'{step.verb}({{"{step.item}": {units}}}{needs})'


@pytest.fixture(scope="module")
def shortest():
    """A shortest plan of every task, as DEPS writes it, in a world of a version and of rules."""

    def written(version, rules):
        world = engine(version, rules)
        every = minecraft_tasks()
        plans = {wanted: plan(wanted.target(version), version=version, rules=rules) for wanted in every}
        return {wanted: "\n".join(_written(step, world) for step in p.steps) for wanted, p in plans.items()}

    return cache(written)


@pytest.mark.parametrize("method", ["deps", "code_as_policies"])
@pytest.mark.parametrize("world", [("1.11.2", "game"), ("1.16.5", "mc-textworld")])
def test_every_task_can_be_planned_and_done_at_once(shortest, method, world):
    version, rules = world
    for wanted, written in shortest(*world).items():
        begun = textworld(wanted.key, version=version, rules=rules)
        played = play(agent(method, max_rounds=0), begun, Scripted([written]))
        assert played.success, (wanted.key, played.trajectory[-2:])


def test_the_other_rules_have_goals_of_their_own():
    """MC-TextWorld knows no mobs, and does not burn what the game burns."""
    stage = textworld("carpet", version="1.16.5", rules="mc-textworld")
    assert not attempt(stage, Goal("kill", "sheep"), 100).success
    assert attempt(stage, Goal("mine", "white_wool"), 100).success and stage.inventory == {"white_wool": 1}
    smelt = Goal("smelt", "iron_ingot")
    kit = {"furnace": 1, "iron_ore": 1, "oak_planks": 4}
    other, game = TextWorldEnv("1.16.5", "mc-textworld", inventory=kit), TextWorldEnv("1.16.5", inventory=kit)
    assert "coal" in TextWorld("carpet", other, wool()).failure(smelt)
    assert not TextWorld("carpet", game, wool()).failure(smelt)


def wool():
    return Demand({"white_wool": 1}, {})


# --- the overworld ----------------------------------------------------------------------------------------


def in_overworld(key, seed, controller=None, max_steps=3000, biome="forest"):
    pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
    from mnemocraft.controllers import ScriptedController

    env, wanted = overworld_env(seed, max_steps, biome), demand(minecraft_task(key), "1.11.2")
    actor = controller or ScriptedController(env, seed)
    return ControllerWorld(f"overworld/{key}", env, actor, wanted)


def test_deps_plays_in_the_overworld_as_in_the_text_world():
    stage = in_overworld("stone_sword", 1)
    assert (
        stage.inventory == {}
        and "\nBiome: forest" in stage.observe().scene
        and stage.lacking() == "0 of 1 stone_sword"
    )
    model = Scripted([SWORD])
    played = play(agent("deps"), stage, model)
    assert played.success and 50 < played.steps < 1500
    assert model.requests[0].messages[-1]["content"].endswith("Inventory: nothing\nBiome: forest")
    assert max(len(event["candidates"]) for event in events(played, "choice")) == 2


def test_a_failure_in_the_overworld_is_described_and_explained():
    stage = in_overworld("stone_sword", 1)
    script = ['mine({"cobblestone": 2}, tool=None)', "Because a wooden_pickaxe is missing.", SWORD]
    model = Scripted(script)
    assert play(agent("dep"), stage, model).success
    assert "Message: I cannot mine cobblestone: I need" in model.requests[1].messages[-1]["content"]


def test_a_controller_that_does_not_know_a_goal_fails_with_its_sentence():
    class Clueless:
        problem, looks = "", False

        def reset(self):
            pass

        def act(self, observation, goal):
            raise MnemocraftError(f"I never learned {goal}.")

        def horizon(self, observation, goals, around=()):
            raise MnemocraftError("I never learned that.")

    stage = in_overworld("stone_sword", 1, Clueless())
    assert attempt(stage, Goal("mine", "log"), 50).failure == "I never learned mine 1 log."
    assert stage.horizon([Goal("mine", "log")]).tolist() == [2000.0]


def test_a_selector_that_sees_looks_around_and_what_it_saw_counts_until_it_acts():
    class Watcher(SightedController):
        looks = True

        def horizon(self, observation, goals, around=()):
            turns = [int(view["location_stats"]["yaw"][0]) % 360 for view in around]
            self.asked = turns, observation["rgb"].shape
            return np.arange(len(goals), dtype=float)

    stage = in_overworld("bed", 2)
    stage.controller = watcher = Watcher(stage.env)
    goals, start = [Goal("kill", "sheep"), Goal("kill", "cow")], stage.steps
    stage.look_around()
    stage.horizon(goals)
    turns, shape = watcher.asked
    assert len({turn // 60 for turn in turns}) == 6 and stage.steps == start + 6 and shape == (3, 128, 128)
    stage.look_around()
    assert stage.steps == start + 6, "it has just done so"
    attempt(stage, goals[0], 1)
    stage.horizon(goals)
    assert watcher.asked == ([], (3, 64, 64)), "it has moved since"


@pytest.mark.parametrize("side", range(6))
def test_the_selector_turns_to_the_side_on_which_the_chosen_goal_seems_nearest(side):
    class Watcher(SightedController):
        looks = True

        def horizon(self, observation, goals, around=()):
            if around:
                self.wanted = around[side]["location_stats"]["yaw"]
                return np.array([700.0, 20.0])
            return np.array([300.0 if observation["location_stats"]["yaw"] == self.wanted else 400.0])

    stage = in_overworld("bed", 2)
    stage.controller = watcher = Watcher(stage.env)
    start = stage.steps
    goals = [Goal("kill", "sheep"), Goal("kill", "cow")]
    assert HorizonSelector().choose(goals, stage, np.random.default_rng(0)).place == 1
    assert stage.seen["location_stats"]["yaw"] == watcher.wanted
    assert stage.steps == start + (6 if side == 5 else 7), "the last look is where it looks already"


def test_goals_that_nobody_learned_are_chosen_among_without_turning():
    class Clueless(SightedController):
        looks = True

        def horizon(self, observation, goals, around=()):
            raise MnemocraftError("I never learned that.")

    stage = in_overworld("bed", 2)
    stage.controller, start = Clueless(stage.env), stage.steps
    goals = [Goal("kill", "sheep"), Goal("kill", "cow")]
    assert HorizonSelector().choose(goals, stage, np.random.default_rng(0)).place in (0, 1)
    assert stage.steps == start + 6, "all sides are alike"


def test_who_knows_everything_neither_looks_around_nor_turns():
    stage = in_overworld("bed", 2)
    before = stage.steps
    stage.look_around()
    stage.turn_to(Goal("kill", "cow"))
    assert stage.steps == before


def test_the_oracle_takes_the_nearest_and_frames_are_there():
    stage = in_overworld("bed", 2)
    goals = [Goal("mine", "log"), Goal("mine", "wool"), Goal("mine", "dirt")]
    oracle = NearestBySimulator()
    horizons = stage.horizon(goals)
    assert oracle.choose(goals, stage, np.random.default_rng(0)).place == int(np.argmin(horizons)) == 2
    assert stage.frame().ndim == 3 and stage.frame().dtype == np.uint8


def test_the_episode_ends_with_its_steps():
    stage = in_overworld("diamond", 3, max_steps=40)
    failed = attempt(stage, Goal("mine", "log", 64), 3000)
    assert not failed.success and stage.reason == "max_steps" and stage.steps == 40
