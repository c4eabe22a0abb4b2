"""Every agent with every memory in every world: it plays, or one sentence names what the world lacks."""

from __future__ import annotations

import asyncio
import itertools
import json
from itertools import product
from pathlib import Path

import pytest

from helpers import Scripted
from mnemocraft.agents import AGENTS, get_agent, play
from mnemocraft.agents.__main__ import EXAMPLES, lacking, table
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import get_model
from mnemocraft.memory import MEMORIES, get_memory
from mnemocraft.runs.events import End, Start, read_event
from mnemocraft.worlds import make

README = Path(__file__).parents[1] / "README.md"
STEPS = 6
ENDS = {
    "agent_stopped", "dialogue_full", "eager_crafting", "gave_up", "goal_failed", "idle", "impossible_wrong",
    "invalid_actions", "max_rounds", "max_steps", "no_answers", "plan_ended", "plan_failed", "plan_invalid",
    "policy_failed", "success",
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return get_model("surrogate")


@pytest.mark.parametrize(("agent", "kind"), list(product(AGENTS, EXAMPLES)))
def test_it_plays_or_says_what_the_world_lacks(agent, kind, model):
    if kind == "overworld":
        pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
    player, memories = get_agent(agent), list(MEMORIES)
    if kind == "household":
        pytest.importorskip("textworld", reason="households need ALFWorld's engine (extra `alfworld`)")
        if agent not in ("gig_ld", "dep"):  # a game takes its time: the others have one memory each
            memories = [memories[list(AGENTS).index(agent) % len(memories)]]
    for memory in memories:
        world = make(EXAMPLES[kind], seed=1, max_steps=STEPS)
        one = play(player, world, get_memory(memory), model, seed=0)
        if lacks := lacking(player, world):
            with pytest.raises(MnemocraftError) as refused:
                asyncio.run(one)
            sentence = str(refused.value)
            assert lacks[0] in sentence and world.task.id in sentence and sentence.count(".") == 1
            continue
        episode = asyncio.run(one)
        assert episode.reason in ENDS and episode.steps <= world.steps
        assert episode.success == world.success == (episode.reason == "success")
        first, *_, last = map(read_event, episode.trajectory)
        assert isinstance(first, Start) and isinstance(last, End) and first.task == EXAMPLES[kind]
        assert episode.metrics["calls"] == sum(event["type"] == "call" for event in episode.trajectory)


IN_VAIN = "dig 1 down"
"""Is done where nothing has to be dug, and takes no step there."""


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        ("react", f"Reasoning: Down.\nAction: {IN_VAIN}"),
        ("gig_plain", f"Reasoning: Down.\nAction: {IN_VAIN}"),
        ("recap", json.dumps({"think": "Down.", "subtasks": [IN_VAIN]})),
        ("base", ("act", {"action": IN_VAIN})),
    ],
)
def test_an_action_that_takes_no_step_does_not_go_on_for_ever(agent, answer):
    asked = itertools.count()
    model = Scripted(lambda request: answer if next(asked) < 50 else AssertionError("it asks on and on"))
    world = make("textworld/stone_sword", max_steps=STEPS)
    episode = asyncio.run(play(get_agent(agent), world, get_memory("none"), model, seed=0))
    assert episode.reason in ("invalid_actions", "idle") and not episode.success and world.steps == 0


def test_the_readme_has_the_table_that_the_command_prints():
    pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
    pytest.importorskip("textworld", reason="households need ALFWorld's engine (extra `alfworld`)")
    assert table() in README.read_text(encoding="utf-8")
