"""M2PA and the planners beside it: schemas, the controller's eight actions, memories, reflections."""

from __future__ import annotations

import asyncio
import json

import pytest

from helpers import Scripted, Stand, encoding
from mnemocraft.agents import get_agent, play
from mnemocraft.agents.m2pa.answers import Act, Decomposition, Skill, SkillGraph, Workflow, read
from mnemocraft.agents.m2pa.controller import lines
from mnemocraft.agents.m2pa.plan4mc import by_item, search
from mnemocraft.envs import TextWorldEnv
from mnemocraft.errors import MnemocraftError, RequestTooLong
from mnemocraft.memory import Cue, get_memory
from mnemocraft.memory.none import NoMemory
from mnemocraft.worlds import make
from mnemocraft.worlds.minecraft import Demand
from mnemocraft.worlds.textworld import TextWorld


def played(agent, model, task="textworld/stick", memory=None, seed=0, version="1.11.2", **options):
    memory = NoMemory() if memory is None else memory  # an empty one counts as False
    world = make(task, seed=seed, **({"version": version} if task.startswith("text") else {}))
    return asyncio.run(play(get_agent(agent, **options), world, memory, model, seed=seed))


def act(name, times=1, **args):
    return {"times": times, "actions": [{"name": name, "args": args}]}


def flow(*repeats):
    return json.dumps({"explanation": "", "workflow": list(repeats)})


def subgoals(*goals):
    return json.dumps({"subgoals": [{"task": item, "quantity": units} for item, units in goals]})


def prompts(model):
    return [request.messages[-1]["content"] for request in model.requests]


SANE = json.dumps({"achieved": False, "reflection": "Because to craft stick needs 2 planks. So craft them."})


# --- answers and actions ---------------------------------------------------------------------------------


def test_the_eight_actions_become_action_lines():
    answer, problem = read(
        flow(
            {
                "times": 3,
                "actions": [
                    {"name": "find", "args": {"obj": "log"}},
                    {"name": "mine", "args": {"obj": "log"}},
                ],
            },
            act("approach", obj="cow"),
            act("attack", obj="cow", tool="stone_sword"),
            act("craft", 2, obj="Stick", quantity=4, materials={"planks": 2}, platform=None),
            act("smelt", obj="iron_ingot", materials={"iron ore": 1, "coal": 1}, platform="furnace"),
            act("equip", obj="stone_pickaxe"),
            act("dig_down", y=12, tool="stone_pickaxe"),
            act("dig_up", tool="stone_pickaxe"),
        ),
        Workflow,
    )
    assert answer is not None and problem == ""
    assert list(lines(answer)) == [
        ("mine 3 log", "mine 3 log"),
        ("kill 1 cow with stone_sword", "kill 1 cow with stone_sword"),
        ("craft 8 stick using planks", "craft 8 stick from 4 planks"),
        (
            "smelt 1 iron_ingot using iron_ore, coal",
            "smelt 1 iron_ingot from 1 iron_ore and 1 coal on furnace",
        ),
        ("equip 1 stone_pickaxe", "equip 1 stone_pickaxe"),
        ("dig down to y 12", "dig down to 12"),
    ]
    world = make("textworld/stick")
    assert [world.check(line) for line, _ in lines(answer)] == [""] * 6


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Workflow),
        ("no JSON", Workflow),
        ('{"workflow": 3}', Workflow),
        (flow(act("fly", obj="log")), Workflow),
        (flow(act("mine", -1, obj="log")), Workflow),
        (flow(act("mine", obj="log; rm -rf")), Workflow),
        ('{"subgoals": []}', Decomposition),
        ('{"subgoals": [{"task": "log", "quantity": 10000000}]}', Decomposition),
        ('{"subgoals": [{"quantity": 1}]', Decomposition),
        ("{" * 100_000, Decomposition),
    ],
)
def test_what_breaks_the_schema_is_told_in_one_sentence(text, kind):
    answer, problem = read(text, kind)
    assert answer is None and problem.startswith(f"The answer is no {kind.__name__}: ")
    assert problem.endswith(".") and "\n" not in problem and len(problem) < 400


