"""The Minecraft tasks, those of DEPS (appendix B): 76 in Tables 9 to 16, 69 of them in Table 21."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.errors import MnemocraftError, one_of

LISTS = ("tables9-16", "table21")
LIMITS = ("paper", "code")


@dataclass(frozen=True)
class MinecraftTask:
    """An item to obtain from an empty inventory.

    Attributes:
        id: Its number in Tables 9 to 16.
        key: The printed object, misprints corrected.
        group: ``MT1`` to ``MT8``.
        name: The printed name.
        quantity: Units asked for.
        max_steps: Steps allowed by Table 1, of 50 ms.
        max_steps_code: Steps allowed by the released code.
        in_table21: Whether the paper has results for it.
    """

    id: int
    key: str
    group: str
    name: str
    quantity: int
    max_steps: int
    max_steps_code: int
    in_table21: bool
    _old: str
    _new: str
    _tag: str

    def target(self, version: str) -> str:
        """The item's name in a version of the game."""
        return self._old if version == "1.11.2" else self._new

    def accepts(self, version: str) -> tuple[str, ...]:
        """Items that count, the target first: for a door, one of any wood.

        Raises:
            MnemocraftError: There are no rules of this version.
        """
        members = rules(version).members(f"#{self._tag}") if self._tag else ()
        return tuple(dict.fromkeys((self.target(version), *members)))

    def steps(self, limits: str) -> int:
        """Steps allowed by the ``paper`` or by the released ``code``.

        Raises:
            MnemocraftError: Neither was named.
        """
        one_of("kind of limits", limits, LIMITS)
        return self.max_steps if limits == "paper" else self.max_steps_code


@cache
def minecraft_tasks(which: str = "tables9-16") -> tuple[MinecraftTask, ...]:
    """The 76 tasks of ``tables9-16``, or the 69 of ``table21``, in the paper's order.

    Raises:
        MnemocraftError: There is no such list.
    """
    one_of("task list", which, LISTS)
    every = _read()
    return every if which == "tables9-16" else tuple(task for task in every if task.in_table21)


def minecraft_task(key: str) -> MinecraftTask:
    """One task by its key, such as ``stone_sword``.

    Raises:
        MnemocraftError: There is no such task.
    """
    for candidate in _read():
        if candidate.key == key:
            return candidate
    raise MnemocraftError(f"There is no task {key!r}; a task is one of {', '.join(t.key for t in _read())}.")


@cache
def _read() -> tuple[MinecraftTask, ...]:
    text = (files("mnemocraft.worlds") / "minecraft_tasks.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(text)
    without = groups.pop("not_in_table21")
    rows = [(group, facts, row) for group, facts in groups.items() for row in facts["tasks"]]
    return tuple(
        _task(number, group, facts["max_steps"], facts["max_steps_code"], row, row[0] not in without)
        for number, (group, facts, row) in enumerate(rows, 1)
    )


def _task(number: int, group: str, paper: int, code: int, row: list[str], listed: bool) -> MinecraftTask:
    key, name, *names = row
    old, new, *tag = names or (key, key)
    return MinecraftTask(number, key, group, name, 1, paper, code, listed, old, new, tag[0] if tag else "")
