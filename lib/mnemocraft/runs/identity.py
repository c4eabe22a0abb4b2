"""Names that say what a result belongs to, so that changed settings never reuse old results."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mnemocraft.errors import MnemocraftError
from mnemocraft.paths import ROOT
from mnemocraft.runs.study import ModelSpec, Stream, Study

SCHEME = 1
"""Version of the identity scheme; raising it makes every kept result count as another experiment's."""

TRANSPORT = ("timeout", "threads")
"""Model options that change how an answer comes, not what it says."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of ``value``, in hex."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()


@dataclass(frozen=True)
class StreamIdentity:
    """The names of one stream of a study played by one model."""

    config: str
    """Hash of everything but seed and tasks."""
    stem: str
    """Name of the stream's files, without suffix."""
    root: str
    """Hash of everything but the tasks."""
    tasks: tuple[str, ...]

    @cached_property
    def episodes(self) -> list[str]:
        """Of each episode, see :func:`chain`."""
        return chain(self.root, self.tasks)


def chain(root: str, tasks: Iterable[str]) -> list[str]:
    """One hash per episode: the stream's root and the tasks up to and including its own.

    A longer list of tasks shares the identities, and the results, of its beginning.
    """
    links = []
    for task in tasks:
        root = digest([root, task])
        links.append(root)
    return links


def identify(study: Study, stream: Stream, spec: ModelSpec) -> StreamIdentity:
    """Name a stream. Raises if the settings cannot be written as JSON or the condition's id is unsafe."""
    condition = stream.condition
    if not condition.id or any(not (c.isalnum() or c in "/._=-") for c in condition.id):
        raise MnemocraftError(f"condition id {condition.id!r} may hold only letters, digits and / . _ = -")
    options = {name: value for name, value in spec.options.items() if name not in TRANSPORT}
    try:
        config = digest(
            {
                "scheme": SCHEME,
                "study": study.name,
                "settings": condition.settings,
                "model": {"name": spec.content_name, "options": options},
                "time_limit": study.time_limit,
                "fingerprint": study.fingerprint,
            }
        )
    except TypeError as error:
        raise MnemocraftError(
            f"condition {condition.id} has settings that JSON cannot hold: {error}"
        ) from None
    root = digest([config, stream.seed])
    stem = f"{condition.id.replace('/', '__')}--s{stream.seed}--{root[:12]}"
    return StreamIdentity(config, stem, root, stream.tasks)


def code_version() -> str:
    """The last commit that touched the code, ``+dirty`` if the code differs from it, ``unknown`` without git.

    Only ``lib`` and ``pyproject.toml`` count, so that committing results does not change it.
    """
    code = ["--", "lib", "pyproject.toml"]
    commit = _git("log", "-1", "--format=%H", *code)[:12]
    if not commit:
        return "unknown"
    return commit + ("+dirty" if _git("status", "--porcelain", *code) else "")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
