"""The surrogate in households: what it takes tasks to mean, how it searches, and how far it gets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from mnemocraft.agents import get_agent, play
from mnemocraft.llm import get_model
from mnemocraft.memory import get_memory
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.household.beliefs import Beliefs, Wanted, wanted
from mnemocraft.worlds import make

GOLDEN = Path(__file__).parents[2] / "shared" / "alfworld" / "golden.jsonl"
PERFECT = "surrogate:knowledge=1,attention=1,slip=0"
KINDS = (
    "pick_and_place_simple", "pick_clean_then_place_in_recep", "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep", "look_at_obj_in_light", "pick_two_obj_and_place",
)  # fmt: skip


@pytest.mark.parametrize(
    ("task", "meant"),
    [
        ("put a mug in desk", Wanted("mug", "desk")),
        ("put some soapbottle on garbagecan", Wanted("soapbottle", "garbagecan")),
        ("put a clean soapbar in bathtubbasin", Wanted("soapbar", "bathtubbasin", "clean")),
        ("clean some tomato and put it in fridge", Wanted("tomato", "fridge", "clean")),
        ("put a hot apple in fridge", Wanted("apple", "fridge", "hot")),
        ("heat some cup and put it in cabinet", Wanted("cup", "cabinet", "hot")),
        ("cool some pan and put it in countertop", Wanted("pan", "countertop", "cool")),
        ("look at mug under the desklamp", Wanted("mug", "desklamp", lamp=True)),
        ("examine the pencil with the desklamp", Wanted("pencil", "desklamp", lamp=True)),
        ("put two pillow in sofa", Wanted("pillow", "sofa", count=2)),
        ("find two cup and put them in cabinet", Wanted("cup", "cabinet", count=2)),
        ("write a poem", None),
    ],
)
def test_what_a_task_means(task: str, meant: Wanted | None) -> None:
    assert wanted(task) == meant


@pytest.mark.skipif(not GOLDEN.is_file(), reason="the recorded games are not here")
def test_the_tasks_of_real_games_mean_what_their_files_say() -> None:
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        game = json.loads(line)
        meant = wanted(game["task"])
        assert meant is not None
        assert (meant.thing, meant.target) == (game["object"].lower(), game["receptacle"].lower())
        assert meant.lamp == game["task_type"].startswith("look")
        assert (meant.count == 2) == game["task_type"].startswith("pick_two")
        how = {"clean": "clean", "heat": "hot", "cool": "cool"}
        assert meant.state == how.get(game["task_type"].split("_")[1], "")


def _mind(knowledge: float) -> Beliefs:
    return Beliefs(Competence(knowledge, 1.0, 0.0, 0), "put a mug in desk", "now")


def test_who_knows_the_house_looks_into_likely_and_open_places_first() -> None:
    places = ["safe 1", "cabinet 1", "bed 1", "countertop 1"]
    assert _mind(1.0).search("mug", places)[0] == "countertop 1"
    assert _mind(1.0).search("pillow", places)[0] == "bed 1"
    assert sorted(_mind(0.0).search("mug", places)) == sorted(places), "nobody leaves a place out"


def test_who_knows_nothing_heats_at_the_wrong_place() -> None:
    assert _mind(1.0).tool("hot") == "microwave" and _mind(0.0).tool("hot") == "stoveburner"


def _play(
    agent: str, kind: str, model: str = PERFECT, memory: str = "none", number: int = 0, **options: bool
):
    pytest.importorskip("textworld", reason="households need ALFWorld's engine (extra `alfworld`)")
    world = make(f"household/generated/{kind}/{number}", **options)
    return asyncio.run(play(get_agent(agent), world, get_memory(memory), get_model(model), seed=0))


@pytest.mark.parametrize("kind", KINDS)
def test_perfect_knowledge_wins_every_type_step_by_step(kind: str) -> None:
    assert _play("react", kind).success


@pytest.mark.parametrize("agent", ["recap", "inner_monologue", "dep", "zero_shot_rp"])
def test_perfect_knowledge_wins_in_every_format_that_can_express_it(agent: str) -> None:
    assert _play(agent, "pick_clean_then_place_in_recep").success


def test_a_plan_made_once_cannot_know_where_things_are() -> None:
    played = [_play("zero_shot", kind) for kind in KINDS[:4]]
    assert not all(episode.success for episode in played)
    assert {episode.reason for episode in played} <= {"success", "goal_failed", "plan_ended"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("agent", ["dep", "react"])
def test_perfect_knowledge_wins_in_sub_goals(agent: str, kind: str) -> None:
    assert _play(agent, kind, sub_goals=True).success


def test_partial_knowledge_gives_partial_success() -> None:
    model = "surrogate:knowledge=0,attention=0,slip=0.1"
    assert not all(_play("react", kind, model).success for kind in KINDS)


def test_gpt_with_replanning_is_told_the_scene_but_no_reason() -> None:
    episode = _play("zero_shot_rp", "pick_heat_then_place_in_recep")
    roles = {event["role"] for event in episode.trajectory if event["type"] == "call"}
    notes = {event["name"] for event in episode.trajectory if event["type"] == "note"}
    assert roles == {"planner"} and not notes & {"description", "explanation"}
    assert episode.metrics["rounds"] > 0
