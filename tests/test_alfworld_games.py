"""Household games: which files may be loaded, and our own ones, which can be won and never change."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.envs import AlfworldEnv
from mnemocraft.envs.alfworld import (
    TYPES,
    games,
    generate,
    generated_path,
    generator,
    known_games,
    read_game,
    valid_unseen_path,
)
from mnemocraft.errors import MissingExtra, MnemocraftError

COUNTS = dict(zip(TYPES, (24, 18, 31, 23, 21, 17), strict=True))
"""Games of each type in ``valid_unseen``, as ALFWorld publishes them."""


@pytest.fixture(autouse=True)
def _written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))


def needs_engine() -> None:
    pytest.importorskip("fast_downward", reason="the household needs ALFWorld (./run_all.sh alfworld)")


def facts(problem: str, name: str) -> list[tuple[str, ...]]:
    """The initial facts of a name, read by regular expression."""
    initial = problem.partition("(:init")[2].partition("(:goal")[0]
    return [tuple(found.split()) for found in re.findall(rf"\({name} ([^()]*)\)", initial)]


# --- which files --------------------------------------------------------------------------------------------


def test_the_known_games_are_the_134_of_the_split_and_ours() -> None:
    known = known_games()
    assert {
        kind: sum(name.startswith(f"{kind}-") for name in known["valid_unseen"]) for kind in TYPES
    } == COUNTS
    assert {kind: sum(name.startswith(f"{kind}/") for name in known["generated"]) for kind in TYPES} == (
        dict.fromkeys(TYPES, 20)
    )
    every = [sha256 for table in known.values() for sha256 in table.values()]
    assert len(set(every)) == len(every) == 254 and all(re.fullmatch("[0-9a-f]{64}", each) for each in every)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"pddl_domain": "", "grammar": "", "pddl_problem": ""}', "none of the 254 known ones"),
        (b"not JSON", "is no game"),
        (b'{"pddl_domain": "", "grammar": ""}', "is no game"),
        (b'{"pddl_domain": "", "grammar": "", "pddl_problem": 3}', "is no game"),
        (b"[" * 100_000, "is no game"),
        (b"[]", "is no game"),
    ],
)
def test_a_file_that_is_unknown_or_no_game_is_refused(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tw-pddl"
    path.write_bytes(content)
    with pytest.raises(MnemocraftError, match=sentence) as refused:
        read_game(path, trusted="known" not in sentence)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


def test_what_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    name = next(iter(known_games()["valid_unseen"]))
    for call, sentence in (
        (lambda: read_game(tmp_path / "none"), "cannot be read"),
        (lambda: valid_unseen_path(name), f"not in {tmp_path}: run `alfworld-download`"),
        (lambda: valid_unseen_path("../../etc"), "no game '../../etc' in valid_unseen"),
        (
            lambda: generated_path("pick_two_obj_and_place/20"),
            "pick_two_obj_and_place/20.* <type>/0 to <type>/19",
        ),
        (lambda: generate("dance", 0), "no type of household task 'dance'"),
        (lambda: generate(next(iter(TYPES)), -1), "seed must be a whole number from 0"),
        (lambda: generate(next(iter(TYPES)), 0, 0), "size must be a whole number from 1"),
    ):
        with pytest.raises(MnemocraftError, match=sentence):
            call()


def test_the_answer_in_a_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tw-pddl"
    path.write_text(json.dumps(dict.fromkeys(games.PARTS, "x") | {"walkthrough": ["take the SECRET"]}))
    assert "SECRET" not in repr(read_game(path, trusted=True))


def test_without_the_package_no_game_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "find_spec", lambda name: None)
    generator._rules.cache_clear()
    with pytest.raises(
        MissingExtra, match=r"takes alfworld, which is not installed: run `\./run_all\.sh alfworld`"
    ):
        generate(next(iter(TYPES)), 0)


# --- our own ------------------------------------------------------------------------------------------------


def test_our_games_are_the_listed_ones_to_the_byte() -> None:
    needs_engine()
    for name, sha256 in known_games()["generated"].items():
        kind, _, seed = name.partition("/")
        assert hashlib.sha256(generate(kind, int(seed)).encode()).hexdigest() == sha256


def test_a_game_is_written_once_and_mended_if_somebody_changed_it() -> None:
    needs_engine()
    path = generated_path("pick_and_place_simple/0")
    written = path.read_bytes(), path.stat().st_mtime_ns
    assert generated_path("pick_and_place_simple/0") == path
    assert (path.read_bytes(), path.stat().st_mtime_ns) == written
    path.write_text("import this")
    assert generated_path("pick_and_place_simple/0").read_bytes() == written[0]
    assert [each.name for each in path.parent.iterdir()] == ["0.tw-pddl"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(TYPES)), st.integers(0, 2**63 - 1), st.integers(1, 3))
def test_a_game_of_any_seed_has_its_things_where_they_may_be_and_is_not_done_yet(
    kind: str, seed: int, size: int
) -> None:
    needs_engine()
    text = generate(kind, seed, size)
    game = json.loads(text)
    problem, goal = game["pddl_problem"], game["pddl_problem"].partition("(:goal")[2]
    assert game["walkthrough"] is None and generate(kind, seed, size) == text
    kinds = dict(facts(problem, "objectType"))
    places = dict(facts(problem, "inReceptacle"))
    receptacles = dict(facts(problem, "receptacleType"))
    assert 6 * size <= len(receptacles) <= 9 * size and kinds.keys() == places.keys()
    assert 6 * size + 1 <= len(kinds) <= 10 * size + 2
    single = Counter(receptacles.values())
    assert all(single[f"{each}Type"] <= 1 for each in ("Fridge", "Microwave", "SinkBasin", "Bed", "Sofa"))
    assert set(places.values()) <= receptacles.keys()
    at = dict(facts(problem, "receptacleAtLocation"))
    assert len(set(at.values())) == len(at) and facts(problem, "atLocation") == [("agent1", "loc_start")]
    assert all(at[places[each]] == place for each, place in facts(problem, "objectAtLocation"))
    contained = set(facts(problem, "canContain"))
    lamps = {each for (each,) in facts(problem, "toggleable")}
    assert all((receptacles[places[each]], kinds[each]) in contained for each in kinds.keys() - lamps)
    asked = re.findall(r"\(objectType \?\w+ (\w+)\)", goal)
    assert all(kinds_of in kinds.values() for kinds_of in asked)
    for target in re.findall(r"\(receptacleType \?r (\w+)\)", goal):
        assert target in receptacles.values() and (target, asked[0]) in contained
        assert not any(kinds[each] == asked[0] and receptacles[places[each]] == target for each in kinds)
    assert not facts(problem, "(?:isClean|isHot|isCool|isToggled|holds)")
    task = game["grammar"].partition("Your task is to: ")[2].partition('."')[0]
    assert all(name.removesuffix("Type").lower() in task for name in asked)
    assert not set(task) & set(';|"<>[]#{}\\')


def test_a_game_of_each_type_is_won_by_the_plan_of_the_engines_planner(tmp_path: Path) -> None:
    needs_engine()
    paths = [generated_path(f"{kind}/{number}") for number, kind in enumerate(TYPES)]
    large = tmp_path / "large.tw-pddl"
    large.write_text(generate("pick_clean_then_place_in_recep", 0, 3))
    paths.append(large)
    script = Path(__file__).with_name("alfworld_plans.py")
    done = subprocess.run(
        [sys.executable, "-P", str(script), *map(str, paths)],
        capture_output=True,
        text=True,
        env={**os.environ, "ALFWORLD_DATA": os.environ["MNEMOCRAFT_OUTPUT_ROOT"]},
    )
    assert done.returncode == 0, done.stderr
    plans = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(plans) == len(paths)
    for path, plan in zip(paths, plans, strict=True):
        env = AlfworldEnv(path, trusted=path == large)
        infos = [env.step(command)[4] for command in plan]
        assert [info["success"] for info in infos] == [False] * (len(plan) - 1) + [True], (path, plan)
