import json

import pytest

from helpers import Scripted, events
from helpers import play as play_in
from helpers import play_how2 as play
from mnemocraft.agents import get_agent
from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.agent import MAX_TIMELESS
from mnemocraft.agents.how2.roles import related_items
from mnemocraft.agents.how2.settings import SETUPS, Settings
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.memory.keyed import Keyed
from mnemocraft.worlds import make

EASY = "VAL0531"  # crimson_planks from one crimson_hyphae in I15 (the paper's Figure 19)
MOVE = ("move", {"slot_from": "I15", "slot_to": "A1", "quantity": 1})
TAKE = ("move", {"slot_from": "0", "slot_to": "I1", "quantity": 4})
READ = ("read_memory", {"recipe": "crimson_planks"})
THINK = ("think", {"thought": "hm"})
NOTHING = ("move", {"slot_from": "I30", "slot_to": "A2", "quantity": 1})  # an empty slot


def test_the_papers_example_is_solved_with_two_moves():
    episode = play(Scripted([MOVE, TAKE]), Settings("base"), EASY)
    assert (episode.success, episode.reason, episode.steps) == (True, "success", 2)
    assert episode.metrics["actions"] == episode.metrics["expert_actions"] == 2
    assert episode.tokens["actor"] == {"prompt": 20, "completion": 4, "calls": 2, "cached": 0, "estimated": 0}


def test_tools_offered_follow_the_set_up_and_are_strict():
    def offered(setup, think=True):
        model = Scripted([ModelError("gone")])
        play(model, Settings(setup, "none" if setup == "base" else "executable", think=think), EASY)
        return [tool["function"]["name"] for tool in model.requests[0].tools]

    crafting = ["move", "smelt", "impossible"]
    assert offered("base") == [*crafting, "think"]
    assert all(offered(setup) == [*crafting, "think", "read_memory"] for setup in SETUPS[1:])
    assert offered("how2", think=False) == [*crafting, "read_memory"]
    move = prompts.tools(["move"])[0]["function"]["parameters"]
    assert move["required"] == ["slot_from", "slot_to", "quantity"]
    assert move["properties"]["quantity"]["type"] == "integer"


@pytest.mark.parametrize("setup, teacher", [("base", "executable"), ("how2", "none"), ("how3", "executable")])
def test_settings_that_do_not_fit_are_refused_by_name(setup, teacher):
    with pytest.raises(MnemocraftError, match="one of"):
        Settings(setup, teacher)


def test_three_idle_answers_cost_one_step_and_never_more_than_three_pass_without():
    model = Scripted([THINK, THINK, THINK, THINK, THINK, MOVE, TAKE])
    episode = play(model, Settings("base"), EASY)
    assert episode.metrics["noops"] == 1
    assert episode.steps == 3
    assert "one step has passed" in model.requests[3].messages[-1]["content"]


def test_an_actor_that_only_thinks_ends_at_the_step_limit():
    episode = play(Scripted(lambda request: THINK), Settings("base"), EASY)
    assert (episode.reason, episode.steps, episode.metrics["noops"]) == ("max_steps", 30, 30)


def test_where_no_step_can_be_passed_it_may_think_longer_and_ends_some_time():
    """A goal whose materials are missing takes no step either."""
    acts = [("act", {"action": f"mine {what}"}) for what in ("2 cobblestone", "1 oak_log")]
    script = [THINK, THINK, acts[0], THINK, acts[1]]
    world = make("textworld/planks")
    model = Scripted(lambda request: script.pop(0) if script else THINK)
    episode = play_in(get_agent("base"), world, model)
    assert (episode.reason, episode.steps, episode.metrics["noops"]) == ("idle", 1, 0)
    assert episode.metrics["calls"] == 5 + MAX_TIMELESS


