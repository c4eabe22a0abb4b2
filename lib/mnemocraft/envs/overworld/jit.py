"""Machine code for the overworld: the only place that deals with the compiler.

Only whole-number arithmetic, and floating point where a single operation decides, so that every machine gets
the same bits: no fast-math, no library sine, no random generator of the platform.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
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
    compiler: Any = numba.njit(error_model="numpy")
    compiled_entry = compiler(function)
    compiled_entry._cache = _CheckedCache(function)  # what `cache=True` does, with files that are checked
    return compiled_entry


class _CheckedCache(FunctionCache):
    """The compiler's cache of one function, in files that end with a checksum of what they hold."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)


class _CheckedFiles(IndexDataCacheFile):
    """A file that was cut or changed counts as missing: its function is compiled again.

    The compiler itself checks nothing: what it loads of a damaged file fails elsewhere, or runs and is wrong.
    """

    def _dump(self, obj: Any) -> bytes:
        content = super()._dump(obj)
        return content + sha256(content).digest()  # reading back stops before it, at the end of the pickle

    def _load_index(self) -> dict[Any, str]:
        path = Path(self._index_path)
        version = pickle.dumps(self._version, protocol=-1)
        if not path.exists() or not _intact(path.read_bytes().removeprefix(version)):
            return {}
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if not _intact(path.read_bytes()):
            raise OSError(f"{path} is damaged")  # the caller takes it for a file that is gone
        return super()._load_data(name)


def _intact(content: bytes) -> bool:
    return sha256(content[:-32]).digest() == content[-32:]


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
