"""Voyager's curriculum and critic."""

import re

from mnemocraft.surrogate.formats.code import Programmer
from mnemocraft.surrogate.formats.steps import listed
from mnemocraft.surrogate.minds import Mind

_FAILED = re.compile(r"^Failed tasks: (.+)$", re.M)


def propose(mind: Mind) -> str:
    """The first thing on its way to the end that did not fail before; a slip proposes the end at once."""
    if not isinstance(mind, Programmer):
        return listed(mind)
    prompt = mind.conversation.prompt
    failed = set((_FAILED.findall(prompt) or [""])[0].split("; "))
    end = "obtain " + ", ".join(f"{units} {item}" for item, units in mind.target.items())
    on_the_way = [f"obtain {move.before + move.gained} {move.source.item}" for move in mind.moves()]
    fresh = [] if mind.who.slips("propose", prompt) else [task for task in on_the_way if task not in failed]
    return f"Reasoning: it can be had now.\nNext task: {(fresh or [end])[0]}"


def criticise(mind: Mind) -> str:
    """Whether all that the task asks for is in the inventory; a slip says the contrary."""
    if not isinstance(mind, Programmer):
        return "Success: no\nCritique: this cannot be judged."
    prompt, held = mind.conversation.prompt, mind.inventory
    missing = [f"{n - held.get(item, 0)} {item}" for item, n in mind.target.items() if held.get(item, 0) < n]
    done = bool(mind.target) and not missing
    if mind.who.slips("criticise", prompt):
        done = not done
    return "Success: yes\nCritique:" if done else f"Success: no\nCritique: {', '.join(missing)} is missing."
