"""Game files: found, checked, and read without what would give their answer away.

A game file is code: parts of its grammar are evaluated as Python by the engine. So only files are loaded
whose SHA-256 is in ``known_games.toml``, or which the user declares trusted.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from mnemocraft.errors import MnemocraftError

SPLIT = "json_2.1.1/valid_unseen"
PARTS = ("pddl_domain", "grammar", "pddl_problem")
"""What the engine needs of a file. The rest, such as a walkthrough, is never sent to it."""


@dataclass(frozen=True)
class Game:
    """A game that may be played.

    Attributes:
        name: For messages.
        sha256: Of the file.
        content: Its :data:`PARTS`.
    """

    name: str
    sha256: str
    content: dict[str, str]


@cache
def known_games() -> dict[str, dict[str, str]]:
    """SHA-256 of the games that may be loaded, by set (``valid_unseen``, ``generated``) and by name."""
    return tomllib.loads((files(__package__) / "known_games.toml").read_text(encoding="utf-8"))


@cache
def _known() -> frozenset[str]:
    return frozenset(sha256 for games in known_games().values() for sha256 in games.values())


def read_game(path: str | Path, trusted: bool = False) -> Game:
    """A game from its file.

    Args:
        path: Of the file, in the format of ALFWorld's ``game.tw-pddl``.
        trusted: Load it even if it is not known. It is code that will run on this machine.

    Raises:
        MnemocraftError: It cannot be read, is not known and not trusted, or is no game.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MnemocraftError(f"The game {path} cannot be read ({error.strerror}).") from None
    sha256 = hashlib.sha256(data).hexdigest()
    if not trusted and sha256 not in _known():
        raise MnemocraftError(
            f"The game {path} is none of the {len(_known())} known ones, and the engine runs parts of a "
            "game as code; pass trusted=True if you know who made it."
        )
    try:
        whole = json.loads(data)
        content = {part: whole[part] for part in PARTS}
    except (ValueError, TypeError, KeyError, RecursionError):
        content = {}
    if not content or not all(isinstance(text, str) for text in content.values()):
        raise MnemocraftError(
            f"The file {path} is no game: it must be a JSON object with {', '.join(PARTS)}."
        )
    return Game(path.name if path.name != "game.tw-pddl" else path.parent.name, sha256, content)


def data_folder() -> Path:
    """Where ALFWorld's data are: ``$ALFWORLD_DATA``, or where ``alfworld-download`` puts them by default."""
    return Path(os.environ.get("ALFWORLD_DATA") or Path.home() / ".cache" / "alfworld")


def valid_unseen_path(name: str) -> Path:
    """The file of a game of ALFWorld's split ``valid_unseen`` (134 games of rooms not seen in training).

    Args:
        name: ``<task folder>/<trial>``.

    Raises:
        MnemocraftError: There is no such game, or the user has not downloaded it.
    """
    known = known_games()["valid_unseen"]
    if name not in known:
        raise MnemocraftError(
            f"There is no game {name!r} in valid_unseen; its {len(known)} are named <task folder>/<trial>."
        )
    path = data_folder() / SPLIT / name / "game.tw-pddl"
    if not path.is_file():
        raise MnemocraftError(
            f"ALFWorld's data are not in {data_folder()}: run `alfworld-download`, or set ALFWORLD_DATA "
            "to the folder that has them."
        )
    return path
