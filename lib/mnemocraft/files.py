"""Writing files so that a reader sees the old one or the new one, and a full disk is a sentence."""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mnemocraft.errors import MnemocraftError


def named(text: str) -> Path | None:
    """The file of that path; None if there is none, or the text can be none's."""
    with suppress(OSError, RuntimeError, ValueError):  # too long a name, a home of nobody's, a null byte
        path = Path(text).expanduser()
        return path if path.is_file() else None
    return None


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file (a text as UTF-8, newlines as given) so that readers see the old one or the new one.

    Raises:
        MnemocraftError: It cannot be written, e.g. because the disk is full; the old one stands.
    """
    with unwritable(path), replacing(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A draft to write, which takes the place of ``path`` once it is whole; else the old one stands.

    Drafts that killed processes left in the folder are deleted.

    Raises:
        OSError: The folder cannot be made, or the file not be replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    draft = draft_of(path)
    try:
        yield draft
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """Where this thread writes what will replace a file; the name says whose it is, see :func:`sweep`."""
    return path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}-{threading.get_ident()}.tmp")


def sweep(folder: Path) -> None:
    """Delete the drafts that killed processes of this machine left in a folder."""
    for draft in folder.glob(f".*.{platform.node()}.*.tmp"):
        process = draft.name.split(".")[-2].partition("-")[0]
        if process.isdecimal() and not alive(int(process)):
            draft.unlink(missing_ok=True)


def alive(process: int) -> bool:
    """Whether a process of this machine lives."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # another user's
        return True
    return True


@contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Make what the system says against writing a file one sentence."""
    try:
        yield
    except OSError as error:
        raise MnemocraftError(f"{path} cannot be written: {error.strerror or error}") from None
