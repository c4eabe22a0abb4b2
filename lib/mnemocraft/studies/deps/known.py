"""What the small model was shown of Minecraft: half of all items, whatever the prompt says.

The other half it has only seen made where the context says how: after an explanation, a memory or an insight
about them (:mod:`training.finetune.worlds`). So *knows* and *must be told* are conditions of a study.
"""

from __future__ import annotations

from functools import cache

from mnemocraft.studies.small_player import half
from mnemocraft.surrogate.minds.minecraft.sources import FUEL, shortest
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks

VERSIONS = ("1.11.2", "1.16.5")
"""Of Minecraft, those of the studies."""
BASIC = 4
"""An item on the way to more than so many of the 76 tasks is known: little could be made without it."""


@cache
def needed(version: str, item: str) -> frozenset[str]:
    """Everything on the shortest way to an item, itself included."""
    sources, found, left = shortest(version), set[str](), [item]
    while left:
        if (each := left.pop()) not in found and each in sources:
            found.add(each)
            left += [part for part, _ in (*sources[each].takes, *sources[each].needs)]
            left += [FUEL] if sources[each].fuel else []
    return frozenset(found)


@cache
def basic_items() -> frozenset[str]:
    """Items that many others need, see :data:`BASIC`."""
    ways = [needed(v, task.target(v)) - {task.target(v)} for v in VERSIONS for task in minecraft_tasks()]
    return frozenset(
        item for item in set().union(*ways) if sum(item in way for way in ways) > BASIC * len(VERSIONS)
    )


@cache
def known_items() -> frozenset[str]:
    """The basic items, and half of all others."""
    others = {item for version in VERSIONS for item in shortest(version)} - basic_items()
    return basic_items() | half("items", tuple(others))


@cache
def known(version: str, task: str) -> bool:
    """Whether all that a task takes is known, on the shortest way to it from nothing."""
    target = minecraft_task(task).target(version)
    return needed(version, target) <= known_items()
