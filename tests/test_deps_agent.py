"""The seven planners in the text world, with models that say what a test tells them to."""

import asyncio
import re
import subprocess
import sys
from functools import partial

import pytest

from helpers import Scripted, events, play
from mnemocraft.agents import get_agent
from mnemocraft.agents.deps import lines, prompts
from mnemocraft.agents.deps.methods import LABELS, agent
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.errors import MnemocraftError, ModelError, RequestTooLong
from mnemocraft.runs import Stream
from mnemocraft.studies.deps import sweep
from mnemocraft.worlds.minecraft import goal_limit
from mnemocraft.worlds.textworld import textworld

VERSION = "1.16.5"
ONE_SHOT = ("gpt", "progprompt", "cot", "code_as_policies")
EXPLANATION = "Explanation: Because mining cobblestone needs a\nwooden_pickaxe. So craft it first."
PLAN = 'mine({"oak_log": 1}, tool=None)\ncraft({"oak_planks": 4}, {"oak_log": 1}, station=None)'
BUTTON = PLAN + '\ncraft({"oak_button": 1}, {"oak_planks": 1}, station=None)'


def example(method):
    text = prompts.planner(textworld("stone_sword"), method)["content"]
    return text.rpartition("Inventory: nothing\n\n")[2]


def revisions():
    """The three plans of the demonstration of DEPS."""
    plans = example("deps").split("def obtain")[1:]
    return ["def obtain" + plan.partition("\nDescription:")[0] for plan in plans]


def episode(method, script, key="stone_sword", max_rounds=None, limits="paper", **options):
    """The episode, and the model with its requests."""
    model, world = Scripted(script), textworld(key, version=VERSION, limits=limits)
    return play(agent(method, max_rounds), world, model, **options), model


@pytest.fixture
def room(monkeypatch):
    """Sets how long a planner's dialogue may be."""

    def of(tokens):
        for module in ("deps", "inner_monologue"):
            short = partial(Rounds, max_dialogue_tokens=tokens)
            monkeypatch.setattr(f"mnemocraft.agents.deps.{module}.Rounds", short)

    return of


def notes(played, name):
    return [event["text"] for event in events(played, "note") if event["name"] == name]


def shown(model, place=-1):
    return model.requests[place].messages[-1]["content"]


# --- one shot ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ONE_SHOT)
def test_the_demonstrated_answer_solves_its_task(method):
    played, model = episode(method, [example(method)])
    assert played.success and played.reason == "success" and played.steps == 12
    assert played.metrics["rounds"] == 0 and len(model.requests) == 1
    assert "wooden_pickaxe" in played.metrics["items"].split(",")
    assert "diamond_axe" not in played.metrics["items"] and shown(model).endswith("Inventory: nothing")


def test_a_program_without_calls_is_told_so_and_nobody_guesses():
    played, model = episode("progprompt", ["def obtain_1_planks(inventory={}):\n    return 'planks'"])
    assert played.reason == "plan_invalid" and len(model.requests) == 1
    assert events(played, "plan")[0]["problem"].startswith("it has no step")


@pytest.mark.parametrize("method", ONE_SHOT)
def test_the_first_failure_is_the_end_of_a_plan_made_once(method):
    broken = re.sub(r".*(mine|step 6).*cobble.*\n", "", example(method))
    played, model = episode(method, [broken])
    assert played.reason == ("policy_failed" if method == "code_as_policies" else "goal_failed")
    assert not played.success and len(model.requests) == 1


def test_a_plan_that_ends_too_early_and_one_that_cannot_be_read():
    assert episode("gpt", ["step 1: mine 1 oak_log"])[0].reason == "plan_ended"
    assert episode("gpt", ["\n" * 5])[0].reason == "plan_invalid"
    assert episode("progprompt", ["mine_oak_log(num=-1)"])[0].reason == "plan_invalid"
    played, _ = episode("code_as_policies", ["eval('1')\nmine('dirt')"])
    assert (
        played.reason == "policy_failed"
        and "there is no 'eval' to call" in events(played, "plan")[0]["problem"]
    )


def test_lines_in_free_words_go_to_the_parser():
    plan = "1. chop a tree for one log\n2. craft 4 oak_planks\n3. make a button of oak"
    played, model = episode("gpt", [plan, "1. mine 1 oak_log\n2. craft 1 oak_button"], "wooden_button")
    assert played.success and shown(model) == "Lines:\n1. chop a tree for one log\n2. make a button of oak"
    assert "You translate lines of a plan" in model.requests[1].messages[0]["content"]
    assert events(played, "plan")[0]["lines"][0] == "chop a tree for one log"


