"""Before a real model plays: a first look of few episodes, and what a run will cost."""

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fake_server import FakeServer, Fault, say
from mnemocraft.runs import ModelSpec, Study, forecast, run_study
from mnemocraft.runs.forecast import announcement, first_look, rehearse, total
from mnemocraft.runs.progress import Progress
from mnemocraft.runs.spent import Spent
from mnemocraft.studies.deps import sweep


@pytest.fixture(scope="module")
def study() -> Study:
    text = sweep.study("smoke", [0], "text")
    assert text is not None
    return text


def test_a_first_look_takes_the_conditions_with_the_fewest_calls(study: Study) -> None:
    looked = first_look(study, 3)
    calls = {name: needs[0] for name, needs in rehearse(study, study.streams, np.inf).items()}
    assert [len(stream.tasks) for stream in looked] == [1, 1, 1]
    assert max(calls[s.condition.id] for s in looked) <= sorted(calls.values())[2]
    planned = {s.condition.id: s.tasks[0] for s in reversed(study.streams)}
    assert all(stream.tasks[0] == planned[stream.condition.id] for stream in looked)


def test_a_real_model_plays_no_more_episodes_of_a_smoke_run_than_it_may(
    study: Study, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    ask_once = tuple(
        s for s in study.streams if s.condition.settings["method"] in ("gpt", "cot", "progprompt")
    )
    study = replace(study, streams=ask_once)
    with FakeServer(say("1. mine 1 log")) as server:
        spec = ModelSpec("some-model", base_url=server.url, most=1)
        records = run_study(study, spec, out=tmp_path, workers=1)
    assert len(records) == 1
    said = capfd.readouterr().err
    assert "1 episodes with some-model, about" in said and "calls/s" in said


def test_a_run_says_at_its_end_what_it_took_and_what_went_wrong(
    study: Study, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two plans are asked for; the first question meets a server that is busy, and is asked again."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    plain = [s for s in study.streams if s.condition.settings["method"] == "gpt"][:2]
    study = replace(study, streams=tuple(replace(s, tasks=s.tasks[:1]) for s in plain))
    with FakeServer(say("1. mine 1 log")) as server:
        monkeypatch.setattr(forecast, "_timed", busy(server))
        spec = ModelSpec("some-model", base_url=server.url, max_concurrency=1)
        records = run_study(study, spec, out=tmp_path, workers=1)
        asked = len(server.requests)
    said = capfd.readouterr().err.splitlines()[-1]
    read, written = (records[f"tokens_planner_{kind}"].sum() for kind in ("prompt", "completion"))
    assert said == (
        f"{study.name}: {asked - 1} calls, {read / 1e6:,.2f} million tokens read and "
        f"{written / 1e6:,.2f} written. What went wrong, mended or not: rate limit 1."
    )


def busy(server: FakeServer) -> Callable[[ModelSpec], Awaitable[tuple[float, float, None]]]:
    """Instead of timing the server: its next answer is that too much was asked."""

    async def timed(spec: ModelSpec) -> tuple[float, float, None]:
        server.faults.append(Fault(status=429))
        return 1.0, 1.0, None

    return timed


def test_what_jobs_took_is_added_up() -> None:
    """Dollars stay unknown only if no job knows them."""
    one = Spent(3, 1, 2_000_000, 500_000, None, Counter(cut_answer=2))
    two = Spent(1200, 0, 10_000, 0, 0.25, Counter(cut_answer=1, timeout=7))
    both = Spent.together([one, two, Spent()])
    assert str(both) == (
        "1,203 calls, 1 of them not sent as their answers were known, 2.01 million tokens read and 0.50 "
        "written, $0.25. What went wrong, mended or not: timeout 7, cut answer 3."
    )
    assert str(Spent.together([])) == "0 calls, 0.00 million tokens read and 0.00 written."


def test_only_a_model_that_takes_its_time_is_cut_short() -> None:
    assert ModelSpec.of_notebook("surrogate", profile="smoke").most is None
    assert ModelSpec.of_notebook("replay:x", profile="smoke").most is None
    assert ModelSpec.of_notebook("gpt-x", profile="quick").most is None
    assert ModelSpec.of_notebook("gpt-x", profile="smoke", runs=2).most == 10


def test_what_was_not_rehearsed_counts_as_the_mean() -> None:
    needs = {"a": np.array([1.0, 10, 2]), "b": np.array([3.0, 30, 4])}
    assert total(Counter(a=2, b=1, c=10), needs).tolist() == [25, 250, 38]


def test_the_forecast_multiplies_out_and_names_dollars(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    from mnemocraft.llm import budget, model

    for place in (budget, model):
        monkeypatch.setattr(place, "prices", lambda: {"some-model": budget.Price(1000.0, 0.0)})
    left = [len(stream.tasks) for stream in study.streams]
    needs = rehearse(study, study.streams, np.inf)
    prompt = sum(needs[s.condition.id][1] * len(s.tasks) for s in study.streams)
    with FakeServer(latency=0.05) as server:
        said = announcement(study, left, ModelSpec("some-model", base_url=server.url), 1)
    assert f"{sum(left):,} episodes" in said and f"${prompt * 1e-3:,.2f}" in said


class LocalSpec(ModelSpec):
    """A light local model's, but for the model."""

    own_server = True


@pytest.mark.parametrize(
    ("spec", "one_by_one", "fewest", "most"),
    [(ModelSpec, True, 0.7, 2), (ModelSpec, False, 0, 0.25), (LocalSpec, True, 0.23, 0.67)],
)
def test_the_forecast_sees_whether_answers_come_side_by_side(
    study: Study,
    spec: type[ModelSpec],
    one_by_one: bool,
    fewest: float,
    most: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that gives five answers a second, whoever asks, was forecast to be sixteen times as fast. A
    local model has one for each of three workers."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    left = [len(stream.tasks) for stream in study.streams]
    needs = rehearse(study, study.streams, np.inf)
    calls = sum(needs[s.condition.id][0] * len(s.tasks) for s in study.streams)
    with FakeServer(latency=0.05, one_by_one=one_by_one) as server:
        said = announcement(study, left, spec("some-model", base_url=server.url), 3)
        asked = len(server.requests)
    seconds = float(re.search(r"to write, (\d+) (s|minutes)", said)[1])  # type: ignore[index]
    seconds *= 60 if "minutes at" in said else 1
    assert asked == 6
    assert fewest < seconds / (0.05 * calls) < most


def test_what_cannot_be_rehearsed_is_said_and_stops_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise KeyError("plan")

    monkeypatch.setattr(forecast, "_one", broken)
    said = forecast.announcement(study, [1] * len(study.streams), ModelSpec("surrogate"), 1)
    assert "could not be rehearsed" in said and "nan" not in said


def test_calls_and_tokens_are_counted_in_lines_that_are_whole(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.jsonl", tmp_path / "copy"
    path.write_text('{"tokens": {"actor": {"prompt": 5, "completion": 1, "calls": 9}}}\n')
    bar = Progress("run", {path: 4}, {path: 1}, True)
    tail = bar._open[path]
    roles = {"actor": {"prompt": 60, "completion": 8, "calls": 1}, "ask": {"prompt": 10, "calls": 1}}
    record = {"metrics": {"calls": 2}, "tokens": roles, "memory": '"calls": 900'}
    line = json.dumps(record) + "\n"
    copy.write_bytes(path.read_bytes())
    copy.replace(path)  # as the stream's writer does
    for piece in (line[:40], line[40:] + line, line[:-1]):  # the last one is torn
        with path.open("a") as file:
            file.write(piece)
        bar.update()
    assert (tail.lines(), tail.calls, tail.tokens) == (3, 4, 156)
    bar.close()
