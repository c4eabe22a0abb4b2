"""Machine code for the overworld: the only place that deals with the compiler.

Only whole-number arithmetic, and floating point where a single operation decides, so that every machine gets
the same bits: no fast-math, no library sine, no random generator of the platform.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.extending import register_jitable

from mnemocraft.paths import DATA

Function = TypeVar("Function", bound=Callable[..., Any])

FOLDER = Path(__file__).parent
RULES = DATA / "minecraft" / "1.11.2.json"
"""Compiled code holds numbers of items, which come from the rules."""


def compiled(function: Function) -> Function:
    """A function that other compiled functions call; it becomes part of their machine code.

    Unlike ``numba.njit``, this does not compile it anew for each constant that it is called with.
    """
    return register_jitable(error_model="numpy")(function)


def entry(function: Function) -> Function:
    """A compiled function that Python calls; its machine code is kept on disk for the next process."""
    _forget_stale_code()
    compiler: Any = numba.njit(cache=True, error_model="numpy")
    return compiler(function)


@functools.cache
def _forget_stale_code() -> None:
    """Delete kept machine code that was made from other sources.

    The compiler looks only at the file of the entry itself, so without this an edit elsewhere in this folder
    would go unnoticed. Where the folder cannot be written, the compiler keeps its code elsewhere and the
    installed sources do not change.
    """
    sources = [*sorted(FOLDER.glob("*.py")), *sorted(FOLDER.glob("*.toml")), RULES]
    digest = sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    cache = FOLDER / "__pycache__"
    stamp = cache / "sources.sha256"
    try:
        if stamp.exists() and stamp.read_text() == digest:
            return
        cache.mkdir(exist_ok=True)
        for kept in cache.glob("*.nb[ic]"):
            kept.unlink(missing_ok=True)
        stamp.write_text(digest)
    except OSError:
        return