@pytest.mark.parametrize(
    "bad, says",
    [
        (("fly", {}), "no tool 'fly'"),
        (("move", {"slot_from": "I15"}), "lacks the argument slot_to"),
        (("move", {"slot_from": "I15", "slot_to": "0", "quantity": 1}), "slot 0"),
        (("move", {"slot_from": "I15", "slot_to": "A1", "quantity": "many"}), "whole number"),
        (("think", {"thought": 3}), "needs the argument 'thought'"),
        ("I would move the log.", "No tool was called"),
    ],
)
def test_invalid_calls_get_feedback_and_cost_no_step(bad, says):
    model = Scripted([bad, MOVE, TAKE])
    episode = play(model, Settings("base"), EASY)
    assert says in model.requests[1].messages[-1]["content"]
    assert episode.metrics["invalid_calls"] == 1
    assert (episode.success, episode.steps) == (True, 2)


def test_every_tool_call_is_answered_in_the_dialogue_that_the_model_sees():
    model = Scripted([("fly", {}), THINK, MOVE, TAKE])
    play(model, Settings("base"), EASY)
    for request in model.requests:
        asked = [c["id"] for m in request.messages for c in m.get("tool_calls", ())]
        answered = [m["tool_call_id"] for m in request.messages if m["role"] == "tool"]
        assert asked == answered
        json.dumps(request.messages)


def test_a_failed_request_is_an_outcome_that_keeps_what_was_spent_and_writes_nothing():
    memory = Keyed()
    episode = play(Scripted([MOVE, ModelError("gone")]), Settings("base"), EASY, memory)
    assert (episode.success, episode.reason, episode.steps) == (False, "error", 1)
    assert episode.tokens["actor"]["calls"] == 1
    assert (episode.memory_delta, len(memory)) == (None, 0)
    assert [event["message"] for event in events(episode, "error")] == ["gone"]


def test_declaring_a_solvable_task_impossible_is_a_failure_and_the_reverse_a_success():
    give_up = ("impossible", {"reason": "no"})
    assert play(Scripted([give_up]), Settings("base"), EASY).reason == "impossible_wrong"
    impossible = next(i for i in _examples() if i.impossible)
    episode = play(Scripted([give_up]), Settings("base"), impossible.id)
    assert (episode.success, episode.reason) == (True, "impossible_correct")


def test_a_craft_that_makes_the_target_unreachable_ends_the_episode():
    # The paper's Figure 22: oak_boat from planks, of which one goes into a button.
    button = [
        ("move", {"slot_from": "I20", "slot_to": "A1", "quantity": 1}),
        ("move", {"slot_from": "0", "slot_to": "I1", "quantity": 1}),
    ]
    held = next(i for i in _examples() if i.id == "VAL0356").slots["I20"]
    assert held[0] == "oak_planks"
    episode = play(Scripted(button * 20), Settings("base"), "VAL0356")
    assert episode.reason == "eager_crafting"


def role(request):
    """Which role a request without tools is for."""
    text = request.messages[-1]["content"]
    marks = {"ask": "one how-to question", "relevance": "Does this memory", "parse": "Rewrite"}
    for name, mark in marks.items():
        if mark in text:
            return name
    return "teacher"


def scripted_roles(answers, actor):
    seen = []

    def answer(request):
        if request.tools:
            return actor.pop(0)
        seen.append(role(request))
        return answers[seen[-1]]

    return Scripted(answer), seen


ANSWERS = {
    "ask": "How do I make crimson_planks?",
    "relevance": "yes",
    "parse": "RECIPE: crimson_planks\nPROCEDURE: as told\nRELATED ITEMS: ['crimson_hyphae']",
    "teacher": "Put the hyphae anywhere.",
}


