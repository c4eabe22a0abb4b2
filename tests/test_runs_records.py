"""Reading a run back as a table, and writing tables whose bytes depend on nothing but their numbers."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import load_records, read_trajectory, run_study, write_table
from mnemocraft.runs.records import Rows
from runs_toy import TASKS, InstantSpec, toy_study


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    study = toy_study(faults={"T001": "crash"}, seeds=[10, 9], tasks=TASKS[:12], grid={"b": 1, "a": [2]})
    run_study(study, InstantSpec(), out=folder, workers=1, progress=False)
    return folder


def test_rows_are_sorted_and_columns_grouped(out: Path) -> None:
    frame = load_records(out)
    keys = list(zip(frame.condition, frame.seed, frame["index"], strict=True))
    assert keys == sorted(keys) and len(keys) == 48
    assert list(frame.columns[17:]) == [
        *["faults", "grid", "setup"],
        *["failure", "known", "luck", "target"],
        *[f"tokens_actor_{kind}" for kind in ("cached", "calls", "completion", "estimated", "prompt")],
    ]
    assert set(frame.grid) == {'{"a": [2], "b": 1}'}


def test_failed_episodes_have_no_metrics_but_count_their_tokens(out: Path) -> None:
    frame = load_records(out)
    crashed = frame[frame.task == "T001"]
    assert crashed.luck.isna().all() and (crashed.tokens_actor_prompt == 0).all()
    assert frame.tokens_actor_prompt.dtype.kind == "i" and frame.success.dtype == bool


def test_trajectories_come_back_by_row_with_broken_text_intact(out: Path) -> None:
    frame = load_records(out)
    for _, row in frame[frame.status == "ok"].iterrows():
        assert read_trajectory(out, row)[0]["content"] == f"{row.task} é \ud83d"


def test_a_run_in_progress_can_be_read(out: Path, tmp_path: Path) -> None:
    for path in out.rglob("*.*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(out)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes()[: -5 if "--s9--" in path.name else None])
    assert len(load_records(tmp_path)) == 46, "one record of each of two streams is half written"


VALUES = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-1, 1), st.sampled_from("ab"))


@given(st.lists(st.lists(st.dictionaries(st.sampled_from("xyz"), VALUES), max_size=4), max_size=4))
def test_columns_are_those_that_pandas_makes_of_records(streams: list[list[dict[str, Any]]]) -> None:
    """Whichever fields are missing where, and in how many parts they come."""
    rows = Rows()
    every: list[dict[str, Any]] = []
    base = {"condition": "c", "seed": 0, "trajectory": {"offset": 0, "length": 0}, "settings": {}}
    for stream in streams:
        records = [base | {"index": len(every) + n, "metrics": m, "tokens": {}} for n, m in enumerate(stream)]
        rows.add(records)
        every += stream
    found, expected = rows.frame(), pd.DataFrame(every)
    for name in {name for metrics in every for name in metrics}:
        pd.testing.assert_series_equal(found[name], expected[name], check_index_type=False)


def test_a_folder_without_a_run_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MnemocraftError, match="holds no run"):
        load_records(tmp_path)


def test_a_run_killed_before_its_first_episode_is_an_empty_table(out: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes((out / "run.json").read_bytes())
    frame = load_records(tmp_path)
    assert len(frame) == 0 and "success" in frame.columns


def test_table_bytes(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"b": [1 / 3, -0.0, np.nan], "a": ["x,y", "é", ""], "n": [1, 2, 3], "ok": [True, False, True]}
    )
    write_table(frame, tmp_path / "deep" / "t.csv")
    text = 'b,a,n,ok\n0.333333,"x,y",1,True\n0,é,2,False\n,,3,True\n'
    assert (tmp_path / "deep" / "t.csv").read_bytes() == text.encode()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["t.csv"]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_tables_forget_rounding_noise(tmp_path_factory: pytest.TempPathFactory, numbers: list[float]) -> None:
    folder = tmp_path_factory.mktemp("tables")
    write_table(pd.DataFrame({"x": numbers}), folder / "a.csv")
    write_table(pd.DataFrame({"x": numbers}, dtype=object), folder / "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    read = pd.read_csv(folder / "a.csv").x
    assert np.allclose(read, numbers, rtol=1e-5, atol=1e-12 * max(1, np.abs(numbers).max()))


def test_predictions_have_four_digits_and_noise_is_0(tmp_path: Path) -> None:
    numbers = [419.3264, 0.01234567, -3e-17, np.inf, np.nan]
    frame = pd.DataFrame({"steps": numbers, "other": numbers, "large": [1e9, 1e-4, 2.0, 3.0, 4.0]})
    write_table(frame, tmp_path / "t.csv", predicted=["steps"])
    read = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)
    assert read["steps"].tolist() == ["419.3", "0.01235", "0", "inf", ""]
    assert read["other"].tolist() == ["419.326", "0.0123457", "0", "inf", ""]
    assert read["large"].tolist() == ["1e+09", "0", "2", "3", "4"]


def test_a_table_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    write_table(pd.DataFrame({"x": [1]}), path)

    def killed(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_table(pd.DataFrame({"x": [2]}), path)
    assert path.read_text() == "x\n1\n"


def test_times_of_files_do_not_matter(out: Path) -> None:
    before = load_records(out)
    for number, path in enumerate(sorted((out / "streams").iterdir(), reverse=True)):
        os.utime(path, (time.time() + number, time.time() + number))
    pd.testing.assert_frame_equal(load_records(out), before)