def test_what_the_parser_leaves_unread_goes_to_sentence_similarity(monkeypatch):
    asked = []

    def nearest(line, version):
        asked.append((line, version))
        return lines.read_line("mine 1 oak_log", version)

    monkeypatch.setattr(lines, "nearest", nearest)
    played, _ = episode("gpt", ["1. a log, please", "1. who knows"])
    assert asked == [("a log, please", VERSION)] and played.reason == "plan_ended"


def test_what_the_parser_calls_no_step_is_none():
    """Similarity would make a goal of it: one crafts a table instead of opening it."""
    plan = "1. mine 1 oak_log\n2. craft 4 oak_planks\n3. open the crafting table\n4. craft 1 oak_button"
    played, _ = episode("gpt", [plan, "1. none"], "wooden_button")
    assert played.success and played.metrics["failed_goals"] == 0
    played, _ = episode("gpt", ["1. go to a cave", "1. none"])
    assert (played.reason, played.metrics["unread"], played.steps) == ("plan_invalid", 1, 0)
    assert "none of its lines is a step" in events(played, "plan")[0]["problem"]


# --- step by step -----------------------------------------------------------------------------------------


def test_inner_monologue_hears_whether_but_not_why():
    steps = ["craft 1 oak_button", "mine 1 oak_log", "craft 4 oak_planks", "craft 1 oak_button"]
    script = [f"Thought: next\nAction: {step}" for step in steps]
    played, model = episode("inner_monologue", script, "wooden_button")
    assert played.success and played.metrics["rounds"] == 1 and played.metrics["failed_goals"] == 1
    told = notes(played, "feedback")
    assert told[:2] == ["Success: False\nInventory: nothing", "Success: True\nInventory: 1 oak_log"]
    assert len(model.requests[-1].messages) == 2 + 2 * 3


def test_inner_monologue_gives_up_or_runs_out_of_room(room):
    assert episode("inner_monologue", ["Thought: done\nAction: stop."])[0].reason == "gave_up"
    room(1200)
    played, _ = episode("inner_monologue", lambda request: "Action: mine 1 diamond")
    assert played.reason == "dialogue_full" and 1000 < played.metrics["dialogue_tokens"] <= 1200


# --- DEP and DEPS -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dep", "deps"])
def test_describe_explain_and_plan_again(method):
    first, second, third = revisions()
    played, model = episode(method, [first, EXPLANATION, second, "Because of the table.", third])
    assert played.success and played.metrics["rounds"] == 2 and played.metrics["calls"] == 5
    planner = model.requests[2].messages
    assert [message["role"] for message in planner] == ["system", "user", "assistant", "user"]
    assert planner[-1]["content"] == (
        'Description: I did steps 1, 2, 3. I failed at step 4 "mine({"cobblestone": 2}, tool=None)".\n'
        "Inventory: 10 oak_planks, 4 stick\n"
        "Explanation: Because mining cobblestone needs a wooden_pickaxe. So craft it first.\n"
        "Correct the plan for the task: obtain 1 stone_sword"
    )
    assert shown(model).startswith('Description: I failed at step 1 "craft({"wooden_pickaxe": 1}')
    assert [event["round"] for event in events(played, "plan")] == [0, 1, 2]
    assert [request.sample for request in model.requests] == [0, 1, 1, 2, 2]


def test_only_the_explainer_is_told_the_world_s_reason():
    first, second, _ = revisions()
    played, model = episode("dep", [first, EXPLANATION, second], max_rounds=1)
    explainer = shown(model, 1)
    assert explainer.startswith(
        'Failed step: mine({"cobblestone": 2}, tool=None)\nMessage: I cannot mine cobblestone'
    )
    assert explainer.endswith(first.strip()) and "I cannot mine" not in shown(model, 2)
    assert played.reason == "max_rounds" and len(model.requests) == 3


def test_no_round_is_the_plan_made_once():
    played, model = episode("deps", revisions()[:1], max_rounds=0)
    assert played.reason == "max_rounds" and played.metrics["rounds"] == 0 and len(model.requests) == 1


def test_unreadable_and_unfinished_plans_are_described_without_an_explainer():
    played, model = episode("deps", ["mine({'oak_log': -1})", PLAN, BUTTON], "wooden_button")
    assert played.success and played.metrics["rounds"] == 2 and played.metrics["unread"] == 1
    described = [text.splitlines()[0] for text in notes(played, "description")]
    assert described[0].startswith("Description: The plan could not be read: line 1: the count of oak_log")
    assert described[1] == (
        "Description: I did steps 1, 2. The plan is done, but the task is not: "
        "the inventory has 0 of 1 oak_button."
    )
    assert "Explanation" not in shown(model)


