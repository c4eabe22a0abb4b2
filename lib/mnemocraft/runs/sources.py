"""Hashes of the files that decide how an episode goes, for the fingerprint of a study."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

from mnemocraft import paths

SUFFIXES = (".py", ".toml", ".json", ".txt")
"""Which files of a folder count as its sources."""


def hashes(sources: Sequence[str], patterns: Sequence[str]) -> dict[str, str]:
    """SHA-256 of code and data, in hex.

    Args:
        sources: Files and folders of the package (hashed as ``code``).
        patterns: Of files in ``data/`` (hashed as ``data``).
    """
    package = Path(paths.__file__).parent
    code = [file for name in sources for file in _files(package / name)]
    data = [file for pattern in patterns for file in sorted(paths.DATA.glob(pattern))]
    return {"code": _digest(code, package), "data": _digest(data, paths.DATA)}


def folder_hash(folder: Traversable) -> str:
    """SHA-256 over the files of a folder of prompts, so that a changed text never reuses old results."""
    items = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return _over((item.name, item.read_bytes()) for item in items)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)


def _digest(files: Sequence[Path], base: Path) -> str:
    return _over((file.relative_to(base).as_posix(), file.read_bytes()) for file in files)


def _over(named: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, content in named:
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()
