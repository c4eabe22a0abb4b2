"""Running a study: same records however it is run, every failure an outcome, nothing lost when it stops."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mnemocraft.errors import BudgetExceeded, MissingExtra, MnemocraftError, RunLocked
from mnemocraft.llm import Budget, Usage
from mnemocraft.runs import ModelSpec, Study, load_records, read_trajectory, run_study, runner, write_table
from mnemocraft.runs.identity import identify
from mnemocraft.runs.lease import Lease, hold
from mnemocraft.runs.spent import Spent
from mnemocraft.runs.stream import Job
from runs_toy import TASKS, InstantSpec, LocalSpec, ToyRunner, toy_study

TIMES = ["wall_s", "commit", "trajectory_offset", "trajectory_length"]
FAULTS = {"T003": "error", "T007": "crash", "T011": "unwritable", "T013": "caught"}


def run(
    study: Study, out: Path, spec: InstantSpec | None = None, workers: int = 1, **options: Any
) -> pd.DataFrame:
    return run_study(study, spec or InstantSpec(), out=out, workers=workers, progress=False, **options)


def table(frame: pd.DataFrame, path: Path) -> bytes:
    write_table(frame.drop(columns=TIMES), path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table of the toy study with faults, run in one go by one worker."""
    out = tmp_path_factory.mktemp("reference")
    return table(run(toy_study(faults=FAULTS), out), out / "t.csv")


def start_slow_script(out: Path, **options: Any) -> subprocess.Popen[bytes]:
    """Start a run with two worker processes, and wait until both have written a record."""
    script = Path(__file__).with_name("runs_toy.py")
    process = subprocess.Popen([sys.executable, str(script), str(out), "2", "slow"], **options)
    streams = out / "streams"
    while not streams.exists() or sum(path.stat().st_size > 0 for path in streams.glob("[!.]*")) < 2:
        assert process.poll() is None
        time.sleep(0.002)
    return process


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_nothing(workers: int, tmp_path: Path, reference: bytes) -> None:
    frame = run(toy_study(faults=FAULTS), tmp_path, workers=workers)
    assert table(frame, tmp_path / "t.csv") == reference


def test_an_endpoint_model_plays_the_same_streams(tmp_path: Path, reference: bytes) -> None:
    frame = run(toy_study(faults=FAULTS), tmp_path, InstantSpec(cpu_bound=False, max_concurrency=3))
    assert table(frame, tmp_path / "t.csv") == reference


@pytest.mark.parametrize(
    ("spec", "workers", "streams"),
    [
        (LocalSpec(), 3, [2, 1, 1]),
        (LocalSpec(), 9, [1, 1, 1, 1]),
        (LocalSpec(budget=Budget(9)), 3, [4]),
        (InstantSpec(cpu_bound=False), 3, [4]),
        (InstantSpec(), 2, [1, 1, 1, 1]),
    ],
)
def test_each_worker_of_a_local_model_has_its_share_of_the_streams(
    tmp_path: Path, spec: InstantSpec, workers: int, streams: list[int]
) -> None:
    """A budget is counted in one place, where an endpoint's limit of requests at a time holds too."""
    study = toy_study()
    whole = Job(study, study.streams, spec, Lease(tmp_path), "commit")
    with runner._executor(whole, spec.cpu_bound, workers, None) as (_, jobs):
        shares = [job.streams for job in jobs]
    assert [len(share) for share in shares] == streams
    assert sorted(map(repr, sum(shares, ()))) == sorted(map(repr, study.streams))


def test_the_servers_of_a_local_model_play_the_same_streams_as_one(tmp_path: Path, reference: bytes) -> None:
    frame = run(toy_study(faults=FAULTS), tmp_path, LocalSpec(), workers=2)
    assert table(frame, tmp_path / "t.csv") == reference


