"""M2PA's JSON: sub-goals, workflows, reflections, and the skills of its rival's graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mnemocraft.surrogate.formats.code import Programmer
from mnemocraft.surrogate.formats.steps import listed
from mnemocraft.surrogate.formats.words import explain
from mnemocraft.surrogate.minds import Mind

if TYPE_CHECKING:
    from mnemocraft.surrogate.minds.minecraft.planner import Move


def sub_goals(mind: Mind) -> str:
    """Every move as a sub-goal."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    return json.dumps({"subgoals": [_sub_goal(move) for move in mind.moves()]})


def workflow(mind: Mind) -> str:
    """The moves to what is asked for; what is mined is looked for first."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    return json.dumps({"explanation": "", "workflow": [_repeat(move) for move in mind.moves()]})


def reflection(mind: Mind) -> str:
    """As an explainer where something failed, else that all is well."""
    failed = "\nMessage: " in mind.conversation.prompt
    said = explain(mind).removeprefix("Explanation: ") if failed else "The agent is on its way."
    return json.dumps({"achieved": not failed, "reflection": said})


def skills(mind: Mind) -> str:
    """The moves as nodes of a graph."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    found = {move.source.item: move for move in mind.moves()}
    return json.dumps({"skills": [_skill(move) for move in found.values()]})


def _sub_goal(move: Move) -> dict[str, Any]:
    source = move.source
    needs = {"tool": source.tool or None, "platform": source.station or None}
    return {"task": source.item, "quantity": move.gained, "materials": dict(move.takes)} | needs


def _repeat(move: Move) -> dict[str, Any]:
    source = move.source
    args: dict[str, Any] = {"obj": source.item}
    if source.verb == "mine":
        find = {"name": "find", "args": dict(args)}
        return {
            "times": move.gained,
            "actions": [find, _action("mine", args | {"tool": source.tool or None})],
        }
    args |= {"quantity": move.gained, "materials": dict(move.takes), "platform": source.station or None}
    return {"times": 1, "actions": [_action(source.verb, args)]}


def _action(name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "args": args}


def _skill(move: Move) -> dict[str, Any]:
    source = move.source
    fuel = {"coal": 1} if source.fuel else {}
    parts = {"consumes": dict(source.takes) | fuel, "requires": dict(source.needs)}
    return {"verb": source.verb, "item": source.item, "makes": source.makes} | parts
