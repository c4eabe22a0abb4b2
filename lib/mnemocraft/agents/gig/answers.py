"""Reading what a model answered. An answer is data: nothing of it is evaluated, and anything may be wrong."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from mnemocraft.agents.prompts import one_line
from mnemocraft.bounded import json_objects

_FIELD = re.compile(
    r"[\s>*_#-]*+(reasoning|action|summary|current progress|plan)[*_]*+[ \t]*+:[*_]*+(.*)", re.I | re.S
)
_SUMS_UP, _BULLET = ("summary", "current progress"), re.compile(r"\s*+[-*]\s")
_NUMBERED = re.compile(r"[\s>*_-]*+\d++[.)][ \t]*+(\S.*)")
_RULE = re.compile(r"[\s>*_#-]*+")
_AROUND = " \t\r\n\"'`*_“”‘’."
NO_ACTION = 'The answer had no line "Action: ..." with one of the valid actions.'


def read_fields(answer: str) -> dict[str, str]:
    """The named parts of an answer, by lower-case name; of a name that comes twice the last one counts.

    A part reaches from its name at the beginning of a line, in Markdown or not, to the next name. A summary
    may speak of an action that stands before it, and its bullets begin no part.
    """
    fields: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in answer.split("\n"):
        field = _FIELD.fullmatch(line)
        name = field.group(1).lower() if field else ""
        summed_up = not fields.keys().isdisjoint(_SUMS_UP)
        if field and not (summed_up and (_BULLET.match(line) or (name == "action" and name in fields))):
            _without_rules(lines)
            lines = fields[name] = [field.group(2)]
        else:
            lines.append(line)
    return {name: "\n".join(lines).strip() for name, lines in fields.items()}


def _without_rules(lines: list[str]) -> None:
    """Drop the blank lines and rulers before the next field."""
    while len(lines) > 1 and _RULE.fullmatch(lines[-1]):
        lines.pop()


def read_action(answer: str) -> str:
    """The first line of the last ``Action:``, bare; empty if there is none."""
    lines = read_fields(answer).get("action", "").splitlines()
    return bare(lines[0]) if lines else ""


def read_steps(answer: str) -> list[str]:
    """The numbered lines under the last ``Plan:``, bare."""
    lines = read_fields(answer).get("plan", "").split("\n")
    return [bare(match.group(1)) for line in lines if (match := _NUMBERED.match(line))]


def grammar(actions: Sequence[str], fields: Sequence[str]) -> str:
    """The answers that name one of ``actions``, as a grammar of llama.cpp (GBNF).

    Args:
        actions: The valid ones; at least one.
        fields: Names of the parts in their order, one of them ``Action``; each is a line.
    """
    parts = [f'"{name}: " {"action" if name == "Action" else "line"}' for name in fields]
    rules = [
        r"root ::= " + r' "\n" '.join(parts),
        r"line ::= [^\n]+",
        "action ::= " + " | ".join(json.dumps(action, ensure_ascii=False) for action in actions),
    ]
    return "\n".join(rules)


@cache
def kind(action: str) -> str:
    """An action without the numbers in names: ``Cut lettuce on board using robot``."""
    return re.sub(r"\d+", "", action)


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
    objects = [item for item in _outer_objects(answer) if "subtasks" in item]
    if not objects:
        return 'The answer had no JSON object with "think" and "subtasks".'
    subtasks, think = objects[-1]["subtasks"], objects[-1].get("think", "")
    if not isinstance(subtasks, list) or not all(isinstance(subtask, str) for subtask in subtasks):
        return '"subtasks" was not a list of texts.'
    if not isinstance(think, str):
        return '"think" was not a text.'
    named = [one_line(bare(subtask)) for subtask in subtasks]
    return Decomposition(one_line(think), [subtask for subtask in named if subtask])


def _outer_objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text that are not inside one another, among prose and code fences."""
    end = 0
    for found in json_objects(text):
        if found.start >= end:
            yield found.value
            end = found.end
