"""Every kind of world by name. A new kind is an environment, a module with its world, and one row here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.world import World

KINDS = {
    "plancraft": "mnemocraft.worlds.plancraft:plancraft",
    "kitchen": "mnemocraft.worlds.kitchen:kitchen",
    "textworld": "mnemocraft.worlds.textworld:textworld",
    "overworld": "mnemocraft.worlds.overworld:overworld",
    "minedojo": "mnemocraft.worlds.overworld:minedojo",
}
"""Where the maker of each kind of world is; its module also has ``task_names(kind)``."""


def make(task: str, seed: int = 0, **options: Any) -> World:
    """A task at its beginning.

    Args:
        task: Its id: the kind of world, then what the kind calls it, such as ``plancraft/low/VAL0001``,
            ``kitchen/sync/3`` or ``textworld/stone_sword``; :func:`tasks` lists them.
        seed: Of what is random in the world.
        options: Of the kind's maker, such as ``max_steps``.

    Raises:
        MnemocraftError: There is no such kind, task or option.
    """
    kind, _, name = task.partition("/")
    maker = _maker(kind)
    known = [parameter for parameter in inspect.signature(maker).parameters if parameter not in _GIVEN]
    for option in options:
        if option not in known:
            raise MnemocraftError(f"A {kind} world has no option {option!r}; it has {', '.join(known)}.")
    return maker(name, seed, **options)


def tasks(kind: str | None = None) -> list[str]:
    """The ids of all tasks of a kind of world; without one, of all kinds.

    Raises:
        MnemocraftError: There is no such kind.
    """
    kinds = KINDS if kind is None else [kind]
    return [
        f"{each}/{name}" for each in kinds for name in import_module(_maker(each).__module__).task_names(each)
    ]


_GIVEN = ("name", "seed")


def _maker(kind: str) -> Callable[..., World]:
    if kind not in KINDS:
        raise MnemocraftError(
            f"There is no kind of world {kind!r}; a task's id begins with one of {', '.join(KINDS)}."
        )
    module, _, name = KINDS[kind].partition(":")
    return getattr(import_module(module), name)
