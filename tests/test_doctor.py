"""What the doctor says of a machine and of a model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_server import FakeServer, call, say
from mnemocraft import doctor


def add_or_say(body: dict[str, Any]) -> dict[str, Any]:
    """Calls the tool where there is one."""
    return call("add", '{"a": 17, "b": 25}')(body) if body.get("tools") else say("red, green, blue")(body)


def counted() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Another answer each time."""
    answers = iter(["red", "green", "blue"])
    return lambda body: say(next(answers))(body)


@pytest.mark.parametrize(
    ("answer", "good", "words"),
    [
        (add_or_say, True, ["keeps a seed", "calls tools"]),
        (say("red"), False, ["keeps a seed", "called no tool"]),
        (counted(), False, ["does not keep", "called no tool"]),
    ],
)
def test_a_model_is_asked_whether_it_answers_calls_and_keeps_a_seed(
    answer: Any, good: bool, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(answer=answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        found, sentence = doctor.model("gpt-x")
    assert found is good and all(word in sentence for word in words)


def test_a_model_that_is_not_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    good, sentence = doctor.model("gpt-x")
    assert not good and "OPENAI_API_KEY" in sentence


def test_what_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    monkeypatch.setitem(doctor.EXTRAS, "book", "no_such_module")
    assert doctor.main([]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "MISSING extras: not installed: pip install 'mnemocraft[book]'"
    assert [line.split()[0] for line in said[1:]] == ["ok"] * 3
    assert not list((tmp_path / "build").iterdir())
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path / "file"))
    good, sentence = doctor.disk()
    assert not good and "cannot be written" in sentence
