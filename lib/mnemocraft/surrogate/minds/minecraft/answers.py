"""Plans in the formats of the methods."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.minecraft.planner import Move, Planner
from mnemocraft.surrogate.minds.minecraft.prompt import Dialogue
from mnemocraft.surrogate.minds.minecraft.ways import Way, believed, corrected

PATIENCE = 3
"""Failures in a row after which it gives up, where it is asked for one step at a time."""


def write(dialogue: Dialogue, who: Competence) -> str:
    """The next answer of a planner."""
    moves = moves_of(dialogue, who)
    if len(moves) > 1 and who.slips("plan", dialogue.turn, *dialogue.target):
        moves.remove(pick(moves, "slip", who.seed, dialogue.turn))
    if dialogue.format == "one step at a time":
        return _next_step(moves, dialogue)
    return _WRITERS.get(dialogue.format, _steps)(moves, dialogue)


def moves_of(dialogue: Dialogue, who: Competence) -> list[Move]:
    """What it would do from here on."""

    def belief(item: str) -> Way:
        way = believed(dialogue.version, item, who, dialogue.failures.get(item, 0))
        return corrected(way, dialogue.version, dialogue.lessons, who)

    return Planner(belief, dialogue.inventory).plan(dialogue.target, dialogue.inventory)


# --- words --------------------------------------------------------------------------------------------


def _listed(parts: Sequence[tuple[str, int]]) -> str:
    return " and ".join(f"{units} {item}" for item, units in parts)


def _words(move: Move) -> str:
    """``craft 1 stone_sword from 2 cobblestone and 1 stick, on crafting_table``."""
    way = move.way
    source = f" from {_listed(move.takes)}" if move.takes else ""
    station = f", on {way.station}" if way.station else ""
    tool = f" with {way.tool}" if way.tool and way.verb == "mine" else ""
    return f"{way.verb} {move.gained} {way.item}{tool}{source}{station}"


def _steps(moves: Sequence[Move], dialogue: Dialogue) -> str:
    short = (f"{move.way.verb} {move.gained} {move.way.item}" for move in moves)
    return "\n".join(f"step {number}: {line}" for number, line in enumerate(short, 1))


def _thoughts(moves: Sequence[Move], dialogue: Dialogue) -> str:
    lines = []
    for number, move in enumerate(moves, 1):
        after = move.before + move.gained
        lines += [f"step {number}: {_words(move)}", f"Thinking: then there are {after} {move.way.item}"]
    return "\n".join(lines)


def _next_step(moves: Sequence[Move], dialogue: Dialogue) -> str:
    if not moves or dialogue.stubborn >= PATIENCE:
        return "Thought: nothing is left that I could do\nAction: stop"
    way = moves[0].way
    needed = _listed([*moves[0].takes, *way.needs]) or "nothing"
    return (
        f"Thought: to {way.verb} {way.item} needs {needed}\nAction: {way.verb} {moves[0].gained} {way.item}"
    )


# --- code ---------------------------------------------------------------------------------------------


def _name(target: Mapping[str, int]) -> str:
    return "obtain_" + "_and_".join(f"{units}_{item}" for item, units in target.items())


def _call(move: Move, gained: int) -> str:
    """``mine({"cobblestone": 2}, tool="wooden_pickaxe")``."""
    way = move.way
    what = json.dumps({way.item: gained})
    if way.verb == "mine":
        return f"mine({what}, tool={json.dumps(way.tool) if way.tool else None})"
    taken = json.dumps(dict(move.takes))
    return f"{way.verb}({what}, {taken}, station={json.dumps(way.station) if way.station else None})"


def _plan(moves: Sequence[Move], dialogue: Dialogue) -> str:
    lines = [f"def {_name(dialogue.target)}(inventory={json.dumps(dialogue.inventory)}):"]
    lines += [
        f"    {_call(move, move.gained)}  # step {number}: {_words(move)}"
        for number, move in enumerate(moves, 1)
    ]
    return "\n".join([*lines, _returned(dialogue)])


def _program(moves: Sequence[Move], dialogue: Dialogue) -> str:
    names = [f"{move.way.verb}_{move.way.item}" for move in moves]
    lines = [f"from actions import {', '.join(dict.fromkeys(names))}"] if names else []
    lines.append(f"def {_name(dialogue.target)}(inventory={{}}):")
    lines += [
        f"    {name}(num={move.gained})  # step {number}: {_words(move)}"
        for number, (name, move) in enumerate(zip(names, moves, strict=True), 1)
    ]
    return "\n".join([*lines, _returned(dialogue)])


def _policy(moves: Sequence[Move], dialogue: Dialogue) -> str:
    """A policy that gathers in loops, and asserts what a recipe takes."""
    lines = [f"def {_name(dialogue.target)}():"]
    for number, move in enumerate(moves, 1):
        item, wanted = move.way.item, move.before + move.gained
        lines.append(f"    # step {number}: {_words(move)}")
        if move.way.verb == "mine":
            lines += [f'    while count("{item}") < {wanted}:', f"        {_call(move, 1)}"]
            continue
        lines += [
            f'    assert count("{part}") >= {units}, "not enough {part} for {item}"'
            for part, units in move.takes
        ]
        lines.append(f"    {_call(move, move.gained)}")
    return "\n".join([*lines, _returned(dialogue)])


def _returned(dialogue: Dialogue) -> str:
    return f"    return {json.dumps(next(iter(dialogue.target), ''))}"


_WRITERS: dict[str, Callable[[Sequence[Move], Dialogue], str]] = {
    "list of steps": _steps,
    "steps with thoughts": _thoughts,
    "program": _program,
    "plan": _plan,
    "policy": _policy,
}