def test_words_around_the_json_are_passed_over():
    answer, _ = read(f"Here it is:\n```json\n{flow(act('mine', obj='log'))}\n```", Workflow)
    assert answer is not None and answer.workflow[0].actions == [Act(name="mine", args={"obj": "log"})]


# --- the agent -------------------------------------------------------------------------------------------


def test_an_episode_by_hand_is_kept_and_comes_back_in_the_prompts():
    script = [
        subgoals(("log", 1), ("planks", 4), ("stick", 4)),
        flow(act("mine", obj="log")),
        flow(act("craft", obj="planks", quantity=4, materials={"log": 1})),
        flow(act("craft", obj="stick", quantity=4, materials={"planks": 2})),
    ]
    memory, first = get_memory("episodic"), Scripted(list(script))
    episode = played("m2pa", first, memory=memory)
    assert (episode.success, episode.reason, episode.metrics["calls"]) == (True, "success", 4)
    assert not any("Experience:" in prompt for prompt in prompts(first))
    assert "Sub-goals reached: log, planks" in prompts(first)[-1]
    kept = {each.situation.goal: each.plan for each in memory.store.memories}
    whole = "mine 1 log; craft 4 planks from 1 log; craft 4 stick from 2 planks"
    assert kept["obtain 1 log"] == "mine 1 log"
    assert whole in kept.values(), "the whole task is an experience too"
    assert len(episode.memory_delta) == 4
    second = Scripted(list(script))
    assert played("m2pa", second, memory=memory).success
    assert f"Plan then: {whole}" in prompts(second)[0]
    assert all("Experience: " in prompt for prompt in prompts(second))


def test_a_failure_is_reflected_on_and_planned_anew():
    model = Scripted(
        [
            subgoals(("stick", 4)),
            flow(act("craft", obj="stick", quantity=4, materials={"planks": 2})),
            SANE,
            subgoals(("planks", 4), ("stick", 4)),
            flow(act("mine", obj="log"), act("craft", obj="planks", quantity=4, materials={"log": 1})),
            flow(act("craft", obj="stick", quantity=4, materials={"planks": 2})),
        ]
    )
    episode = played("m2pa", model)
    assert episode.success and episode.metrics["rounds"] == episode.metrics["reflections"] == 1
    asked = prompts(model)
    assert "Message: I cannot craft stick: " in asked[2] and "Message:" not in asked[3]
    line = 'Reflection on "craft 4 stick using planks": Because to craft stick needs 2 planks.'
    assert all(line in prompt for prompt in asked[3:])
    notes = [event["name"] for event in episode.trajectory if event["type"] == "note"]
    assert notes == ["reflection (failure)"]


def test_a_sub_goal_is_judged_by_its_result_and_rounds_are_bounded():
    idle = [subgoals(("planks", 4)), flow(act("mine", obj="log")), SANE]
    episode = played("m2pa", Scripted(idle * 3), max_rounds=2)
    assert (episode.success, episode.reason, episode.metrics["rounds"]) == (False, "max_rounds", 2)
    model = Scripted([*idle, subgoals(("log", 1))])
    with pytest.raises(IndexError):  # the script is over
        played("m2pa", model)
    assert "Message: I did not obtain 4 planks: gained 0 of 4 planks." in prompts(model)[2]


def test_a_sub_goal_may_name_the_block_that_leaves_what_is_meant():
    """The worlds take such names, and their guide has them as examples."""
    pickaxe = flow(
        act("mine", obj="oak_log", quantity=3),
        act("craft", obj="oak_planks", quantity=12),
        act("craft", obj="stick", quantity=4),
        act("craft", obj="crafting_table"),
        act("craft", obj="wooden_pickaxe"),
    )
    script = [subgoals(("wooden_pickaxe", 1), ("stone", 2), ("stone_sword", 1)), pickaxe]
    script += [flow(act("mine", obj="stone", quantity=2)), flow(act("craft", obj="stone_sword"))]
    model, memory = Scripted(script), get_memory("experience")
    with encoding():
        episode = played("m2pa", model, "textworld/stone_sword", memory, version="1.19.2")
        kept = [one for one in memory.store.log.entries() if one.task == "obtain 1 stone"]
    assert [(one.plan, one.success) for one in kept] == [("mine 2 stone", True)]
    assert "2 cobblestone" in prompts(model)[3]
    assert episode.success


