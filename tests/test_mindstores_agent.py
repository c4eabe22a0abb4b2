"""MindStores and Reflexion in the text world: Algorithm 1, and DEPS where nothing is remembered."""

from __future__ import annotations

import pytest

from helpers import Scripted, events, play
from mnemocraft.agents import get_agent
from mnemocraft.agents.mindstores import prompts
from mnemocraft.agents.mindstores.mindstores import MAX_REVISIONS
from mnemocraft.llm import get_model
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.keyed import Keyed
from mnemocraft.memory.none import NoMemory
from mnemocraft.worlds.textworld import textworld

VERSION = "1.16.5"
LOG = 'mine({"oak_log": 1}, tool=None)'
PLANKS = f'{LOG}\ncraft({{"oak_planks": 4}}, {{"oak_log": 1}}, station=None)'
STONE = 'mine({"cobblestone": 1}, tool=None)'
PAST = "State: Inventory: nothing\nTask: obtain 1 oak_planks\nPlan: mine 1 oak_planks\nOutcome: Failure: none"


class Notes(NoMemory):
    """Keeps what it is told, and recalls what a test says."""

    def __init__(self, *texts: str) -> None:
        self.texts, self.cues, self.told = texts, [], []

    def recall(self, cue: Cue) -> list[Hit]:
        self.cues.append(cue)
        return [Hit(text, 1.0, "notes") for text in self.texts]

    def experience(self, cue: Cue, outcome: str, success: bool) -> None:
        self.told.append((cue.scene, cue.plan, outcome, success))


class Spy:
    """A model that writes down what it is asked."""

    cpu_bound = True

    def __init__(self, name: str) -> None:
        self.name, self._model, self.sent = name, get_model(name), []

    async def complete(self, messages, **options):
        self.sent.append(([dict(each) for each in messages], options))
        return await self._model.complete(messages, **options)


def world(key: str = "planks"):
    return textworld(key, version=VERSION)


def by_role(answers: dict[str, list[str]]) -> Scripted:
    """Answers by a word of the system message."""

    def answer(request):
        system = request.messages[0]["content"]
        return next(texts.pop(0) for word, texts in answers.items() if word in system.split("\n")[0])

    return Scripted(answer)


@pytest.mark.parametrize("key", ["stone_sword", "rail", "cooked_beef", "diamond"])
@pytest.mark.parametrize("max_rounds", [0, 2, None])
def test_with_nothing_remembered_it_sends_what_deps_sends(key, max_rounds):
    for seed in range(3):
        one, other = Spy("surrogate"), Spy("surrogate")
        first = play(get_agent("deps", max_rounds=max_rounds), world(key), one, seed=seed)
        second = play(get_agent("mindstores", max_rounds=max_rounds), world(key), other, seed=seed)
        assert one.sent == other.sent
        assert (first.reason, first.steps) == (second.reason, second.steps)
        assert first.metrics.items() <= second.metrics.items()


def test_algorithm_1_from_retrieval_to_the_stored_experience():
    notes = Notes(PAST)
    model = by_role(
        {
            "insights": ["Some words.\nInsight: planks are crafted\n- Insight: from a log"],
            "You plan": [STONE, PLANKS],
            "predict": ["Prediction: failure because cobblestone needs a pickaxe", "Prediction: success"],
            "evaluate": ["Outcome: success | planks from a log"],
        }
    )
    played = play(get_agent("mindstores"), world(), model, notes)
    assert played.success and played.metrics["revisions"] == 1 and played.metrics["predictions"] == 2
    assert [cue.plan for cue in notes.cues] == [
        "",
        "mine 1 cobblestone",
        "mine 1 oak_log; craft 4 oak_planks using oak_log",
    ]
    asked = [request.messages[-1]["content"] for request in model.requests]
    assert asked[0].endswith("Memory: " + " ".join(PAST.split()))
    assert asked[1].endswith("\nInsight: planks are crafted\nInsight: from a log") and "Memory: " in asked[1]
    assert "Plan: mine 1 cobblestone\nMemory: " in asked[2]
    assert asked[3] == (
        "Prediction: failure because cobblestone needs a pickaxe\n"
        "Correct the plan for the task: obtain 1 oak_planks"
    )
    assert "Before: Inventory: nothing" in asked[5] and "Result: success" in asked[5]
    assert notes.told == [
        (
            "Inventory: nothing",
            "mine 1 oak_log; craft 4 oak_planks using oak_log",
            "Success: planks from a log",
            True,
        )
    ]
    assert [each["name"] for each in events(played, "note")] == [
        "insights",
        "prediction",
        "prediction",
        "outcome",
    ]


def test_revisions_are_bounded_and_the_last_plan_is_tried():
    model = by_role(
        {
            "insights": [""],
            "You plan": [STONE] * (MAX_REVISIONS + 1),
            "predict": ["Prediction: failure"] * MAX_REVISIONS,
            "evaluate": ["no format at all"],
        }
    )
    notes = Notes(PAST)
    played = play(get_agent("mindstores", max_rounds=0), world(), model, notes)
    assert played.reason == "max_rounds" and played.metrics["revisions"] == MAX_REVISIONS
    assert notes.told == [("Inventory: nothing", "mine 1 cobblestone", "Failure: no format at all", False)]


