"""Every kind of world by name. A new kind is an environment, a module with its world, and one row here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mnemocraft.registry import entry, made
from mnemocraft.worlds.world import World

KINDS = {
    "plancraft": "mnemocraft.worlds.plancraft:plancraft",
    "kitchen": "mnemocraft.worlds.kitchen:kitchen",
    "textworld": "mnemocraft.worlds.textworld:textworld",
    "overworld": "mnemocraft.worlds.overworld:overworld",
    "minedojo": "mnemocraft.worlds.overworld:minedojo",
    "tabletop": "mnemocraft.worlds.tabletop:tabletop",
    "household": "mnemocraft.worlds.household:household",
}
"""Where the maker of each kind of world is; its module also has ``task_names()``."""


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
    return made(entry(KINDS, kind, "kind of world"), f"{kind} world", name, seed, **options)


def tasks(kind: str | None = None) -> list[str]:
    """The ids of all tasks of a kind of world; without one, of all kinds.

    Raises:
        MnemocraftError: There is no such kind.
    """
    modules = {
        each: entry(KINDS, each, "kind of world").__module__ for each in (KINDS if kind is None else [kind])
    }
    return [f"{each}/{name}" for each, at in modules.items() for name in import_module(at).task_names()]
