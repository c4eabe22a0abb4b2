"""A recording that takes several sittings, perhaps on several machines."""

import os
import signal
import time
from types import SimpleNamespace

import pytest

from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.cache import AnswerCache
from mnemocraft.llm.replay import read_recording
from mnemocraft.llm.types import Reply, Request, Usage
from training import recording


def asked(words: str, model: str = "local/x") -> Request:
    return Request(model, [{"role": "user", "content": words}])


def answer(spec, words: str, model: str = "local/x") -> None:
    cache = AnswerCache(spec.cache)
    cache.put(asked(words, model), Reply("yes", [], Usage(1, 1)))
    cache.close()


def record(monkeypatch, folder, play) -> None:
    """Have what is recorded played by ``play``, with a model ``local/x`` and all files in a folder."""
    monkeypatch.setattr(recording, "run_study", play)
    monkeypatch.setattr(recording, "RECORDINGS", folder / "recordings")
    monkeypatch.setattr(recording, "find_model", lambda name: SimpleNamespace(name="x", backend="local/x"))
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(folder))


def test_what_was_answered_before_a_stop_is_recorded_and_is_gone_on_from(tmp_path, monkeypatch):
    """Another machine has the committed recording alone."""
    heard: list[str] = []

    def stopped(study, spec, out, workers):
        cache = AnswerCache(spec.cache)
        heard.extend(key for key, _, _ in cache.rows("local/x"))
        cache.close()
        answer(spec, f"question {len(heard)}")
        raise KeyboardInterrupt

    monkeypatch.setattr(recording, "run_study", stopped)
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path / "recordings")
    adapter = SimpleNamespace(name="x", backend="local/x")
    monkeypatch.setattr(recording, "find_model", lambda name: adapter)
    for sitting, go_on in (("one", []), ("two", ["--go-on"])):
        monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path / sitting))
        recording.main(["03", *go_on])
    with pytest.raises(MnemocraftError, match="--go-on begins with its answers"):
        recording.main(["03"])  # else a sitting elsewhere would leave its own answers alone in the file
    assert heard == [asked("question 0").key()]
    header, _ = read_recording(tmp_path / "recordings" / f"minecraft_gemma-3-270m{recording.SUFFIX}")
    assert header["count"] == 2
    with pytest.raises(MnemocraftError, match="has answers already: --go-on goes on with them"):
        recording.main(["03", "--replace"])  # hours of answers may be in the cache


def test_what_is_trained_on_replaces_what_was_and_is_gone_on_from_after_a_kill(tmp_path, monkeypatch):
    """The file is of the adapter as it was, until the first stop in order."""
    file = tmp_path / "recordings" / f"minecraft_gemma-3-270m{recording.SUFFIX}"
    adapter = SimpleNamespace(name="x", backend="local/x")
    ends = [KeyboardInterrupt, MnemocraftError("killed"), KeyboardInterrupt]

    def stopped(study, spec, out, workers):
        answer(spec, f"question {len(ends)}", adapter.backend)
        raise ends.pop(0)

    monkeypatch.setattr(recording, "run_study", stopped)
    monkeypatch.setattr(recording, "RECORDINGS", file.parent)
    monkeypatch.setattr(recording, "find_model", lambda name: adapter)
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    recording.main(["03"])
    adapter.name, adapter.backend = "x2", "local/x2"
    with pytest.raises(MnemocraftError, match="is of local/x, not of local/x2; --replace leaves it out"):
        recording.main(["03", "--go-on"])
    with pytest.raises(MnemocraftError, match="killed"):
        recording.main(["03", "--replace"])
    assert read_recording(file)[0]["model"] == "local/x"
    recording.main(["03", "--go-on"])
    header, _ = read_recording(file)
    assert (header["model"], header["count"]) == ("local/x2", 2)
    adapter.name, adapter.backend = "x3", "local/x3"
    with pytest.raises(MnemocraftError, match="is of local/x2, not of local/x3"):
        recording.main(["03", "--replace", "--add", str(file)])  # hours would be taken in and left out again


def test_a_part_that_replaces_goes_on_without_what_it_leaves_out(tmp_path, monkeypatch):
    """The file that it replaces stays until all parts are put together, and is of the same model."""

    def stopped(study, spec, out, workers):
        answer(spec, "question" + " again" * ("part" in str(spec.cache)))
        raise KeyboardInterrupt

    record(monkeypatch, tmp_path, stopped)
    recording.main(["03"])
    for how in ("--replace", "--go-on"):
        recording.main(["03", how, "--part", "1/2"])
    [part] = tmp_path.glob(f"build/recording/x/part-1-of-2/*{recording.SUFFIX}")
    assert read_recording(part)[0]["count"] == 1


def test_a_stop_before_the_first_answer_leaves_all_as_it_was(tmp_path, monkeypatch, capsys):
    def stopped(study, spec, out, workers):
        raise KeyboardInterrupt

    record(monkeypatch, tmp_path, stopped)
    recording.main(["03"])
    assert "stopped" in capsys.readouterr().out and not (tmp_path / "recordings").exists()


def test_parts_play_every_stream_once_and_are_put_together(tmp_path, monkeypatch, capsys):
    """Each into a file of its own, asking a server that runs already."""
    played: list[tuple[str, ...]] = []
    told: list[dict] = []

    def play(study, spec, out, workers):
        played.append(tuple(f"{stream.condition.id} {stream.seed}" for stream in study.streams))
        told.append(spec.options)
        answer(spec, f"of {played[-1][0]}")
        return study.streams

    record(monkeypatch, tmp_path, play)
    for part in (1, 2, 3):
        recording.main(["09", "--part", f"{part}/3", "--server", "http://127.0.0.1:1/v1"])
    whole = recording.STUDIES["09"].study("full").streams
    names = [f"{stream.condition.id} {stream.seed}" for stream in whole]
    assert sorted(sum(played, ())) == sorted(names) and {len(part) for part in played} == {112}
    assert told[0] == {"server": "http://127.0.0.1:1/v1", "parallel": 6, "timeout": 1800.0}
    assert not (tmp_path / "recordings").exists()
    parts = sorted((tmp_path / "build").glob(f"recording/x/part-*/*{recording.SUFFIX}"))
    recording.main(["09", "--add", *map(str, parts)])
    assert played[-1] == tuple(names)
    header, entries = read_recording(tmp_path / "recordings" / f"kitchen_gemma-3-270m{recording.SUFFIX}")
    assert header["count"] == 3 and {entry["request"]["messages"][0]["content"] for entry in entries} == {
        f"of {name}" for name in names[:3]
    }
    for wrong in ("0/3", "4/3", "1", "a/b", "-1/3"):
        with pytest.raises(SystemExit):
            recording.main(["09", f"--part={wrong}"])
        assert "is not K/N with K from 1 to N" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_kill_stops_in_order_what_runs_in_the_background(number, tmp_path, monkeypatch):
    """There a shell has it ignore Ctrl+C."""

    def killed(study, spec, out, workers):
        answer(spec, "before")
        os.kill(os.getpid(), number)
        time.sleep(10)
        pytest.fail("it went on")

    monkeypatch.setattr(recording, "run_study", killed)
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path / "recordings")
    monkeypatch.setattr(recording, "find_model", lambda name: SimpleNamespace(name="x", backend="local/x"))
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        recording.main(["03"])
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    header, _ = read_recording(tmp_path / "recordings" / f"minecraft_gemma-3-270m{recording.SUFFIX}")
    assert header["count"] == 1