def test_only_a_light_local_model_has_several_servers(tmp_path: Path) -> None:
    """Each of a large one would take its gigabytes again, and wait for the same memory."""
    sizes = {"light": 10**6, "large": 2 * 10**9, "large-00001-of-00003": 10**6}
    for name, size in sizes.items():
        with (tmp_path / f"{name}.gguf").open("wb") as model:
            model.write(b"GGUF")
            model.truncate(size)  # sparse: it takes no room
    light, large, parts = (ModelSpec(f"local:{tmp_path / name}.gguf") for name in sizes)
    served = replace(light, options={"server": "http://127.0.0.1:1/v1"})
    limited = replace(light, budget=Budget(9))
    specs = (light, large, parts, served, limited, ModelSpec("some-model"))
    assert [spec.servers(4) for spec in specs] == [4, 1, 1, 1, 1, 1]


def test_a_local_model_is_asked_by_as_many_streams_as_it_answers_at_a_time() -> None:
    """Others would wait in line while their time runs."""
    assert ModelSpec("local:x").streams_at_a_time == 1
    assert ModelSpec("local:x", options={"parallel": 6}).streams_at_a_time == 6
    assert ModelSpec("some-model", max_concurrency=5).streams_at_a_time == 5


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_can_be_handed_in(
    pool: Callable[[int], Executor], tmp_path: Path, reference: bytes
) -> None:
    with pool(2) as executor:
        frame = run(toy_study(faults=FAULTS), tmp_path, executor=executor)
        assert table(frame, tmp_path / "t.csv") == reference
        assert executor.submit(abs, -1).result() == 1, "it is not ours to shut down"


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    script = Path(__file__).with_name("runs_toy.py")
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, str(script), str(tmp_path / seed), "1", "fast"]
        subprocess.run(command, env=environment, check=True, timeout=60)
    one, two = (table(load_records(tmp_path / seed), tmp_path / f"{seed}.csv") for seed in ("1", "2"))
    assert one == two


def test_failures_are_outcomes_in_the_denominator(tmp_path: Path) -> None:
    frame = run(toy_study(faults=FAULTS, seeds=[0]), tmp_path)
    assert len(frame) == 2 * len(TASKS)
    failed = frame[frame.task.isin(FAULTS) & (frame.condition == "toy/base")]
    assert list(failed.status) == ["error", "crash", "crash", "error"]
    assert list(failed.reason) == ["error", "crash", "crash", "error"]
    assert not failed.success.any()
    assert failed.failure.iloc[:3].tolist() == [
        "ModelError: the server said no",
        "ZeroDivisionError: a bug",
        "TypeError: Object of type set is not JSON serializable",
    ]
    crash, caught = failed.iloc[1], failed.iloc[3]
    error, end = read_trajectory(tmp_path, crash)
    assert error["type"] == "error" and "raise ZeroDivisionError" in error["message"]
    assert end == {"type": "end", "reason": "crash", "steps": 0}
    assert read_trajectory(tmp_path, caught) == [{"a": 1}], "a runner that catches keeps its own trajectory"
    assert (caught.steps, caught.tokens_actor_prompt) == (2, 7)


@pytest.mark.parametrize("cpu_bound", [True, False])
def test_a_time_limit_ends_episodes(tmp_path: Path, cpu_bound: bool) -> None:
    study = replace(toy_study(faults={"T002": "slow"}, tasks=TASKS[:4]), time_limit=0.2)
    frame = run(study, tmp_path, InstantSpec(cpu_bound=cpu_bound))
    assert set(frame[frame.task == "T002"].status) == {"timeout"}
    assert set(frame[frame.task != "T002"].status) == {"ok"}


class Sleepless(ToyRunner):
    """An agent that computes for longer than it may, without ever awaiting."""

    async def episode(self, task: str) -> Any:
        time.sleep(0.03)
        return await super().episode(task)


def start_sleepless(stream: Any, model: Any) -> Sleepless:
    return Sleepless(stream, model)


def test_a_time_limit_judges_episodes_that_never_await(tmp_path: Path) -> None:
    study = replace(toy_study(tasks=TASKS[:2], seeds=[0]), time_limit=0.01, start=start_sleepless)
    frame = run(study, tmp_path)
    assert set(frame.status) == {"timeout"} and not frame.success.any()


