"""The doctor says what is missing, and fails only for what a run needs."""

import pytest

from fake_server import Body, FakeServer, call, say
from mnemocraft import doctor


def answers(body: Body) -> Body:
    """Calls the tool when there is one; draws differ from each other."""
    answers.asked += 1  # type: ignore[attr-defined]
    return call("look_up", '{"word": "oak"}')(body) if body.get("tools") else {"content": f"{answers.asked}"}  # type: ignore[attr-defined]


answers.asked = 0  # type: ignore[attr-defined]


def findings(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return doctor.main(["--model", "some-model"]), capsys.readouterr().out


def test_a_model_with_tools_and_without_seeds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(answers) as server:
        status, said = findings(server, monkeypatch, capsys)
    assert status == 0 and "calls a tool" in said and "does not keep a seed" in said


def test_a_model_that_only_talks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(say("yes")) as server:
        status, said = findings(server, monkeypatch, capsys)
    assert status == 0 and "did not call the tool" in said and "keeps a seed" in said


def test_a_model_that_says_nothing_and_one_that_is_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(say("")) as server:
        status, said = findings(server, monkeypatch, capsys)
    assert status == 1 and "MISSING model" in said
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert doctor.main(["--model", "some-model"]) == 1
    assert "OPENAI_API_KEY" in capsys.readouterr().out


def test_a_server_that_never_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "PATIENCE_S", 0.3)
    with FakeServer(latency=60) as server:
        status, said = findings(server, monkeypatch, capsys)
    assert status == 1 and "some-model did not answer within 0.3 s" in said


def test_a_folder_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", "/proc/nowhere")
    assert doctor.main([]) == 1
    assert "/proc/nowhere cannot be written" in capsys.readouterr().out