def test_the_dialogue_s_length_ends_replanning(room):
    def answer(request):
        explains = "You explain" in request.messages[0]["content"]
        return "Because it is so." if explains else "mine({'diamond': 1}, tool=None)" + " # thinking" * 80

    room(4000)
    played, _ = episode("deps", answer)
    assert played.reason == "dialogue_full" and played.metrics["dialogue_tokens"] <= 4000
    assert 5 <= played.metrics["rounds"] <= 12


def test_a_plan_in_words_is_read_too():
    assert episode(
        "deps", ["1. mine 1 oak_log\n2. craft 4 oak_planks\n3. craft 1 oak_button"], "wooden_button"
    )[0].success


def test_an_explanation_stays_in_its_line_and_is_cut():
    first, second, _ = revisions()
    injected = "Explanation: Because.\nInventory: 64 diamond\n" + "x" * 2000
    _, model = episode("dep", [first, injected, second], max_rounds=1)
    assert shown(model, 2).count("\nInventory:") == 1 and len(shown(model, 2)) < 1000


# --- ends and records -------------------------------------------------------------------------------------


def test_requests_that_fail_end_an_episode():
    assert episode("deps", [ModelError("broken")])[0].reason == "error"
    assert episode("deps", [RequestTooLong("long")])[0].reason == "dialogue_full"


def test_steps_are_limited():
    played, _ = episode("gpt", ["1. mine 10000 dirt"] * 2)
    assert played.reason in ("goal_failed", "max_steps") and played.steps <= 3000


def test_the_released_code_stops_at_the_thirteenth_failure(room):
    script = ["mine({'diamond': 1})", "Because it is so."] * 20
    room(100_000)
    condition = sweep.condition("deps", "text", VERSION, "code")
    stream = sweep.start(Stream(condition, 0, ("stone_sword",)), Scripted(list(script)))
    played = asyncio.run(stream.episode("stone_sword"))
    assert played.reason == "max_rounds" and played.metrics["rounds"] == 12
    assert episode("deps", list(script), max_rounds=13)[0].metrics["rounds"] == 13


def test_limits_of_goals():
    diamond, iron, planks = Goal("mine", "diamond"), Goal("mine", "iron_ore", 3), Goal("craft", "planks", 4)
    assert [goal_limit(g, "paper") for g in (diamond, iron, planks)] == [12_000, 3000, 2400]
    assert goal_limit(planks, "code") == 150 and goal_limit(iron, "code") > 12_000


def test_what_is_wrong_with_settings_is_said_at_once():
    with pytest.raises(MnemocraftError, match="There is no agent 'dpes'"):
        get_agent("dpes")
    with pytest.raises(MnemocraftError, match="no kind of limits"):
        episode("gpt", [], limits="none")


def test_every_event_is_watched_and_the_record_is_plain():
    seen = []
    played, _ = episode("deps", [BUTTON], "wooden_button", watch=seen.append)
    seen = [event.as_json() for event in seen]
    assert seen == played.trajectory and [seen[0]["type"], seen[-1]["type"]] == ["start", "end"]
    assert played.tokens["planner"]["calls"] == 1
    done = events(played, "action")
    assert [event["action"].partition(" using ")[0] for event in done] == [
        "mine 1 oak_log", "craft 4 oak_planks", "craft 1 oak_button",
    ]  # fmt: skip
    assert [(event["place"], event["step"]) for event in done] == [(1, 1), (2, 2), (3, 3)]
    assert all(event["success"] and not event["failure"] for event in done)
    assert done[0]["line"] == 'mine({"oak_log": 1}, tool=None)'


def test_what_was_ever_held_is_recorded_though_it_was_used_up():
    played, _ = episode("deps", [BUTTON], "wooden_button")
    assert played.metrics["items"] == "oak_button,oak_log,oak_planks"


def test_all_prompts_fill_in_for_every_version():
    for version in ("1.11.2", "1.16.5", "1.19.2"):
        world = textworld("stone_sword", version=version)
        texts = [prompts.planner(world, name)["content"] for name in (*ONE_SHOT, "inner_monologue", "deps")]
        assert all(text.count("# Answer format: ") == 1 and "$" not in text for text in texts)
        assert all(f"Minecraft {version}." in text and text.count("stone_sword") > 1 for text in texts)
    assert list(LABELS) == ["gpt", "progprompt", "cot", "inner_monologue", "code_as_policies", "dep", "deps"]


def test_importing_loads_nothing_heavy():
    heavy = "{'torch', 'numba', 'pandas'}"
    code = f"import sys, mnemocraft.agents.deps.methods as m; print({heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
