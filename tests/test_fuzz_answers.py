"""A small seeded piece of ``benchmarks/fuzz_answers.py``: no reader raises or takes long."""

import importlib.util
import time
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "benchmarks" / "fuzz_answers.py"
SPEC = importlib.util.spec_from_file_location("fuzz_answers", FILE)
assert SPEC is not None and SPEC.loader is not None
fuzz_answers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz_answers)


@pytest.mark.parametrize("kind", fuzz_answers.READERS)
def test_no_reader_raises_or_takes_long(kind):
    escaped = []
    fuzz_answers.fuzz(kind, 150, 1, lambda text, error: escaped.append((text[:200], repr(error))))
    assert not escaped


def wrong(text):
    raise KeyError(text)


def slow(text):
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass


@pytest.mark.parametrize(("careless", "error"), [(wrong, KeyError), (slow, TimeoutError)])
def test_an_escape_is_reported(careless, error, monkeypatch):
    monkeypatch.setitem(fuzz_answers.READERS, "careless", (careless, fuzz_answers.CALL))
    monkeypatch.setattr(fuzz_answers, "SECONDS", 0.04)
    kinds = set()
    fuzz_answers.fuzz("careless", 3, 0, lambda text, found: kinds.add(type(found)))
    assert kinds == {error}