def test_api_keys_in_errors_do_not_reach_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-planted-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)

    class Leaky(ToyRunner):
        async def episode(self, task: str) -> Any:
            raise ValueError(f"401 for {key}")

    run(replace(toy_study(tasks=TASKS[:1]), start=lambda stream, model: Leaky(stream, model)), tmp_path)
    frame = load_records(tmp_path)
    assert set(frame.failure) == {"ValueError: 401 for <OPENAI_API_KEY>"}
    assert key not in json.dumps(read_trajectory(tmp_path, frame.iloc[0]))


@pytest.mark.parametrize("key", ["none", "k"])
def test_a_short_key_does_not_spoil_messages(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    study = replace(toy_study(tasks=TASKS[:1]), start=lambda stream, model: Lost(stream, model))
    run(study, tmp_path)
    assert set(load_records(tmp_path).failure) == {"KeyError: 'none of the kinds is known'"}
    assert "<OPENAI_API_KEY>" not in json.dumps(read_trajectory(tmp_path, load_records(tmp_path).iloc[0]))


class Lost(ToyRunner):
    async def episode(self, task: str) -> Any:
        raise KeyError("none of the kinds is known")


@pytest.mark.parametrize("cpu_bound", [True, False])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_spent_budget_stops_cleanly_and_resumes(
    tmp_path: Path, reference: bytes, cpu_bound: bool, workers: int
) -> None:
    study = toy_study(faults=FAULTS)
    spec = InstantSpec(cpu_bound=cpu_bound)
    with pytest.raises(BudgetExceeded, match=r"used up; what is finished is kept in .* with a new budget"):
        run(study, tmp_path, replace(spec, stops_after=17), workers)
    stopped = load_records(tmp_path)
    over = stopped[stopped.status == "budget"]
    assert len(over) >= 1 and not over.success.any()
    assert len(stopped) < len(study.streams) * len(TASKS)
    assert set(over["index"]) == set(stopped.groupby("stream")["index"].max()[over.stream])
    assert not list(tmp_path.glob(".stop*"))

    frame = run(study, tmp_path, spec, workers)
    assert table(frame, tmp_path / "t.csv") == reference


@pytest.mark.parametrize("spec", [InstantSpec(), InstantSpec(cpu_bound=False)])
def test_an_error_that_no_episode_survives_stops_the_run(
    tmp_path: Path, spec: InstantSpec, reference: bytes
) -> None:
    with pytest.raises(MissingExtra, match="the tokens are used up; what is finished is kept"):
        run(toy_study(faults=FAULTS), tmp_path, replace(spec, stops_after=9, stops_with=MissingExtra))
    assert set(load_records(tmp_path).status) <= {"ok", "error", "crash"}
    assert table(run(toy_study(faults=FAULTS), tmp_path, spec), tmp_path / "t.csv") == reference


def die(stream: Any, model: Any) -> Any:
    os._exit(3)


def test_a_dead_worker_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MnemocraftError, match=r"a worker process died.*run again to go on"):
        run(replace(toy_study(), start=die), tmp_path, workers=2)


class InterruptedPool(ThreadPoolExecutor):
    """The user presses Ctrl-C while the second job is being waited for."""

    def submit(self, *arguments: Any) -> Future[Any]:  # type: ignore[override]
        return super().submit(*arguments) if self._work_queue.empty() else _interrupt()


def _interrupt() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(KeyboardInterrupt())
    return future


def test_an_interrupt_keeps_what_is_finished(tmp_path: Path, reference: bytes) -> None:
    study = toy_study(faults=FAULTS)
    with InterruptedPool(1) as pool, pytest.raises(KeyboardInterrupt):
        run(study, tmp_path, executor=pool)
    assert not list(tmp_path.glob(".stop*"))
    assert table(run(study, tmp_path), tmp_path / "t.csv") == reference


