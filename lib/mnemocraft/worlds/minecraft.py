"""What the Minecraft worlds share: goals as action lines, when a task is done, and their words."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from string import Template
from typing import Any

from mnemocraft.envs.minecraft.goals import DOWN, VERBS, Goal, GoalLibrary
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.minecraft_tasks import MinecraftTask
from mnemocraft.worlds.world import Observation

GIVEN_TOOL = "diamond_axe"
"""In the inventory at every start (an axe in DEPS's Table 1, of diamond in its released code), never
described."""
UNDERGROUND = ("iron_ore", "gold_ore", "redstone", "lapis_lazuli", "coal")
MAX_COUNT = 10_000
"""Units of a goal."""
_CODE_LIMITS = {"craft": 150, "smelt": 200}
_OLD_NAMES = {"log": "log", "planks": "planks", "button": "wooden_button"}
_NAMES = {"log": "oak_log", "planks": "oak_planks", "button": "oak_button"}
_NAME = r"[a-z][a-z0-9_]{0,63}"
_LINE = re.compile(
    rf"({'|'.join(VERBS)})(?: down to y)?(?: (\d{{1,6}}))?(?: ({_NAME}))?"
    rf"(?: with (?:an? )?({_NAME}))?(?: using ({_NAME}(?:, {_NAME})*))?\.?"
)
_UNREADABLE = (
    '"{}" is no action; write one of mine, kill, craft, smelt, equip and place, how many, and the name of an '
    "item (for kill, of a mob), such as: mine 3 {}."
)
WORDING = Template("""# Actions
An action is one line: one of mine, kill, craft and smelt, how many, and the item (for kill, the mob):
- mine 3 $log
- craft 4 $planks
""")
_QUOTED = 160


def example_names(version: str) -> dict[str, str]:
    """Items that texts name as examples, by their names from 1.13 on or before."""
    return _OLD_NAMES if version == "1.11.2" else _NAMES


class Demand:
    """Knows when a task is done: units of the target, or of what counts for it, in the inventory.

    Args:
        target: Units by item.
        accepts: By item, all items that count; an item that is missing here counts alone.
    """

    def __init__(self, target: Mapping[str, int], accepts: Mapping[str, Collection[str]]) -> None:
        self.target = dict(target)
        self._accepts = {item: tuple(accepts.get(item, (item,))) for item in target}

    def lacking(self, inventory: Mapping[str, int]) -> str:
        """``0 of 1 stone_sword``; empty if nothing is lacking."""
        had = {item: sum(inventory.get(i, 0) for i in self._accepts[item]) for item in self.target}
        missing = [f"{had[item]} of {n} {item}" for item, n in self.target.items() if had[item] < n]
        return ", ".join(missing)


def demand(task: MinecraftTask, version: str) -> Demand:
    """When a task is done."""
    item = task.target(version)
    return Demand({item: task.quantity}, {item: task.accepts(version)})


def left_by(library: GoalLibrary, verb: str, item: str) -> tuple[str, ...]:
    """What a goal leaves in the inventory, ``mine iron_ore`` raw_iron in 1.19.2; empty if there is none."""
    if (verb, item) not in library.names:
        return ()
    return tuple(name for name, _ in library.objective(Goal(verb, item)))


def listed(inventory: Mapping[str, int]) -> str:
    """``10 oak_planks, 4 stick``, or ``nothing``."""
    return ", ".join(f"{units} {item}" for item, units in inventory.items() if units) or "nothing"


def observation(goal: str, inventory: Mapping[str, int], biome: str = "", image: Any = None) -> Observation:
    """What a Minecraft world shows."""
    scene = f"Inventory: {listed(inventory)}" + (f"\nBiome: {biome}" if biome else "")
    return Observation(f"Task: {goal}\n{scene}", scene, inventory, image=image, biome=biome)


# --- goals as lines ---------------------------------------------------------------------------------------


def line_of(goal: Goal, using: Sequence[str] = ()) -> str:
    """A goal as an action line; of fuels and materials those of ``using`` are preferred."""
    line = f"dig {goal.count} {goal.item}" if goal.verb == "dig" and goal.item != DOWN else str(goal)
    return f"{line} using {', '.join(using)}" if using else line


@lru_cache(maxsize=1 << 12)
def read(action: str, version: str) -> tuple[Goal, tuple[str, ...]]:
    """The goal of an action line, and which materials to prefer. The item may be one that there is not.

    Raises:
        MnemocraftError: It is no action line, and no tool call as JSON; one sentence.
    """
    match = _LINE.fullmatch(_from_json(action).strip())
    wrong = MnemocraftError(
        _UNREADABLE.format(" ".join(action.split())[:_QUOTED], example_names(version)["log"])
    )
    if match is None:
        raise wrong
    verb, number, item, tool, using = match.groups()
    item, count = item or (DOWN if verb == "dig" else ""), int(number or 1)
    if not item or not 1 <= count <= MAX_COUNT:
        raise wrong
    return Goal(verb, item, count, tool or ""), tuple(using.split(", ")) if using else ()


def _from_json(action: str) -> str:
    """A tool call ``{"name": "mine", "arguments": {"item": "oak_log", "count": 3}}`` as a line."""
    if not action.lstrip().startswith("{"):
        return action
    try:
        call = json.loads(action)
        given = call.get("arguments", {})
        tool = f" with {given['tool']}" if given.get("tool") else ""
        return f"{call['name']} {given.get('count', 1)} {given['item']}{tool}"
    except (ValueError, RecursionError, KeyError, AttributeError, TypeError):
        return ""


def goal_limit(goal: Goal, limits: str) -> int:
    """Steps after which a goal counts as failed.

    ``paper``: after the episodes of DEPS's Table 18, where a controller is evaluated (3,000 for iron ore,
    here for all ores; 12,000 for diamonds; 600 for anything else, here for each unit). ``code``: 150 to
    craft, 200 to smelt, for others only the episode's limit.
    """
    if limits == "code":
        return _CODE_LIMITS.get(goal.verb, 1_000_000)
    if goal.verb == "mine" and goal.item == "diamond":
        return 12_000
    if goal.verb == "dig" or goal.item in UNDERGROUND:
        return 3000
    return 600 * (1 if goal.verb == "place" else goal.count)
