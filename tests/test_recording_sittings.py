"""A recording that takes several sittings, perhaps on several machines."""

from types import SimpleNamespace

import pytest

from mnemocraft.llm.cache import AnswerCache
from mnemocraft.llm.replay import read_recording
from mnemocraft.llm.types import Reply, Request, Usage
from training import recording


def asked(words: str) -> Request:
    return Request("local/x", [{"role": "user", "content": words}])


def test_what_was_answered_before_a_stop_is_recorded_and_is_gone_on_from(tmp_path, monkeypatch, capsys):
    """Another machine has the committed recording alone."""
    heard: list[str] = []

    def stopped(study, spec, out, workers):
        cache = AnswerCache(spec.cache)
        heard.extend(key for key, _, _ in cache.rows("local/x"))
        cache.put(asked(f"question {len(heard)}"), Reply("yes", [], Usage(1, 1)))
        cache.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(recording, "run_study", stopped)
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path / "recordings")
    adapter = SimpleNamespace(name="x", backend="local/x")
    monkeypatch.setattr(recording, "find_model", lambda name: adapter)
    for sitting, go_on in (("one", []), ("two", ["--go-on"])):
        monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path / sitting))
        recording.main(["03", *go_on])
    with pytest.raises(SystemExit):  # else a sitting elsewhere would leave its own answers alone in the file
        recording.main(["03"])
    assert "--go-on begins with its answers" in capsys.readouterr().err
    assert heard == [asked("question 0").key()]
    header, _ = read_recording(tmp_path / "recordings" / f"minecraft_gemma-3-270m{recording.SUFFIX}")
    assert header["count"] == 2
    with pytest.raises(SystemExit):  # hours of answers may be in the cache
        recording.main(["03", "--replace"])
    assert "has answers already: --go-on goes on with them" in capsys.readouterr().err
    adapter.backend = "local/x trained on"
    with pytest.raises(SystemExit):
        recording.main(["03", "--go-on"])
    assert "is of local/x, not of local/x trained on" in capsys.readouterr().err
