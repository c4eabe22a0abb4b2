"""The key-value store, and what every memory promises whatever it is made of."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import Scripted, Stand, encoding, play
from mnemocraft.agents import get_agent
from mnemocraft.agents.rollout import Agent
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import MEMORIES, Cue, KeyedMemory, get_memory
from mnemocraft.worlds import make

keys = st.text(max_size=3)


@given(st.lists(st.tuples(st.text(max_size=3), st.lists(keys, max_size=3)), max_size=20))
def test_reads_exactly_what_was_written_under_a_key_once_and_in_order(writes):
    memory = KeyedMemory()
    for entry, under in writes:
        memory.write(entry, under)
    for key in {key for _, under in writes for key in under}:
        expected = list(dict.fromkeys(entry for entry, under in writes if key in under))
        assert memory.read(key) == expected
    assert len(memory) == len({key for _, under in writes for key in under})


def test_look_up_is_by_exact_string_and_gives_a_copy():
    memory = KeyedMemory()
    memory.write("entry", ["Red_Dye"])
    assert memory.read("red_dye") == []
    memory.read("Red_Dye").append("intruder")
    assert memory.read("Red_Dye") == ["entry"]


def test_a_single_string_is_one_key_not_its_letters():
    memory = KeyedMemory()
    memory.write("entry", "oak")
    assert (len(memory), memory.read("oak")) == (1, ["entry"])


# --- every memory behind the interface --------------------------------------------------------------------

GOALS, SCENES, QUERIES = ("soup", "sandwich"), ("s0", "s1", "s2", "s3"), ("", "soup", "bread", "unknown")
CUES = [Cue(*parts) for parts in product(GOALS, SCENES, QUERIES)]
steps = st.tuples(
    st.sampled_from(SCENES),
    st.sampled_from(["cut", "cook", "wait"]),
    st.none() | st.tuples(st.text(max_size=5), st.lists(st.sampled_from(QUERIES[1:]), max_size=2)),
)
episodes = st.tuples(st.sampled_from(GOALS), st.booleans(), st.lists(steps, max_size=5))


def lived(memory, goal, success, acted):
    """An episode in a memory; what it leaves, after a round trip through JSON."""
    for scene, action, learnt in acted:
        memory.recall(Cue(goal, scene))
        memory.observe(Cue(goal, scene), action)
        memory.experience(Cue(goal, scene, plan=action), "it went as it went", success)
        if learnt:
            memory.learn(*learnt)
    return json.loads(json.dumps(memory.commit(goal, success)))


def recalled(memory):
    return [memory.recall(cue) for cue in CUES]


@pytest.mark.parametrize("name", MEMORIES)
@settings(max_examples=15, deadline=None)
@given(past=st.lists(episodes, max_size=4), later=episodes)
def test_a_memory_that_is_restored_recalls_and_goes_on_like_the_original(name, past, later):
    with encoding():
        original, restored = get_memory(name), get_memory(name)
        deltas = [lived(original, *episode) for episode in past]
        restored.restore(deltas)
        assert recalled(restored) == recalled(original)
        assert len(restored) == len(original)
        assert lived(restored, *later) == lived(original, *later)
        assert recalled(restored) == recalled(original)


@pytest.mark.parametrize("name", MEMORIES)
@settings(max_examples=10, deadline=None)
@given(past=st.lists(episodes, max_size=3))
def test_to_recall_changes_nothing(name, past):
    with encoding():
        asked, unasked = get_memory(name), get_memory(name)
        for goal, success, acted in past:
            for scene, action, _ in acted:
                asked.observe(Cue(goal, scene), action)
                unasked.observe(Cue(goal, scene), action)
                assert recalled(asked) == recalled(asked)
            assert asked.commit(goal, success) == unasked.commit(goal, success)
        assert recalled(asked) == recalled(unasked)


def test_each_memory_keeps_what_it_is_for():
    """Otherwise the laws above would hold of nothing."""
    acted = [("s0", "cut", None), ("s1", "cook", ("a text", ["bread"]))]
    with encoding():
        found = {}
        for name in MEMORIES:
            memory = get_memory(name)
            lived(memory, "soup", True, acted)
            found[name] = {
                (cue.scene, cue.query): [(hit.text.splitlines()[0], hit.action) for hit in memory.recall(cue)]
                for cue in CUES
                if memory.recall(cue) and cue.goal == "sandwich"
            }
    assert found["none"] == found["loops"] == {}
    assert found["keyed"] == {(scene, "bread"): [("a text", "")] for scene in SCENES}
    there = {"s0": [("Goal then: soup", "cut")], "s1": [("Goal then: soup", "cook")]}
    assert found["trace"] == {(scene, query): there[scene] for scene in there for query in QUERIES}


def test_only_successes_leave_a_trace_and_a_failure_leaves_none_behind():
    with encoding():
        memory = get_memory("trace")
        assert lived(memory, "soup", False, [("s0", "cut", None)]) is None
        delta = lived(memory, "soup", True, [("s1", "cook", None)])
        assert (delta["goal"], delta["actions"], len(memory)) == ("soup", ["cook"], 1)
        assert [hit.action for hit in memory.recall(Cue("soup", "s1"))] == ["cook"]
        assert memory.recall(Cue("soup", "s0")) == []
        assert memory.commit("soup", True) is None, "an episode without an action"


def test_traces_of_another_encoder_are_refused_in_one_sentence():
    with encoding():
        of_text, of_kitchens = get_memory("trace"), get_memory("trace", encoder="scene_graph")
        theirs = lived(of_text, "soup", True, [("s0", "cut", None)])
        own = lived(of_kitchens, "soup", True, [("s1", "cook", None)])
        assert (theirs["encoder"], own["encoder"]) == ("minilm", "scene_graph")
        for memory, delta in ((of_kitchens, theirs), (of_text, own)):
            before = recalled(memory)
            with pytest.raises(MnemocraftError, match="states of the encoder") as refused:
                memory.restore([None, delta])
            assert "\n" not in str(refused.value) and str(refused.value).endswith(".")
            assert recalled(memory) == before
        fresh = get_memory("trace")
        with pytest.raises(MnemocraftError, match="cannot take those of 'minilm'"):
            fresh.restore([own, theirs])


def test_loops_are_those_of_one_episode():
    memory, here = get_memory("loops"), Cue("soup", "s0")
    with encoding():
        assert memory.recall(here) == []
        memory.observe(here, "go")
        memory.observe(Cue("soup", "s1"), "come back")
        (hit,) = memory.recall(here)
        assert hit.text == "You have been in this state before. Since then: go; come back"
        assert memory.recall(Cue("soup", "s2")) == [] and len(memory) == 2
        assert memory.commit("soup", True) is None
        assert (memory.recall(here), len(memory)) == ([], 0)
        memory.observe(here, "cut")
        (hit,) = memory.recall(here)
        assert hit.text.endswith("Since then: cut"), "nothing of the episode before"


def test_where_a_scene_is_too_far_away_nothing_is_found():
    def embed(scene):
        return np.array([float(scene), 0.0], np.float32)

    with encoding(embed):
        memory = get_memory("trace", tau=0.5)
        lived(memory, "soup", True, [("0", "cut", None), ("1", "cook", None)])
        assert [hit.action for hit in memory.recall(Cue("", "0.4"))] == ["cut"]
        assert memory.recall(Cue("", "1.5")) == [] == memory.recall(Cue("", "0.5"))
        (hit,) = memory.recall(Cue("", "0.75"))
        assert (hit.action, hit.score, hit.source) == ("cook", -0.25, "trace")


@pytest.mark.parametrize("name", MEMORIES)
def test_a_memory_goes_with_an_agent_that_is_not_its_own(name):
    """ReAct solves a kitchen twice; what the memory has of the first time is in the second prompt."""
    world = make("kitchen/sync/0", seed=42)
    lines = [line.partition(". ")[2] for line in world.how_to("", "", "executable").splitlines()[1:]]
    memory = get_memory(name)
    with encoding():
        first, second = (
            play(
                get_agent("react"),
                make("kitchen/sync/0", seed=42),
                Scripted([f"Action: {line}" for line in lines]),
                memory,
            )
            for _ in range(2)
        )
    assert first.success and second.success
    shown = [event["hits"][0]["source"] for event in second.trajectory if event["type"] == "recall"]
    # That of another dish is handed out by trace_shuffled, which knows this one alone.
    assert set(shown) == (set() if name in ("none", "loops", "trace_shuffled") else {name})
    assert len(shown) == (len(lines) if shown else 0)


def test_unknown_memories_and_options_are_named():
    with pytest.raises(
        MnemocraftError, match=r"no memory 'dream'; it is one of none, keyed, trace, trace_shuffled, "
    ):
        get_memory("dream")
    with pytest.raises(MnemocraftError, match="'trace' has no option 'size'; it has tau, encoder"):
        get_memory("trace", size=3)
    with pytest.raises(MnemocraftError, match="'none' has no option 'tau'; it has none"):
        get_memory("none", tau=1)


def test_a_memory_of_scenes_takes_no_scenes_of_another_encoder():
    kept = get_memory("loops")
    kept.encoder = "scene_graph"  # as a kitchen's first scene makes it
    with pytest.raises(MnemocraftError, match="'scene_graph', and this world's is 'minilm'"):
        kept.observe(Cue("goal", "Inventory: nothing", encoder="minilm"), "mine 1 log")


@pytest.mark.parametrize("name", ["trace", "experience", "keyed"])
def test_what_an_exception_ends_is_not_reported_as_the_next_episode_s(name):
    """Ctrl-C, or a miss of a recording: what was noted on the way belongs to no episode."""
    memory, model = get_memory(name), Stand("surrogate:knowledge=1,attention=1,slip=0")

    async def broken(rollout):
        start = rollout.cue()
        rollout.recall()
        rollout.act(rollout.world.env.valid_actions()[0])
        rollout.memory.learn("a ring was moved", ["ring"])
        rollout.experience(start, "move the ring", "Failure.", False)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(Agent("broken", "broken", broken), make("tabletop/hanoi"), model, memory)
    delta = play(get_agent("react"), make("tabletop/bowls"), model, memory).memory_delta
    assert delta and "ring" not in json.dumps(delta), "a thing of the first episode"


def test_a_plan_that_is_too_long_to_keep_is_cut():
    async def endless(rollout):
        rollout.cue()
        rollout.recall()
        rollout.actions.extend(["x" * 1000] * 200)

    memory = get_memory("experience")
    episode = play(Agent("endless", "endless", endless), make("tabletop/bowls"), Stand("surrogate"), memory)
    assert episode.reason == "agent_stopped" and episode.memory_delta
