"""M2PA's episodic memory: capacity, replacement, consolidation, recency, restoring, and its refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.encoders import get_image_encoder
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import Cue, EpisodicMemory, get_memory
from mnemocraft.memory.episodic import WEIGHTS

GOALS = ("obtain 1 stick", "obtain 1 torch", "obtain 1 bowl")


class Letters:
    """Texts are alike as far as their bags of letters are."""

    name = "minilm"

    def encode(self, texts):
        bags = np.array([[text.count(chr(97 + i)) + 0.01 for i in range(26)] for text in texts], np.float32)
        return bags / np.linalg.norm(bags, axis=1, keepdims=True)


@pytest.fixture(autouse=True, scope="module")
def letters() -> Iterator[None]:
    with patch("mnemocraft.memory.episodic.get_encoder", lambda name: Letters()):
        yield


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


inventories = st.dictionaries(st.sampled_from(["log", "planks", "stick"]), st.integers(1, 9), max_size=3)
pictures = st.none() | st.sampled_from([unit(1, 0), unit(1, 1), unit(0, 1)])
entries = st.tuples(
    st.sampled_from(GOALS),
    st.sampled_from(["", "kitchen", "table"]),
    st.text("ab", min_size=1, max_size=3),
    inventories,
    st.sampled_from(["", "plains", "desert"]),
    pictures,
)
many = st.lists(entries, max_size=25)
shares = st.sampled_from([0.0, 0.3, 0.7, 1.0])
rules = st.fixed_dictionaries(
    {
        "alpha": shares,
        "threshold": st.sampled_from([0.05, 0.3, 2.0]),
        "capacity": st.integers(1, 12),
        "merge_threshold": st.sampled_from([0.5, 0.9, 0.98, 1.0]),
        "per_task": st.integers(1, 5),
        "period": st.integers(1, 7),
    }
)


def filled(found, **options) -> EpisodicMemory:
    memory = EpisodicMemory(**options)
    for entry in found:
        memory.add(*entry)
    return memory


# --- properties -----------------------------------------------------------------------------------------


@given(many, rules)
def test_capacity_is_never_exceeded_and_the_newest_is_always_there(found, options):
    memory = EpisodicMemory(**options)
    for count, entry in enumerate(found, 1):
        added = memory.add(*entry)
        assert 1 <= len(memory) <= memory.capacity and added.time == count
        assert memory.memories[-1] is added, "a memory is never merged into an older one"
        times = [each.time for each in memory.memories]
        assert times == sorted(set(times))


@given(many, rules)
def test_no_two_memories_of_a_goal_are_more_similar_than_theta(found, options):
    memory = filled(found, **options)
    for one, other in combinations(memory.memories, 2):
        if one.situation.goal == other.situation.goal:
            assert 1 - memory.distance(one.situation, other.situation) <= memory.merge_threshold


@given(many, rules)
def test_after_a_consolidation_no_goal_has_more_than_delta_and_the_latest_of_each_is_kept(found, options):
    memory = filled(found, **options)
    latest = {each.situation.goal: each for each in memory.memories}
    memory.consolidate()
    goals = [each.situation.goal for each in memory.memories]
    assert all(goals.count(goal) <= memory.per_task for goal in goals)
    assert set(goals) == set(latest), "consolidation forgets no goal"
    if memory.per_task >= 3:  # of so few the latest may be merged with nobody later
        assert all(any(each is last for each in memory.memories) for last in latest.values())


@given(many, rules, entries, st.integers(1, 5))
def test_hits_are_the_nearest_below_the_threshold_and_the_most_recent_comes_first(found, options, asked, k):
    memory = filled(found, **options)
    goal, scene, _, inventory, biome, image = asked
    hits = memory.retrieve(goal, scene, inventory, biome, image, k)
    here = memory.situation(goal, scene, inventory, biome, image)
    distances = sorted(memory.distance(here, each.situation) for each in memory.memories)
    near = [distance for distance in distances if distance < memory.threshold][:k]
    assert sorted(hit.distance for hit in hits) == near
    times = [hit.memory.time for hit in hits]
    assert times == sorted(times, reverse=True)


@given(entries, entries, shares)
def test_distance_is_symmetric_none_from_itself_and_the_fused_cosine(one, other, alpha):
    memory = EpisodicMemory(alpha)
    a, b = (
        memory.situation(goal, scene, held, biome, image)
        for goal, scene, _, held, biome, image in (one, other)
    )
    assert memory.distance(a, b) == memory.distance(b, a)
    assert memory.distance(a, a) == pytest.approx(0, abs=1e-5)
    if a.image is not None and b.image is not None:
        plain = EpisodicMemory(1.0)
        fused = alpha * (1 - plain.distance(a, b)) + (1 - alpha) * float(a.image @ b.image)
        assert memory.distance(a, b) == pytest.approx(1 - fused, abs=1e-5)
    else:
        assert memory.distance(a, b) == EpisodicMemory(1.0).distance(a, b), "without a picture alpha is 1"


@settings(max_examples=40)
@given(many, rules, st.lists(st.booleans(), min_size=25, max_size=25), st.integers(0, 25))
def test_a_memory_restored_from_deltas_is_the_original(found, options, over, cut):
    original = get_memory("episodic", **options)
    deltas = []
    for (goal, scene, plan, held, biome, image), ends in zip(found, over, strict=False):
        cue = Cue(goal, scene, plan=plan, inventory=held, biome=biome, image=image)
        original.experience(cue, "Success.", True)
        if ends:
            deltas.append(original.commit(goal, True))
    deltas.append(original.commit("last", False))
    kept = json.loads(json.dumps(deltas))
    restored = get_memory("episodic", **options)
    restored.restore(kept[:cut])
    restored.restore(kept[cut:])
    assert restored.store.memories == original.store.memories
    for mine, theirs in zip(restored.store.memories, original.store.memories, strict=True):
        one, other = mine.situation.image, theirs.situation.image
        assert (one is None) == (other is None) and (one is None or np.array_equal(one, other))
    for goal in GOALS:
        assert restored.recall(Cue(goal, "")) == original.recall(Cue(goal, ""))
    again = Cue("obtain 1 bed", "", plan="craft 1 bed")
    for memory in (restored, original):
        memory.experience(again, "Success.", True)
    assert restored.store.memories == original.store.memories, "they go on alike"


# --- by hand ----------------------------------------------------------------------------------------------


def test_a_near_duplicate_is_replaced_and_another_goal_is_not():
    memory = EpisodicMemory(1.0)
    memory.add("obtain 1 stick", plan="old", inventory={"planks": 2})
    memory.add("obtain 1 bowl", plan="other", inventory={"planks": 2})
    memory.add("obtain 1 stick", plan="new", inventory={"planks": 2})
    assert [each.plan for each in memory.memories] == ["other", "new"]
    memory.add("obtain 1 stick", plan="elsewhere", inventory={"coal": 9})
    assert [each.plan for each in memory.memories] == ["other", "new", "elsewhere"]


def test_recency_goes_before_similarity_among_hits_only():
    memory = EpisodicMemory(1.0, threshold=0.2, merge_threshold=1.0)
    memory.add("obtain 1 stick", plan="same", inventory={"planks": 4})
    memory.add("obtain 1 stick", plan="alike", inventory={"planks": 4, "log": 1})
    memory.add("obtain 1 bowl", plan="far", inventory={"planks": 4})
    hits = memory.retrieve("obtain 1 stick", inventory={"planks": 4})
    assert [hit.memory.plan for hit in hits] == ["alike", "same"]
    assert hits[0].distance > hits[1].distance == pytest.approx(0, abs=1e-6)
    (nearest,) = memory.retrieve("obtain 1 stick", inventory={"planks": 4}, k=1)
    assert nearest.memory.plan == "same", "equation 2 chooses k before recency sorts them"


@pytest.mark.parametrize("last_digits", [-3e-7, -6e-8, 0, 6e-8, 3e-7])
def test_a_distance_of_exactly_the_threshold_is_no_hit_on_any_processor(last_digits):
    class Processor(Letters):
        def encode(self, texts):
            return super().encode(texts) * np.float32(1 + last_digits)

    memory = EpisodicMemory(1.0, threshold=WEIGHTS["biome"])
    memory.add("obtain 1 stick", plan="p", inventory={"planks": 2}, biome="plains")
    with patch("mnemocraft.memory.episodic.get_encoder", lambda name: Processor()):
        assert memory.retrieve("obtain 1 stick", inventory={"planks": 2}, biome="desert") == []
        assert memory.retrieve("obtain 1 stick", inventory={"planks": 2}, biome="plains")


def test_the_three_most_similar_become_their_most_recent():
    memory = EpisodicMemory(1.0, per_task=2, period=4, merge_threshold=1.0)
    memory.add("obtain 1 bowl", plan="bowl")
    for plan, held in (("a", {"log": 1}), ("far", {"coal": 1}), ("b", {"log": 1, "stick": 1})):
        memory.add("obtain 1 stick", plan=plan, inventory=held)
    assert [each.plan for each in memory.memories] == ["bowl", "b"], "the fourth addition consolidated"
    memory = EpisodicMemory(1.0, per_task=3, period=5, merge_threshold=1.0)
    memory.add("obtain 1 stick", plan="far", inventory={"coal": 1})
    for plan, units in (("a", 1), ("b", 2), ("c", 3)):
        memory.add("obtain 1 stick", plan=plan, inventory={"log": 9, "stick": units})
    memory.add("obtain 1 stick", plan="farther", inventory={"wool": 1})
    assert [each.plan for each in memory.memories] == ["far", "c", "farther"]


def test_a_full_memory_merges_the_goal_it_knows_best_and_else_forgets_the_oldest():
    memory = EpisodicMemory(1.0, capacity=3)
    for goal, item in (("obtain 1 stick", "log"), ("obtain 1 stick", "coal"), ("obtain 1 bowl", "log")):
        memory.add(goal, plan=item, inventory={item: 1})
    memory.add("obtain 1 torch", plan="torch")
    assert [each.plan for each in memory.memories] == ["coal", "log", "torch"]
    memory.add("obtain 1 bed", plan="bed")
    assert [each.plan for each in memory.memories] == ["log", "torch", "bed"]


def test_alpha_says_whether_the_words_or_the_picture_count():
    plains, desert = unit(1, 0.1), unit(0.1, 1)
    for alpha, plan in ((0.0, "in the desert"), (1.0, "the same goal")):
        memory = EpisodicMemory(alpha, threshold=0.05)
        memory.add("obtain 1 stick", plan="the same goal", image=plains)
        memory.add("zzz", plan="in the desert", image=desert)
        (hit,) = memory.retrieve("obtain 1 stick", image=desert)
        assert hit.memory.plan == plan


def test_only_what_worked_is_kept_and_told():
    memory = get_memory("episodic")
    cue = Cue(
        "obtain 1 bowl", "Inventory: 3 planks", plan="craft 1 bowl", inventory={"planks": 3}, biome="plains"
    )
    memory.experience(cue, "Failure (death).", False)
    memory.experience(Cue("obtain 1 bowl", "", plan=" "), "Success.", True)
    assert (len(memory), memory.commit("obtain 1 bowl", False)) == (0, None)
    memory.experience(cue, "Success.", True)
    (hit,) = memory.recall(cue)
    assert (hit.source, hit.score) == ("episodic", pytest.approx(0, abs=1e-6))
    assert hit.text == "Goal then: obtain 1 bowl\nHeld then in plains: 3 planks\nPlan then: craft 1 bowl"
    sub_goal = Cue("obtain 1 bed", "", query="obtain 1 bowl", inventory={"planks": 3}, biome="plains")
    assert memory.recall(sub_goal) == [hit], "a query goes before the goal"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"alpha": 1.5}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"threshold": 0}, "threshold"),
        ({"capacity": 0}, "capacity"),
        ({"capacity": 1.5}, "capacity"),
        ({"merge_threshold": -1}, "merge_threshold"),
        ({"per_task": 0}, "per_task"),
        ({"period": 0}, "period"),
        ({"alpha": "x"}, "alpha"),
        ({"threshold": None}, "threshold"),
        ({"capacity": None}, "capacity"),
        ({"capacity": float("inf")}, "capacity"),
    ],
)
def test_numbers_out_of_bounds_are_named_in_one_sentence(options, named):
    with pytest.raises(MnemocraftError, match=f"^{named} must be") as refused:
        get_memory("episodic", **options)
    assert str(refused.value).endswith(".") and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["goal", "scene", "plan"])
def test_a_megabyte_of_text_is_refused_and_nothing_is_lost(name):
    memory = EpisodicMemory()
    memory.add("obtain 1 bowl", plan="craft 1 bowl")
    texts = {"goal": "obtain 1 log", "plan": "mine 1 log"} | {name: "x" * 10**6}
    with pytest.raises(MnemocraftError, match=f"^The {name} of a memory has 1,000,000 characters"):
        memory.add(**texts)
    assert [each.situation.goal for each in memory.memories] == ["obtain 1 bowl"]


def test_a_memory_without_a_goal_or_a_plan_is_refused():
    memory = EpisodicMemory()
    for goal, plan in (("", "craft 1 bowl"), ("obtain 1 bowl", " ")):
        with pytest.raises(MnemocraftError, match="needs a goal and a plan"):
            memory.add(goal, plan=plan)
    assert (len(memory), memory.time) == (0, 0)


def test_pictures_of_another_encoder_are_refused_and_nothing_is_lost():
    theirs = get_memory("episodic", images="mean_colour")
    theirs.experience(Cue("g", "", plan="p", image=np.full((4, 4, 3), 9, np.uint8)), "Success.", True)
    delta = theirs.commit("g", True)
    mine = get_memory("episodic")
    with pytest.raises(MnemocraftError, match="'controller', and cannot take those of 'mean_colour'"):
        mine.restore([None, delta])
    assert len(mine) == 0


# --- encoders of pictures ---------------------------------------------------------------------------------


def test_the_controllers_sight_tells_views_apart_where_the_mean_colour_does_not():
    pytest.importorskip("torch", reason="the controller's features need torch (extra `graph`)")
    random = np.random.default_rng(0)
    noise = random.integers(0, 256, (64, 64, 3), dtype=np.uint8)
    halves = np.zeros((64, 64, 3), np.uint8)
    halves[:32] = 255
    apart = {}
    for name in ("controller", "mean_colour"):
        encoder = get_image_encoder(name)
        vectors = encoder.encode([noise, halves])
        assert encoder.name == name and vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
        assert np.array_equal(encoder.encode([halves])[0], vectors[1]), "by itself as beside others"
        apart[name] = 1 - float(vectors[0] @ vectors[1])
    assert apart["controller"] > 0.05 > apart["mean_colour"]


def test_clip_wants_weights_and_unknown_encoders_are_named():
    with pytest.raises(MnemocraftError, match="CLIP needs weights"):
        get_image_encoder("clip")
    with pytest.raises(
        MnemocraftError, match=r"no encoder of pictures 'eyes'; it is one of controller, mean"
    ):
        get_image_encoder("eyes")


def test_features_of_a_picture_count_by_their_direction_and_must_be_of_one_size():
    memory = get_memory("episodic").store
    memory.add("obtain 1 stick", plan="p", image=[3.0, 4.0])
    scaled, same = (memory.distance(memory.situation("x", image=each), memory.memories[0].situation)
                    for each in ([30.0, 40.0], [0.6, 0.8]))  # fmt: skip
    assert scaled == pytest.approx(same, abs=1e-6) and scaled > memory.threshold
    for wrong, named in (([1.0, 0.0, 0.0], "2 numbers"), ([0.0, 0.0], "not all 0")):
        with pytest.raises(MnemocraftError, match=named):
            memory.retrieve("obtain 1 stick", image=wrong)
