"""Kept machine code: what was damaged on disk is compiled again, and never run."""

from __future__ import annotations

import importlib.util
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

SOURCE = """
from mnemocraft.envs.overworld.jit import entry

@entry
def add(number):
    return number + 40
"""
_numbers = itertools.count()


def load(folder: Path) -> Any:
    """The function of a process that begins anew."""
    path = folder / "adding.py"
    if not path.exists():
        path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(f"adding_{next(_numbers)}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.add


def loaded(function: Any) -> bool:
    """Whether it gives the right answer, and without the compiler."""
    assert function(2) == 42
    return bool(function.stats.cache_hits)


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    place = random.Random(3).randrange(len(content))
    return content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [cut, flip, lambda content: b"", lambda content: content + b"\0"])
@pytest.mark.parametrize("suffix", ["nbc", "nbi"])
def test_damaged_machine_code_is_compiled_again(
    tmp_path: Path, suffix: str, damage: Callable[[bytes], bytes]
) -> None:
    assert not loaded(load(tmp_path)) and loaded(load(tmp_path))
    (path,) = tmp_path.glob(f"__pycache__/*.{suffix}")
    path.write_bytes(damage(path.read_bytes()))
    assert not loaded(load(tmp_path)), "not the damaged one"
    assert loaded(load(tmp_path)), "healed"