def test_ctrl_c_in_a_terminal_ends_the_episodes_in_flight(tmp_path: Path) -> None:
    process = start_slow_script(tmp_path, start_new_session=True, stderr=subprocess.PIPE)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode != 0 and errors.count(b"KeyboardInterrupt") == 1, errors.decode()
    assert not list(tmp_path.glob(".stop*"))
    assert len(load_records(tmp_path)) == sum(
        path.read_bytes().count(b"\n") for path in (tmp_path / "streams").iterdir()
    )


def test_nothing_missing_opens_no_model(tmp_path: Path) -> None:
    class Closed(InstantSpec):
        def open(self) -> Any:
            raise AssertionError("a finished run needs no model")

    study = toy_study(faults={"T003": "error", "T013": "caught"})
    once = run(study, tmp_path)
    pd.testing.assert_frame_equal(run(study, tmp_path, Closed()), once)


def calls_for(study: Study, out: Path) -> set[tuple[str, int, str]]:
    """The episodes that a run really plays."""
    played = set()

    class Counting(ToyRunner):
        async def episode(self, task: str) -> Any:
            played.add((self.stream.condition.id, self.stream.seed, task))
            return await super().episode(task)

    run(replace(study, start=lambda stream, model: Counting(stream, model)), out)
    return played


def test_a_longer_profile_plays_only_what_is_new(tmp_path: Path) -> None:
    quick, full = toy_study(tasks=TASKS[:10], seeds=[0]), toy_study(seeds=[0, 1])
    assert len(calls_for(quick, tmp_path)) == 20
    new = calls_for(full, tmp_path)
    assert len(new) == 4 * 30 - 20 and ("toy/base", 0, "T009") not in new
    assert calls_for(quick, tmp_path) == set()
    assert len(load_records(tmp_path)) == 20, "records of the longer profile are kept but not shown"
    assert calls_for(full, tmp_path) == set()


def test_changed_settings_reuse_nothing_and_old_results_stay(tmp_path: Path) -> None:
    old, new = toy_study(seeds=[0], limit=30), toy_study(seeds=[0], limit=31)
    calls_for(old, tmp_path)
    assert len(calls_for(new, tmp_path)) == 60
    assert set(load_records(tmp_path).limit) == {31}
    assert calls_for(old, tmp_path) == set()
    assert set(load_records(tmp_path).limit) == {30}


def test_another_order_of_tasks_reuses_only_the_common_beginning(tmp_path: Path) -> None:
    calls_for(toy_study(seeds=[0]), tmp_path)
    turned = toy_study(tasks=TASKS[:5] + TASKS[:4:-1], seeds=[0])
    assert len(calls_for(turned, tmp_path)) == 2 * 25
    once = run(turned, tmp_path / "fresh")
    assert table(load_records(tmp_path), tmp_path / "a.csv") == table(once, tmp_path / "b.csv")


def test_records_of_another_list_of_tasks_are_not_read_before_a_stream_is_opened(tmp_path: Path) -> None:
    """A run that is killed at once has left the plan alone."""
    run(toy_study(tasks=TASKS[:6], seeds=[0]), tmp_path)
    spec, turned = InstantSpec(), toy_study(tasks=(*TASKS[:2], *TASKS[5:1:-1]), seeds=[0])
    identities = [identify(turned, stream, spec) for stream in turned.streams]
    runner._write_plan(turned, spec, identities, "", tmp_path)
    assert sorted(load_records(tmp_path).task) == sorted(2 * TASKS[:2])


def test_a_worker_that_takes_the_run_for_over_leaves_no_partial_table(tmp_path: Path) -> None:
    class Blind(ThreadPoolExecutor):
        """Plays the first job alone."""

        def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
            return super().submit(lambda job: function(job) if self.first() else Spent(), *arguments)

        def first(self) -> bool:
            return not list(tmp_path.glob("streams/*.jsonl"))

    study = toy_study(seeds=[0, 1])
    with Blind(1) as executor, pytest.raises(MnemocraftError, match=r"episodes were not played: .*run again"):
        run(study, tmp_path, executor=executor)
    assert len(run(study, tmp_path)) == 4 * len(TASKS)


