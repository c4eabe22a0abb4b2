"""Reading what a model answered. An answer is data: nothing of it is evaluated, and anything may be wrong."""

import json
import re
from dataclasses import dataclass

from mnemocraft.agents.prompts import one_line

_FIELD = re.compile(
    r"^[\s>*_#-]*(reasoning|action|summary|current progress|plan)[*_]*[ \t]*:[*_]*", re.M | re.I
)
_NUMBERED = re.compile(r"^[\s>*_-]*\d+[.)][ \t]*(\S.*)$", re.M)
_AROUND = " \t\r\n\"'`*_“”‘’."
NO_ACTION = 'The answer had no line "Action: ..." with one of the valid actions.'


def read_fields(answer: str) -> dict[str, str]:
    """The named parts of an answer, by lower-case name; of a name that comes twice the last one counts.

    A part reaches from its name at the beginning of a line, in Markdown or not, to the next name.
    """
    _, *parts = _FIELD.split(answer)
    names, texts = parts[::2], parts[1::2]
    return {name.lower(): text.strip() for name, text in zip(names, texts, strict=True)}


def read_action(answer: str) -> str:
    """The first line of the last ``Action:``, bare; empty if there is none."""
    lines = read_fields(answer).get("action", "").splitlines()
    return bare(lines[0]) if lines else ""


def read_steps(answer: str) -> list[str]:
    """The numbered lines under the last ``Plan:``, bare."""
    return [bare(step) for step in _NUMBERED.findall(read_fields(answer).get("plan", ""))]


def bare(text: str) -> str:
    """A text without quotation marks, back-ticks, Markdown emphasis and full stops around it."""
    return text.strip(_AROUND)


@dataclass(frozen=True)
class Decomposition:
    """ReCAP's answer: a thought and the subtasks still to be done, first one first."""

    think: str
    subtasks: list[str]


def read_decomposition(answer: str) -> Decomposition | str:
    """The last JSON object with subtasks, wherever it stands; else what was wrong, in one sentence."""
    objects = [item for item in _json_objects(answer) if "subtasks" in item]
    if not objects:
        return 'The answer had no JSON object with "think" and "subtasks".'
    subtasks, think = objects[-1]["subtasks"], objects[-1].get("think", "")
    if not isinstance(subtasks, list) or not all(isinstance(subtask, str) for subtask in subtasks):
        return '"subtasks" was not a list of texts.'
    if not isinstance(think, str):
        return '"think" was not a text.'
    named = [one_line(bare(subtask)) for subtask in subtasks]
    return Decomposition(one_line(think), [subtask for subtask in named if subtask])


def _json_objects(text: str) -> list[dict]:
    """The JSON objects in a text that are not inside one another, among prose and code fences."""
    decoder = json.JSONDecoder()
    objects, start = [], text.find("{")
    while start >= 0:
        try:
            item, end = decoder.raw_decode(text, start)
            objects.append(item)
        except (ValueError, RecursionError):  # the latter: thousands of brackets inside one another
            end = start + 1
        start = text.find("{", end)
    return objects
