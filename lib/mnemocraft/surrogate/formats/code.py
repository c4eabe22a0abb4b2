"""Programs: the formats of Minecraft's planners that are made of calls.

In a world that has no functions to call, a program is a list of steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from mnemocraft.surrogate.formats.steps import listed
from mnemocraft.surrogate.minds import Mind

if TYPE_CHECKING:
    from mnemocraft.surrogate.minds.minecraft.planner import Move


@runtime_checkable
class Programmer(Protocol):
    """A mind whose steps are calls."""

    @property
    def target(self) -> Mapping[str, int]:
        """Units by item that the task asks for."""

    @property
    def inventory(self) -> Mapping[str, int]:
        """Units by item now."""

    def moves(self) -> list[Move]:
        """What it would do from here on."""


def plan(mind: Mind) -> str:
    """DEPS: a function without loops, one call a line."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    head = f"def {_name(mind)}(inventory={json.dumps(mind.inventory)}):"
    lines = [
        f"    {_call(move, move.gained)}  # step {number}: {move.words}"
        for number, move in enumerate(mind.moves(), 1)
    ]
    return "\n".join([head, *lines, _returned(mind)])


def program(mind: Mind) -> str:
    """ProgPrompt: imported functions that are named after verb and item."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    moves = mind.moves()
    names = [f"{move.source.verb}_{move.source.item}" for move in moves]
    lines = [f"from actions import {', '.join(dict.fromkeys(names))}"] if names else []
    lines.append(f"def {_name(mind)}(inventory={{}}):")
    lines += [
        f"    {name}(num={move.gained})  # step {number}: {move.words}"
        for number, (name, move) in enumerate(zip(names, moves, strict=True), 1)
    ]
    return "\n".join([*lines, _returned(mind)])


def policy(mind: Mind) -> str:
    """Code as policies: it gathers in loops, and asserts what a recipe takes."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    lines = [f"def {_name(mind)}():"]
    for number, move in enumerate(mind.moves(), 1):
        item, wanted = move.source.item, move.before + move.gained
        lines.append(f"    # step {number}: {move.words}")
        if move.source.verb == "mine":
            lines += [f'    while count("{item}") < {wanted}:', f"        {_call(move, 1)}"]
            continue
        lines += [
            f'    assert count("{part}") >= {units}, "not enough {part} for {item}"'
            for part, units in move.takes
        ]
        lines.append(f"    {_call(move, move.gained)}")
    return "\n".join([*lines, _returned(mind)])


def _name(mind: Programmer) -> str:
    return "obtain_" + "_and_".join(f"{units}_{item}" for item, units in mind.target.items())


def _returned(mind: Programmer) -> str:
    return f"    return {json.dumps(next(iter(mind.target), ''))}"


def _call(move: Move, gained: int) -> str:
    """``mine({"cobblestone": 2}, tool="wooden_pickaxe")``."""
    source = move.source
    what = json.dumps({source.item: gained})
    if source.verb == "mine":
        return f"mine({what}, tool={json.dumps(source.tool) if source.tool else None})"
    taken, station = json.dumps(dict(move.takes)), json.dumps(source.station) if source.station else None
    return f"{source.verb}({what}, {taken}, station={station})"
