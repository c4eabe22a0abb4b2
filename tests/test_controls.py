"""What the controls of a memory hand out, and that no memory is the agent without one."""

from __future__ import annotations

import pytest

from helpers import Stand, encoding, play
from mnemocraft.agents import AGENTS, get_agent
from mnemocraft.agents.__main__ import lacking
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import Cue, get_memory
from mnemocraft.worlds import make

CONTROLS = ("shuffled", "random", "bm25", "history", "oracle")
HERE = Cue("get wood", "place 3")


def told(name, count=20, **options):
    """A memory of ``count`` experiences of two tasks; every odd one is of wood, the first ten failed."""
    memory = get_memory(name, **options)
    for n in range(count):
        goal = "get wood" if n % 2 else "get sand"
        memory.experience(Cue(goal, f"place {n}", plan=f"mine {n} logs; go home"), "it ended", n >= 10)
    return memory


@pytest.mark.parametrize("name", ["experience", *CONTROLS])
def test_they_hand_out_the_same_again_and_nothing_while_they_are_empty(name):
    with encoding():
        assert get_memory(name).recall(HERE) == []
        hits = told(name).recall(HERE)
        assert hits == told(name).recall(HERE) and {hit.source for hit in hits} == {name}
        assert len(told(name)) == 20


@pytest.mark.parametrize(("k", "count"), [(5, 20), (5, 6), (3, 1)])
def test_shuffled_has_the_number_and_size_but_no_entry_that_was_right(k, count):
    with encoding():
        right = told("experience", count, k=k).recall(HERE)
        wrong = told("shuffled", count, k=k).recall(HERE)
    assert [hit.score for hit in wrong] == [hit.score for hit in right]
    assert not {hit.text for hit in wrong} & {hit.text for hit in right}
    assert not any("Task: get wood\n" in hit.text for hit in wrong)
    assert all(abs(len(w.text) - len(r.text)) <= 3 for w, r in zip(wrong, right, strict=True))


def test_what_the_others_hand_out():
    with encoding():
        assert len({hit.text for hit in told("random").recall(HERE)}) == 5
        assert "place 3\n" in told("bm25").recall(HERE)[0].text
        assert told("bm25").recall(Cue("?", "!")) == []
        history = told("history").recall(HERE)
        assert len(history) == 20 and "place 19\n" in history[0].text
        (only,) = told("history", tokens=len(history[0].text) // 4 + 1).recall(HERE)
        assert only == history[0]
        right = told("oracle", k=6).recall(HERE)  # five successes from the latest on, then a failure
        assert [hit.text.split("\n")[0] for hit in right] == [
            f"State: place {n}" for n in (19, 17, 15, 13, 11, 9)
        ]
        assert told("oracle").recall(Cue("get clay", "place 3")) == []


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, "k") for name in ("experience", "shuffled", "random", "bm25", "oracle", "skills")]
    + [("history", "tokens")],
)
@pytest.mark.parametrize("number", [-1, 2.5, "5", None, float("inf")])
def test_how_many_is_a_whole_number(name, option, number):
    with pytest.raises(MnemocraftError, match=f"{option} must be a whole number from 0, not"):
        get_memory(name, **{option: number})


class Asked(Stand):
    """A stand-in that keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__("surrogate")
        self.requests: list[object] = []

    async def complete(self, messages, **options):
        self.requests.append(([dict(message) for message in messages], options))
        return await super().complete(messages, **options)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("task", ["textworld/stone_sword", "kitchen/sync/0"])
def test_an_agent_without_memory_asks_what_it_asks_while_nothing_is_remembered(agent, task):
    if lacking(get_agent(agent), make(task)):
        pytest.skip("the world lacks what the agent needs")
    if agent in ("mindstores", "m2pa"):
        pytest.skip("it asks more as soon as it has a memory; test_mindstores_agent and test_m2pa_agent")
    requests = []
    with encoding():
        for memory in (None, get_memory("none"), get_memory("experience", k=0)):
            model = Asked()
            play(get_agent(agent), make(task, seed=1, max_steps=6), model, memory)
            requests.append(model.requests)
    assert requests[0] and requests[0] == requests[1] == requests[2]
