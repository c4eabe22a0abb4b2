"""Identities: stable over refactors, different for everything that changes an outcome."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Budget
from mnemocraft.runs import Condition, ModelSpec, Stream, Study, identity
from mnemocraft.runs.identity import identify
from runs_toy import InstantSpec, start, toy_study

STREAM = Stream(
    Condition("how2/executable/low", {"setup": "how2", "max_steps": 30}), 7, ("VAL0000", "VAL0001")
)
STUDY = Study("01_golden", (STREAM,), start, {"prompts": "abc"})


def test_golden_identity() -> None:
    """A change here throws away every result that anyone has kept: raise ``SCHEME`` if it is meant."""
    named = identify(STUDY, STREAM, ModelSpec("gpt-x", options={"tool_format": "json"}))
    assert named.config == "c466987739b92c9830b4f6d45d2e167190390649da2e80dd10e419508c984f5a"
    assert named.stem == "how2__executable__low--s7--2d8658f0c651"
    assert named.episodes[1] == "1d5735ce373526425cd74d821e5b89fc2795a7eaaca897116f1e03adcadc3abd"


@pytest.mark.parametrize(
    ("study", "stream", "spec"),
    [
        (replace(STUDY, name="02"), STREAM, ModelSpec("m")),
        (replace(STUDY, fingerprint={"prompts": "abd"}), STREAM, ModelSpec("m")),
        (replace(STUDY, time_limit=9.0), STREAM, ModelSpec("m")),
        (STUDY, replace(STREAM, seed=8), ModelSpec("m")),
        (
            STUDY,
            replace(STREAM, condition=Condition("c", {"setup": "how2", "max_steps": 31})),
            ModelSpec("m"),
        ),
        (STUDY, STREAM, ModelSpec("n")),
        (STUDY, STREAM, ModelSpec("m", options={"reasoning": "low"})),
    ],
)
def test_what_changes_outcomes_changes_every_episode(study: Study, stream: Stream, spec: ModelSpec) -> None:
    usual, other = identify(STUDY, STREAM, ModelSpec("m")), identify(study, stream, spec)
    assert not set(usual.episodes) & set(other.episodes)
    assert usual.stem != other.stem


def test_transport_changes_nothing() -> None:
    spec = ModelSpec(
        "m",
        cache=Path("c"),
        base_url="http://x",
        max_concurrency=1,
        max_retries=0,
        budget=Budget(3),
        options={"timeout": 9, "threads": 1},
    )
    assert identify(STUDY, STREAM, spec) == identify(STUDY, STREAM, ModelSpec("m"))


def test_scheme_version_changes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identify(STUDY, STREAM, ModelSpec("m"))
    monkeypatch.setattr(identity, "SCHEME", identity.SCHEME + 1)
    assert identify(STUDY, STREAM, ModelSpec("m")).root != before.root


@given(st.lists(st.text(max_size=3), max_size=8), st.lists(st.text(max_size=3), max_size=8))
def test_episodes_are_shared_exactly_as_far_as_the_tasks(one: list[str], two: list[str]) -> None:
    chains = [identify(STUDY, replace(STREAM, tasks=tuple(t)), ModelSpec("m")).episodes for t in (one, two)]
    same_tasks = next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )
    same_names = next(
        (i for i, (a, b) in enumerate(zip(*chains, strict=False)) if a != b), min(len(one), len(two))
    )
    assert same_names == same_tasks


@pytest.mark.parametrize("name", ["", "a b", "../x;", "a\nb"])
def test_unsafe_condition_ids_are_refused(name: str) -> None:
    with pytest.raises(MnemocraftError, match="condition id"):
        identify(STUDY, replace(STREAM, condition=Condition(name, {})), ModelSpec("m"))


def test_settings_must_be_json() -> None:
    with pytest.raises(MnemocraftError, match="settings that JSON cannot hold"):
        identify(STUDY, replace(STREAM, condition=Condition("c", {"x": {1}})), ModelSpec("m"))


def test_code_version_ignores_results_and_sees_edited_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(identity, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert identity.code_version() == "unknown"
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.py").write_text("1")
    git("init")
    git("add", ".")
    git("commit", "-m", "code")
    version = identity.code_version()
    assert len(version) == 12
    (tmp_path / "result.csv").write_text("1")
    git("add", ".")
    git("commit", "-m", "results")
    assert identity.code_version() == version
    (tmp_path / "lib" / "a.py").write_text("2")
    assert identity.code_version() == version + "+dirty"


def test_toy_streams_have_their_own_names() -> None:
    study = toy_study()
    assert len({identify(study, stream, InstantSpec()).stem for stream in study.streams}) == len(
        study.streams
    )
