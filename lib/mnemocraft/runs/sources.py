"""Fingerprints: the files that decide how an episode goes, found by following imports."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mnemocraft import paths

_PACKAGE = Path(paths.__file__).parent
_NAME = _PACKAGE.name
_ENTRY_POINT = re.compile(rf"({_NAME}(?:\.\w+)+):\w+(?:\.\w+)*")
_LEFT_OUT = (f"{_NAME}.runs", f"{_NAME}.files", f"{_NAME}.paths")
TEXTS = (".toml", ".json", ".txt")
"""Data files beside a module, such as prompts, that count with it."""


def fingerprint(start: Callable[..., Any], data: Sequence[str] = ()) -> dict[str, str]:
    """SHA-256 of the code and data that a study's ``start`` can reach, in hex.

    Code is the import closure of its module: every module of this package that is imported anywhere in one,
    also inside functions but not for type checking only, or named there as an entry point
    (``"mnemocraft.encoders:MiniLM"``), with the prompt and data files of its folder. ``runs`` itself,
    ``files`` and ``paths`` are left out: they keep results and decide none.

    Args:
        start: A function of a module of this package.
        data: Patterns of files in ``data/``.
    """
    return _fingerprint(start.__module__, tuple(data))


@cache
def _fingerprint(module: str, data: tuple[str, ...]) -> dict[str, str]:
    code = sorted({file for name in closure(module) for file in _files(name)})
    stored = [file for pattern in data for file in sorted(paths.DATA.glob(pattern))]
    return {"code": _digest(code, _PACKAGE), "data": _digest(stored, paths.DATA)}


def closure(module: str) -> list[str]:
    """The modules of this package that a module imports, directly or not, and itself, sorted by name."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or not _file(name) or _left_out(name):
            continue
        found.add(name)
        waiting += [name.rpartition(".")[0], *imported(name)]
    return sorted(found)


def _left_out(module: str) -> bool:
    return any(f"{module}.".startswith(f"{name}.") for name in _LEFT_OUT)


@cache
def imported(module: str) -> tuple[str, ...]:
    """The modules of this package that a module imports or names as entry points.

    A name that a package imports only when it is asked for (:mod:`mnemocraft.lazy`) stands for its module.
    """
    names = [name for node in _nodes(_tree(module)) for name in _names(node)]
    return tuple(_resolved(name) for name in names if name.split(".")[0] == _NAME)


def _resolved(name: str) -> str:
    package, _, attribute = name.rpartition(".")
    return name if _file(name) else f"{package}.{_lazy(package).get(attribute, '')}".rstrip(".")


@cache
def _lazy(package: str) -> dict[str, str]:
    """Module by name of a package with a table ``_MODULES``."""
    for node in _tree(package).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_MODULES":
            table = ast.literal_eval(node.value)
            return {name: module for module, names in table.items() for name in names.split()}
    return {}


@cache
def _tree(module: str) -> ast.Module:
    file = _file(module)
    return ast.parse(file.read_text(encoding="utf-8")) if file else ast.Module([], [])


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those under ``if TYPE_CHECKING``."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        entry = _ENTRY_POINT.fullmatch(node.value)
        return [entry[1]] if entry else []
    return []


@cache
def _file(module: str) -> Path | None:
    """The file of a module of this package; None if it is none."""
    path = _PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _files(module: str) -> Iterator[Path]:
    file = _file(module)
    assert file is not None
    yield file
    nearby = [*file.parent.iterdir(), *file.parent.glob("prompts/*")]
    yield from (other for other in nearby if other.suffix in TEXTS)


def _digest(files: Sequence[Path], base: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        name = file.relative_to(base).as_posix()
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
