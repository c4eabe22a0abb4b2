"""What a model of no use costs: an episode ends after five answers of which nothing can be used."""

import asyncio
import json
import random

import pytest

from mnemocraft.agents import get_agent, play
from mnemocraft.agents.deps.plan import Step
from mnemocraft.agents.rollout import LONGEST_KEPT, MOST_UNUSABLE
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.llm import Model
from mnemocraft.llm.types import Reply, Usage
from mnemocraft.memory import get_memory
from mnemocraft.worlds import make


class Says:
    """A backend that answers by the number of the request."""

    name, cpu_bound = "says", True

    def __init__(self, answer):
        self.answer, self.asked = answer, 0

    async def generate(self, request):
        self.asked += 1
        return Reply(self.answer(self.asked), [], Usage(1, 1))

    async def aclose(self):
        pass


TEXT = "textworld/stone_sword"


def episode(agent, answer, task=TEXT, **options):
    backend = Says(answer)
    one = play(get_agent(agent), make(task, seed=1, **options), get_memory("none"), Model("says", backend))
    return asyncio.run(one), backend.asked


@pytest.mark.parametrize(
    ("agent", "task"),
    [("base", "plancraft/low/VAL0001"),
     *((agent, TEXT) for agent in ("inner_monologue", "dep", "deps", "mindstores")),
     *((agent, "kitchen/sync/0") for agent in ("react", "gig", "recap"))],
)  # fmt: skip
def test_five_empty_answers_in_a_row_end_the_episode(agent, task):
    """They were asked for up to 875 times."""
    played, asked = episode(agent, lambda number: "", task)
    assert (played.reason, asked, played.success) == ("no_answers", MOST_UNUSABLE, False)


@pytest.mark.parametrize("agent", ["inner_monologue", "dep", "deps", "mindstores"])
def test_refusals_in_words_end_it_soon(agent, monkeypatch):
    """Nothing of such a plan can be read, neither directly nor by the parser, which refuses as well."""
    guess = Step(Goal("mine", "oak_log", 1), "mine 1 oak_log")  # in place of the sentence embeddings
    monkeypatch.setattr("mnemocraft.agents.deps.lines.nearest", lambda line, version: guess)
    played, asked = episode(agent, lambda number: "I am sorry, but I cannot help with that request.")
    assert played.reason == "no_answers" and asked <= 4 * MOST_UNUSABLE


def test_an_answer_now_and_then_starts_the_count_anew():
    played, asked = episode("react", lambda number: "" if number % MOST_UNUSABLE else "Action: nonsense")
    assert played.reason == "invalid_actions" and asked == 15, "the benchmark's own limit"


def test_a_trajectory_is_bounded_whatever_a_model_says(monkeypatch):
    """56 episodes of 10 MB answers took 200 MB on disk and 1.3 GB of memory."""
    most = 10 * LONGEST_KEPT
    monkeypatch.setattr("mnemocraft.agents.rollout.MOST_KEPT", most)
    noise = random.Random(0)
    text = "".join(chr(noise.randrange(0x20, 0x3000)) for _ in range(60_000))
    played, asked = episode("base", lambda number: text, "plancraft/low/VAL0001")
    kept = [event["text"] for event in played.trajectory if event["type"] == "call"]
    assert len(kept) == asked > 10
    assert max(map(len, kept)) == LONGEST_KEPT and sum(map(len, kept)) <= most
    assert played.metrics["cut_answers"] == asked
    assert len(json.dumps(played.trajectory)) < 8 * most