@pytest.mark.parametrize(
    "setup, on_miss, on_hit, keys",
    [
        ("just_ask", ["ask"], ["ask"], set()),
        ("memory_only", ["ask"], [], {"crimson_planks"}),
        ("parse", ["ask", "parse"], [], {"crimson_planks", "crimson_hyphae"}),
        ("relevance", ["ask"], ["relevance"], {"crimson_planks"}),
        ("how2", ["ask", "parse"], ["relevance"], {"crimson_planks", "crimson_hyphae"}),
    ],
)
def test_algorithm_1_calls_the_roles_of_its_set_up(setup, on_miss, on_hit, keys):
    memory = Keyed()
    settings = Settings(setup, "partially-executable")
    model, seen = scripted_roles(ANSWERS, [READ, MOVE, TAKE])
    first = play(model, settings, EASY, memory)
    assert seen == on_miss
    assert (first.metrics["cache_misses"], first.metrics["interventions"]) == (1, 1)
    assert {key for key in keys | {"crimson_planks"} if memory.store.read(key)} == keys
    (learnt,) = events(first, "learn")
    assert (learnt["question"], set(learnt["keys"])) == (ANSWERS["ask"], keys or {"crimson_planks"})
    model, seen = scripted_roles(ANSWERS, [READ, MOVE, TAKE])
    second = play(model, settings, EASY, memory)
    assert seen == on_hit
    hit = setup != "just_ask"
    assert [event["query"] for event in events(second, "recall")] == ["crimson_planks"] * hit
    assert len(events(second, "learn")) == (not hit)
    assert (second.metrics["cache_hits"], second.metrics["interventions"]) == (hit, not hit)


def test_entries_that_are_not_relevant_are_a_miss_and_are_not_shown():
    memory = Keyed()
    memory.store.write("an old answer", ["crimson_planks"])
    answers = ANSWERS | {"relevance": "No."}
    model, seen = scripted_roles(answers, [READ, MOVE, TAKE])
    episode = play(model, Settings("relevance", "executable"), EASY, memory)
    assert seen == ["relevance", "ask"]
    assert episode.metrics["cache_misses"] == 1
    assert not any("an old answer" in str(m["content"]) for m in model.requests[-1].messages)
    assert len(memory.store.read("crimson_planks")) == 2


def test_roles_are_cooler_than_the_actor_and_only_they_know_of_the_memory():
    model, _ = scripted_roles(ANSWERS, [READ, MOVE, TAKE])
    play(model, Settings("how2", "executable"), EASY)
    for request in model.requests:
        assert request.temperature == (0.6 if request.tools else 0.2)
        assert ("keep a memory" in request.messages[0]["content"]) == (not request.tools)


def test_ask_first_reads_the_target_before_the_model_says_anything():
    model, seen = scripted_roles(ANSWERS, [MOVE, TAKE])
    episode = play(model, Settings("just_ask", "executable", ask_first=True), EASY)
    assert seen == ["ask"]
    assert episode.metrics["first_read"] == 1
    assert model.requests[1].messages[-1]["role"] == "tool"


def test_first_read_counts_all_earlier_tool_calls():
    model, _ = scripted_roles(ANSWERS, [THINK, NOTHING, READ, MOVE, TAKE])
    assert play(model, Settings("just_ask", "executable"), EASY).metrics["first_read"] == 3


def test_the_memory_delta_rebuilds_the_memory():
    memory, rebuilt = Keyed(), Keyed()
    model, _ = scripted_roles(ANSWERS, [READ, MOVE, TAKE])
    episode = play(model, Settings("parse", "executable"), EASY, memory)
    for entry, keys in json.loads(json.dumps(episode.memory_delta)):
        rebuilt.store.write(entry, keys)
    assert rebuilt.store.read("crimson_hyphae") == memory.store.read("crimson_hyphae") != []


@pytest.mark.parametrize(
    "entry, tags",
    [
        ("RELATED ITEMS: ['a', 'b', 'a']", ["a", "b"]),
        ("RELATED ITEMS: [oak_log, stick]", ["oak_log", "stick"]),
        ("RELATED ITEMS: []", []),
        ("no such section", []),
        ("RELATED ITEMS: [__import__('os')]", ["__import__('os')"]),
        ("RELATED ITEMS: [1, 'a']", ["a"]),
    ],
)
def test_tags_are_read_as_data(entry, tags):
    assert related_items(entry) == tags


def _examples():
    from mnemocraft.envs.plancraft import examples

    return examples("low")