def test_parts_are_left_out_one_by_one():
    plain = {"You plan": [PLANKS], "evaluate": ["Outcome: success | done"]}
    played = play(get_agent("mindstores", insights=False, revisions=0), world(), by_role(plain), Notes(PAST))
    assert played.success and played.metrics["calls"] == 2
    everything = {
        "insights": [""],
        "predict": ["Prediction: success"],
        "You plan": [PLANKS],
        "evaluate": ["| done"],
    }
    unaided = play(get_agent("mindstores", unaided=True), world(), by_role(everything))
    assert unaided.success and unaided.metrics["calls"] == 4 and unaided.metrics["recalled"] == 0


def test_what_the_dialogue_has_already_is_not_repeated():
    model = by_role(
        {
            "insights": ["Insight: once"],
            "You plan": [STONE, PLANKS],
            "evaluate": ["| lacks a pickaxe", "| done"],
            "You explain": ["Explanation: it needs a pickaxe"],
        }
    )
    played = play(get_agent("mindstores", revisions=0), world(), model, Notes(PAST))
    planner = [r.messages for r in model.requests if r.messages[0]["content"].startswith("You plan")]
    assert played.success and played.metrics["recalled"] == 1
    assert "Memory: " in planner[0][-1]["content"] and "Memory: " not in planner[1][-1]["content"]
    assert planner[1][-1]["content"].endswith("\nCorrect the plan for the task: obtain 1 oak_planks")


def test_a_plan_that_cannot_be_read_is_not_stored():
    notes = Notes()
    model = by_role({"You plan": ["while True: mine('x')"]})
    assert play(get_agent("mindstores", max_rounds=0), world(), model, notes).reason == "max_rounds"
    assert notes.told == []


def test_insights_are_cut_and_predictions_read():
    many = "\n".join(f"Insight: number {n}" for n in range(20))
    assert len(prompts.insights(many)) == prompts.MOST_INSIGHTS
    assert prompts.insights("nothing of the kind") == []
    assert prompts.predicts_failure("Failure because of it") and not prompts.predicts_failure("perhaps")


def test_reflexion_tells_the_next_attempt_what_it_reflected():
    memory = Keyed()
    model = by_role({"You plan": [STONE, PLANKS], "reflect": ["Reflection: Because stone\nneeds a pickaxe."]})
    first = play(get_agent("reflexion"), world(), model, memory)
    second = play(get_agent("reflexion"), world(), model, memory)
    assert (first.reason, second.reason) == ("goal_failed", "success")
    said = "After attempt 1: Because stone needs a pickaxe."
    assert first.memory_delta == [[said, ["obtain 1 oak_planks"]]]
    assert model.requests[-1].messages[-1]["content"].endswith(f"Reflection: {said}")
    assert second.memory_delta is None


def test_reflexion_reflects_on_an_attempt_that_the_world_ends():
    memory = Keyed()
    model = by_role({"You plan": ['mine({"dirt": 9}, tool=None)'], "reflect": ["Reflection: Fewer steps."]})
    episode = play(get_agent("reflexion"), textworld("planks", version=VERSION, max_steps=5), model, memory)
    assert episode.reason == "max_steps"
    assert episode.memory_delta == [["After attempt 1: Fewer steps.", ["obtain 1 oak_planks"]]]


def test_reflexion_shows_the_latest_reflections_also_where_they_say_the_same_again():
    memory, lessons = Keyed(), ["one", "two", "three", "one"]
    model = by_role({"You plan": [STONE] * 5, "reflect": [f"Reflection: {text}" for text in [*lessons, "x"]]})
    for _ in range(5):
        play(get_agent("reflexion"), world(), model, memory)
    last = model.requests[-2].messages[-1]["content"].splitlines()
    shown = [line.rpartition(": ")[2] for line in last if line.startswith("Reflection: ")]
    assert shown == ["two", "three", "one"]


def test_the_stand_in_learns_from_what_is_remembered():
    """Its beliefs are mended by remembered failures: an assumption, so that the machinery can be seen."""
    kept: list[tuple[str, str]] = []

    class Latest(NoMemory):
        def recall(self, cue):
            return [Hit(text, 1.0, "latest") for text, _ in kept[-5:]]

        def experience(self, cue, outcome, success):
            text = f"State: {cue.scene}\nTask: {cue.goal}\nPlan: {cue.plan}\nOutcome: {outcome}"
            kept.append((text, cue.goal))

    model = get_model("surrogate")
    runs = {}
    for name, memory in (("deps", NoMemory()), ("mindstores", Latest()), ("unaided", NoMemory())):
        unaided = name == "unaided"
        agent = get_agent(
            "deps" if name == "deps" else "mindstores", max_rounds=1, **({"unaided": True} if unaided else {})
        )
        played = [play(agent, world("stone_sword"), model, memory, seed=seed) for seed in range(12)]
        runs[name] = [episode.success for episode in played]
    assert sum(runs["mindstores"]) >= sum(runs["deps"]) + 3
    assert abs(sum(runs["unaided"]) - sum(runs["deps"])) <= 1, (
        "as many calls without memory change next to nothing"
    )