def test_what_is_kept_of_a_sub_goal_is_found_under_its_name():
    """Not the task's: the oracle would hand out a sub-goal's plan as the task's own."""
    script = [subgoals(("log", 1), ("planks", 4)), flow(act("mine", obj="log"))]
    memory = get_memory("oracle")
    with encoding():
        played("m2pa", Scripted([*script, RequestTooLong("enough")]), memory=memory)
        (hit,) = memory.recall(Cue("obtain 1 stick", "", query="obtain 1 log"))
        assert "Plan: mine 1 log\n" in hit.text
        assert memory.recall(Cue("obtain 1 stick", "")) == []


@pytest.mark.parametrize("rounds", [None, -1, 2.5, "2"])
def test_rounds_are_a_whole_number(rounds):
    for agent in ("m2pa", "mp5", "voyager", *(("deps", "mindstores") if rounds is not None else ())):
        with pytest.raises(MnemocraftError, match="max_rounds must be a whole number from 0, not"):
            get_agent(agent, max_rounds=rounds)


def test_broken_answers_are_failures_not_errors():
    episode = played("m2pa", Scripted(["?", SANE, subgoals(("log", 1)), "?", SANE]), max_rounds=1)
    assert (episode.reason, episode.metrics["unread"]) == ("max_rounds", 2)


def test_it_reflects_now_and_then_where_all_goes_well():
    model = Stand("surrogate:knowledge=1,slip=0")
    episode = played("m2pa", model, "textworld/iron_pickaxe")
    notes = [event["name"] for event in episode.trajectory if event["type"] == "note"]
    assert episode.success and notes == ["reflection (period)"]


def test_each_memory_that_is_taken_away_leaves_its_part_of_the_prompt_out():
    asked = {}
    for name in ("m2pa", "m2pa_sensory", "m2pa_semantic"):
        memory = get_memory("episodic")
        memory.store.add("obtain 1 stick", "Inventory: nothing", "mine 1 log")
        model = Scripted([subgoals(("stick", 4)), flow(act("craft", obj="stick")), SANE, "?", SANE])
        episode = (
            played(name, model, memory=memory, max_rounds=1)
            if name == "m2pa"
            else played(name, model, memory=memory)
        )
        asked[name] = (prompts(model), episode.reason)
        kept = len(memory)
        assert kept == 1, "what failed is not kept"
    assert "Experience:" in asked["m2pa"][0][0] and "Inventory: nothing" in asked["m2pa"][0][0]
    assert "Inventory: nothing" in asked["m2pa_sensory"][0][0]
    assert "Inventory: not seen" in asked["m2pa_semantic"][0][0]
    for name in ("m2pa_sensory", "m2pa_semantic"):
        found, reason = asked[name]
        assert reason == "goal_failed" and len(found) == 2 and not any("Experience" in each for each in found)


# --- with the surrogate -----------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["m2pa", "m2pa_semantic", "m2pa_sensory", "plan4mc", "mp5"])
def test_a_perfect_reader_solves_what_can_be_solved(agent):
    for task in ("stone_sword", "iron_pickaxe", "diamond", "rail"):
        assert played(agent, Stand("surrogate:knowledge=1,slip=0"), f"textworld/{task}").success, task


def test_episodic_memory_helps_the_surrogate_that_heeds_it_and_leaves_the_other_alone():
    """A consequence of the surrogate's assumption that it takes up what it is told."""
    solved = {}
    for attention in (1, 0):
        for name in ("none", "episodic"):
            memory, model = get_memory(name), Stand(f"surrogate:knowledge=0.5,slip=0,attention={attention}")
            solved[attention, name] = sum(
                played("m2pa", model, f"textworld/{task}", memory, seed, max_rounds=3).success
                for seed in range(6)
                for task in ("stone_sword", "bowl", "iron_pickaxe")
            )
    assert solved[1, "episodic"] > solved[1, "none"]
    assert solved[0, "episodic"] == solved[0, "none"]


def test_the_overworld_is_played_and_a_memory_knows_the_biome():
    pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
    memory = get_memory("episodic")
    episode = played("m2pa", Stand("surrogate:knowledge=1,slip=0"), "overworld/stick", memory)
    assert episode.success and {each.situation.biome for each in memory.store.memories} == {"plains"}


