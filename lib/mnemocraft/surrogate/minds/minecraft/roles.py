"""The surrogate as explainer and as parser of lines: it goes by the words that it is given."""

import re
from collections.abc import Sequence

from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.llm.types import Message
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.minecraft.prompt import version_of

_MESSAGE = re.compile(r"^Message: (.*)$", re.M)
_LACKS = re.compile(r"I cannot (\w+) (\w+): I need (.+)\.$")
_ELSE = re.compile(r"I cannot (\w+) (\w+); it can be had by: (\w+)")
_WEAK = re.compile(r"I cannot (\w+) (\w+) with a \w+: it takes a (.+)\.$")
_LINE = re.compile(r"^(\d+)\. (.+)$", re.M)
_NUMBERS = {
    "a": 1, "one": 1, "some": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_VERBS = {
    "mine": "mine chop dig gather collect break harvest punch shear milk",
    "craft": "craft make build create",
    "smelt": "smelt cook burn roast",
    "kill": "kill hunt slay fight attack",
}
_VERB_OF = {word: verb for verb, words in _VERBS.items() for word in words.split()}


def explain(request: str, who: Competence, sample: int) -> str:
    """What an explainer says about a message of the world; a slip misses the point."""
    message = (_MESSAGE.findall(request) or [""])[0]
    if who.slips("explain", request, sample):
        return "Explanation: Because something was not as it should be. So try it again."
    if lacks := _LACKS.search(message):
        verb, item, missing = lacks.groups()
        reason = f"Because to {verb} {item} needs {missing}, which is not there."
        return f"Explanation: {reason} So get that first."
    if other := _ELSE.search(message):
        verb, item, way = other.groups()
        return f"Explanation: Because {item} cannot be had with {verb}. So {way} {item} instead."
    if weak := _WEAK.search(message):
        verb, item, tools = weak.groups()
        return f"Explanation: Because to {verb} {item} needs a {tools}. So get a {tools} first."
    return f"Explanation: Because the world says: {message or 'nothing'}. So do it another way."


def parse(messages: Sequence[Message]) -> str:
    """Each line as verb, count and item, or ``none``."""
    version = version_of(messages)
    lines = _LINE.findall(messages[-1]["content"])
    return "\n".join(f"{number}. {_read(text, version)}" for number, text in lines)


def _read(text: str, version: str) -> str:
    words = re.findall(r"\w+", text.lower())
    verb = next((_VERB_OF[word] for word in words if word in _VERB_OF), "")
    number = next((int(word) for word in words if word.isdigit()), 0) or next(
        (_NUMBERS[word] for word in words if word in _NUMBERS), 1
    )
    named = " ".join(word.rstrip("s") for word in words)
    known = engine(version, "game").operators
    items = [item for other, item in known if other == verb and item.replace("_", " ").rstrip("s") in named]
    return f"{verb} {number} {max(items, key=len)}" if verb and items else "none"
