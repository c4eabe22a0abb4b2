"""The roles beside a planner, which go by the words that they are given: explainer and parser."""

import re

from mnemocraft.surrogate.minds import Mind

_MESSAGE = re.compile(r"^Message: (.*)$", re.M)
_LACKS = re.compile(r"I cannot (\w+) (\w+): I need (.+)\.$")
_LINE = re.compile(r"^(\d+)\. (.+)$", re.M)
_ELSE = re.compile(r"I cannot (\w+) (\w+); it can be had by: (\w+)")
_WEAK = re.compile(r"I cannot (\w+) (\w+) with a \w+: it takes a (.+)\.$")


def explain(mind: Mind) -> str:
    """What an explainer says about a message of the world; a slip misses the point."""
    seen = mind.conversation
    message = (_MESSAGE.findall(seen.prompt) or [""])[0]
    if mind.who.slips("explain", seen.prompt, seen.sample):
        return "Explanation: Because something was not as it should be. So try it again."
    if lacks := _LACKS.search(message):
        verb, item, missing = lacks.groups()
        return (
            f"Explanation: Because to {verb} {item} needs {missing}, which is not there. So get that first."
        )
    if other := _ELSE.search(message):
        verb, item, way = other.groups()
        return f"Explanation: Because {item} cannot be had with {verb}. So {way} {item} instead."
    if weak := _WEAK.search(message):
        verb, item, tools = weak.groups()
        return f"Explanation: Because to {verb} {item} needs a {tools}. So get a {tools} first."
    return f"Explanation: Because the world says: {message or 'nothing'}. So do it another way."


def translate(mind: Mind) -> str:
    """A parser: each numbered line as an action line of the world, or ``none``."""
    lines = _LINE.findall(mind.conversation.prompt)
    return "\n".join(f"{number}. {mind.translate(text)}" for number, text in lines)