# --- beside it --------------------------------------------------------------------------------------------


def test_the_search_goes_depth_first_from_what_is_held():
    skills = {
        "log": Skill(verb="mine", item="log"),
        "planks": Skill(verb="craft", item="planks", makes=4, consumes={"log": 1}),
        "stick": Skill(verb="craft", item="stick", makes=4, consumes={"planks": 2}),
        "loop": Skill(verb="craft", item="loop", consumes={"loop": 1}),
    }
    assert search(skills, {"stick": 5}, {}) == ("mine 1 log", "log")
    assert search(skills, {"stick": 5}, {"log": 1}) == ("craft 4 planks", "planks")
    assert search(skills, {"stick": 5}, {"planks": 4}) == ("craft 8 stick", "stick")
    assert search(skills, {"stick": 5}, {"stick": 5}) == search(skills, {"wool": 1}, {}) == ("", "")
    assert search(skills, {"loop": 1}, {}) == ("craft 1 loop", "loop")


def test_a_skill_may_name_what_it_acts_on():
    graph = SkillGraph(
        skills=[
            Skill(verb="mine", item="iron_ore", requires={"stone_pickaxe": 1}),
            Skill(verb="smelt", item="iron_ingot", consumes={"iron_ore": 1, "coal": 1}),
            Skill(verb="kill", item="cow"),
            Skill(verb="kill", item="feather"),
            Skill(verb="smelt", item="cooked_beef", consumes={"cow": 1}),
        ]
    )
    new, old = (by_item(graph, make("textworld/stick", version=v).library) for v in ("1.19.2", "1.16.5"))
    iron, beef = {"iron_ingot": 2}, {"cooked_beef": 1}
    assert search(new, iron, {"stone_pickaxe": 1}) == ("mine 2 iron_ore", "raw_iron")
    assert search(new, iron, {"raw_iron": 2}) == ("smelt 2 iron_ingot", "iron_ingot")
    assert search(old, iron, {"raw_iron": 2}) == ("mine 2 iron_ore", "iron_ore")
    assert search(new, beef, {}) == ("kill 1 cow", "beef")
    assert search(new, beef, {"beef": 1}) == ("smelt 1 cooked_beef", "cooked_beef")
    assert search(new, {"feather": 1}, {}) == ("mine 1 feather", "feather")


def test_plan4mc_asks_once_and_gives_a_skill_up_after_three_failures():
    graph = {"skills": [{"verb": "craft", "item": "stick", "makes": 4, "consumes": {}}]}
    model = Scripted([json.dumps(graph)])
    episode = played("plan4mc", model)
    assert (episode.reason, episode.metrics["calls"], episode.metrics["failed_goals"]) == (
        "goal_failed",
        1,
        3,
    )
    assert played("plan4mc", Scripted(["?"])).reason == "plan_invalid"


def test_the_action_that_ends_the_task_is_kept_though_it_brought_less_than_it_should():
    memory = get_memory("keyed")
    plan = flow(act("mine", obj="log", quantity=10))
    world = TextWorld("log", TextWorldEnv("1.11.2", max_steps=5), Demand({"log": 1}, {}))
    episode = asyncio.run(play(get_agent("mp5"), world, memory, Scripted([plan])))
    assert (episode.success, episode.metrics["failed_goals"]) == (True, 1)
    assert memory.recall(Cue("obtain 1 log", ""))[0].text == "obtain 1 log: mine 10 log"


def test_mp5_hears_the_patroller_and_keeps_plans_under_the_task():
    memory = get_memory("keyed")
    good = flow(
        act("mine", obj="log"), act("craft", obj="planks", quantity=4), act("craft", obj="stick", quantity=4)
    )
    model = Scripted([flow(act("craft", obj="stick", quantity=4)), good])
    assert played("mp5", model, memory=memory).success
    assert 'Reflection on "craft 4 stick": I cannot craft stick: ' in prompts(model)[1]
    again = Scripted([good])
    assert played("mp5", again, memory=memory).success
    assert "Experience: obtain 1 stick: mine 1 log; craft 4 planks; craft 4 stick" in prompts(again)[0]