def test_a_limit_is_each_run_s_own_and_nothing_that_is_free_has_one() -> None:
    spec = ModelSpec("gpt-4o-mini", budget=Budget(tokens=9))
    assert spec.budget is not None
    spec.budget.spend(Usage(9, 0), None)
    own = runner._own_budget(spec)
    assert own is not None and (own.tokens, own.used_tokens) == (9, 0)
    assert runner._own_budget(ModelSpec("gpt-4o-mini")) == Budget(dollars=10)  # one for a cluster's streams
    assert runner._own_budget(ModelSpec("surrogate")) is None
    limits = (5.0, 100)
    assert ModelSpec.of_notebook("gpt-4o-mini", *limits).budget == Budget(tokens=100, dollars=5.0)
    assert ModelSpec.of_notebook("replay:plancraft_gemma-3-270m", *limits).budget is None


def test_a_folder_may_be_a_text_and_a_model_s_name_is_no_spec(tmp_path: Path) -> None:
    frame = run_study(toy_study(), InstantSpec(), out=str(tmp_path), workers=1, progress=False)
    assert load_records(str(tmp_path)).equals(frame)
    assert read_trajectory(str(tmp_path), frame.iloc[0]) == read_trajectory(tmp_path, frame.iloc[0])
    with pytest.raises(
        MnemocraftError, match=r"played by a ModelSpec\('surrogate'\) or such, not by 'surrogate'"
    ):
        run_study(toy_study(), "surrogate", out=tmp_path, workers=1)  # type: ignore[arg-type]


def test_a_notebook_of_a_profile_that_is_none_opens_no_model() -> None:
    with pytest.raises(MnemocraftError, match="no profile 'huge'"):
        ModelSpec.of_notebook("surrogate", profile="huge")


def test_a_second_run_on_a_folder_says_so(tmp_path: Path) -> None:
    with hold(tmp_path), pytest.raises(RunLocked, match="another run"):
        run(toy_study(), tmp_path)


@pytest.mark.parametrize(
    ("study", "workers", "sentence"),
    [
        (toy_study(), 0, "workers must be a whole number from 1, not 0"),
        (toy_study(), "two", "workers must be a whole number from 1, not 'two'"),
        (toy_study(seeds=[]), 1, "has no streams"),
        (toy_study(tasks=[]), 1, "without tasks"),
        (toy_study(seeds=[1, 1]), 1, "twice"),
        (toy_study(steps=3), 1, "setting 'steps' has the name of a column"),
    ],
)
def test_malformed_studies_are_refused(tmp_path: Path, study: Study, workers: int, sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence):
        run(study, tmp_path, workers=workers)
    assert not (tmp_path / "streams").exists()


def test_a_start_that_workers_cannot_import_is_a_sentence(tmp_path: Path) -> None:
    study = replace(toy_study(), start=lambda stream, model: ToyRunner(stream, model))
    with pytest.raises(MnemocraftError, match=r"worker processes cannot import .*<lambda>: define it"):
        run(study, tmp_path, workers=2)


def test_a_metric_with_a_taken_name_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(MnemocraftError, match="metric 'luck' has the name of another column"):
        run(toy_study(luck=1), tmp_path)


def test_progress_counts_episodes_not_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(toy_study(tasks=TASKS[:10], seeds=[0]), tmp_path)
    run_study(toy_study(seeds=[0]), InstantSpec(), out=tmp_path, workers=1)
    last = capfd.readouterr().err.replace("\r", "\n").strip().splitlines()[-1]
    assert "00_toy: 100%" in last and "60/60" in last


def test_no_worker_outlives_a_killed_run(tmp_path: Path) -> None:
    process = start_slow_script(tmp_path, stdout=subprocess.PIPE)
    process.kill()
    process.communicate(timeout=20)  # the pipe closes when the last process that inherited it is gone
