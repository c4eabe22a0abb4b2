"""Every agent with every memory in every world: it plays, or one sentence names what the world lacks."""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path

import pytest

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


def test_the_readme_has_the_table_that_the_command_prints():
    pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
    pytest.importorskip("textworld", reason="households need ALFWorld's engine (extra `alfworld`)")
    assert table() in README.read_text(encoding="utf-8")
