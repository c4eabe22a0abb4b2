"""Free-form lines of a plan, and the goals of the library that they mean.

A line such as ``mine 3 oak_log`` is read as it is. Of the others the parser model is asked (appendix C.4),
and what it leaves unread becomes the goal whose name is nearest to the line by sentence embeddings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from mnemocraft.agents.deps.code import MAX_CHARACTERS, quoted
from mnemocraft.agents.deps.plan import MAX_STEPS, Step
from mnemocraft.encoders import get_encoder
from mnemocraft.envs.minecraft.goals import DOWN, VERBS, Goal, goal_library
from mnemocraft.worlds.minecraft import MAX_COUNT

_NUMBERED = re.compile(r"^[\s>*#-]*(?:step\s*)?\d+\s*[.:)]\s*(\S.*)$", re.I)
_BULLET = re.compile(r"^\s*[-*]\s+(\S.*)$")
_STEP = re.compile(
    rf"({'|'.join(VERBS)})(?: down to y)?(?: (\d{{1,6}}))?(?: ([a-z][a-z0-9_]*))?"
    r"(?: with (?:an? )?([a-z][a-z0-9_]*))?(?=$|[,.;]| from | on | without | # )",
    re.I,
)
_CHANGING = ("mine", "kill", "craft", "smelt")
"""Verbs of the goals that change the inventory; the others are named as they are or not at all."""
_AROUND = " \t\"'`*_."


def step_lines(text: str) -> list[str]:
    """The lines of an answer that are steps: the numbered ones, else those with a bullet, else all."""
    lines = [line.strip() for line in text[:MAX_CHARACTERS].splitlines() if line.strip()]
    for pattern in (_NUMBERED, _BULLET):
        found = [match.group(1) for line in lines if (match := pattern.match(line))]
        if found:
            return [line.strip(_AROUND) for line in found]
    return [line.strip(_AROUND) for line in lines]


def read_line(line: str, version: str) -> Step | None:
    """The step of a line like ``mine 2 cobblestone with wooden_pickaxe``; None if it is not like that.

    It is not either if the version has nothing of the name, or no such tool.
    """
    match = _STEP.match(line.strip(_AROUND))
    if match is None:
        return None
    verb, number, item, tool = (part.lower() if part else "" for part in match.groups())
    count = int(number or 1)
    if verb == "dig":
        item = item or DOWN
    known = _names(version)
    if not 1 <= count <= MAX_COUNT or item not in known or (verb == "dig") != (item == DOWN):
        return None
    if tool and tool not in known:
        return None
    return Step(Goal(verb, item, count, tool), quoted(line))


def check(lines: Sequence[str]) -> str:
    """What is wrong with the lines of a plan as a whole, in one sentence; empty if nothing is."""
    if not lines:
        return "it has no step."
    return f"it has {len(lines)} steps, and {MAX_STEPS} are allowed." if len(lines) > MAX_STEPS else ""


def question(lines: Sequence[str]) -> str:
    """The parser's request for some lines."""
    return "\n".join(["Lines:", *(f"{place}. {quoted(line)}" for place, line in enumerate(lines, 1))])


def read_parsed(answer: str, lines: Sequence[str], version: str) -> dict[int, Step | None]:
    """What the parser made of the lines, by their places: a step, or None for a line that it calls no step.

    A line of which it made nothing of use is missing.
    """
    found: dict[int, Step | None] = {}
    for match in re.finditer(r"^[^\S\n]*+(\d{1,4})\.[^\S\n]*+(\S.*)$", answer[:MAX_CHARACTERS], re.M):
        place, said = int(match.group(1)) - 1, match.group(2)
        if not 0 <= place < len(lines):
            continue
        if step := read_line(said, version):
            found[place] = Step(step.goal, quoted(lines[place]))
        elif said.strip(_AROUND).lower() == "none":
            found[place] = None
    return found


@cache
def _names(version: str) -> frozenset[str]:
    """Everything that a goal or an item of a version is called."""
    library = goal_library(version)
    return frozenset({item for _, item in library.names} | library.engine.items)


# --- sentence similarity ---------------------------------------------------------------------------------


def nearest(line: str, version: str) -> Step:
    """The goal whose name is nearest to a line, by cosine similarity; the count is the line's first number.

    Goals that share a word with the line are compared, or all of them if none does.

    Raises:
        MissingExtra: sentence-transformers or the package with the weights is not installed.
    """
    words = {word.removesuffix("s") for word in re.findall(r"[a-z]+", line.lower())}
    every = [(verb, item) for verb, item in goal_library(version).names if verb in _CHANGING]
    names = [name for name in every if not words.isdisjoint(name[1].split("_"))] or every
    minilm = get_encoder("minilm")
    texts = [f"{verb} {item.replace('_', ' ')}" for verb, item in names]
    verb, item = names[int(np.argmax(minilm.encode(texts) @ minilm.encode([line])[0]))]
    number = re.search(r"\d{1,4}", line)
    return Step(Goal(verb, item, max(1, int(number.group())) if number else 1), quoted(line))
