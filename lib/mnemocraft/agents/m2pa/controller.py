"""The controller: Table 4's actions as lines of the world, whose own controller carries them out."""

from __future__ import annotations

from collections.abc import Iterator

from mnemocraft.agents.m2pa.answers import Act, Workflow
from mnemocraft.envs.minecraft.goals import DOWN, Goal
from mnemocraft.worlds.minecraft import MAX_COUNT, line_of

_VERBS = {"mine": "mine", "craft": "craft", "smelt": "smelt", "attack": "kill", "equip": "equip"}
IMPLIED = ("find", "approach", "dig_up")
"""Actions without a line of their own: the worlds' goals ``mine`` and ``kill`` find and approach what they
are for, and come back up by themselves."""


def lines(workflow: Workflow) -> Iterator[tuple[str, str]]:
    """The action lines of a workflow, and each in the words that a memory keeps."""
    for repeat in workflow.workflow:
        for act in repeat.actions:
            if act.name not in IMPLIED and (act.args.obj or act.name == "dig_down"):
                yield line(act, repeat.times), words(act, repeat.times)


def line(act: Act, times: int) -> str:
    """``craft 4 stick using planks``: the units of all repetitions in one goal."""
    args = act.args
    if act.name == "dig_down":
        return line_of(Goal("dig", DOWN, args.y))
    goal = Goal(_VERBS[act.name], args.obj, min(MAX_COUNT, times * args.quantity), args.tool)
    return line_of(goal, tuple(args.materials))


def words(act: Act, times: int) -> str:
    """``craft 4 stick from 2 planks on crafting_table``."""
    args = act.args
    if act.name == "dig_down":
        return f"dig down to {args.y}"
    taken = " and ".join(f"{times * units} {item}" for item, units in args.materials.items())
    said = f"{_VERBS[act.name]} {times * args.quantity} {args.obj}"
    parts = ((" from ", taken), (" with ", args.tool), (" on ", args.platform))
    return said + "".join(word + what for word, what in parts if what)
