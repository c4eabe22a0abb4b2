"""What a trajectory is made of: one record an event, the same for every agent, memory and world.

An event is kept as a JSON object ``{"type": ..., **fields}``; :data:`VERSION` stands in the first one. An
episode that raised has one event of type ``error``, so that it can be looked at like any other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

VERSION = 2
"""Version of the schema; 1 was a schema for each paper."""


@dataclass(frozen=True)
class Event:
    """Something that happened in an episode."""

    type: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """The event as it is kept."""
        return {"type": self.type, **vars(self)}


@dataclass(frozen=True)
class Start(Event):
    """The episode begins: who plays what with which seed."""

    type = "start"
    agent: str
    memory: str
    task: str
    goal: str
    seed: int
    version: int = VERSION


@dataclass(frozen=True)
class Call(Event):
    """A model answered: in which role, what it said, its tool calls, and the tokens. ``about``: the subtask
    that was asked about, where there are subtasks."""

    type = "call"
    role: str
    text: str
    tool_calls: Sequence[Mapping[str, Any]]
    prompt_tokens: int
    completion_tokens: int
    about: str = ""


@dataclass(frozen=True)
class Recall(Event):
    """Something was looked up: the query (empty: the scene itself), and what came back."""

    type = "recall"
    query: str
    hits: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Learn(Event):
    """A teacher was asked, and the answer kept under some keys."""

    type = "learn"
    question: str
    answer: str
    text: str
    keys: Sequence[str]


@dataclass(frozen=True)
class Plan(Event):
    """A plan was read: its lines, or why it could not be read; in which round of planning."""

    type = "plan"
    round: int
    lines: Sequence[str]
    problem: str = ""


@dataclass(frozen=True)
class Choice(Event):
    """One of several goals was chosen, with the predicted steps to each (None: not predicted).

    ``looked``: The agent looked around before, and turned to it.
    """

    type = "choice"
    candidates: Sequence[str]
    chosen: str
    horizons: Sequence[float] | None = None
    looked: bool = False


@dataclass(frozen=True)
class Action(Event):
    """An action line was tried: how it went, and the steps of the episode after it.

    ``place`` is its number in the plan, from 1 on (0: there is no plan), ``line`` how the plan says it;
    ``limit`` the steps that it might take.
    """

    type = "action"
    action: str
    success: bool
    failure: str
    step: int
    place: int = 0
    line: str = ""
    limit: int | None = None


@dataclass(frozen=True)
class Note(Event):
    """A text that an agent was given or made besides: ``description``, ``explanation``, ``feedback``,
    and ``loop``, the actions since a state was there before."""

    type = "note"
    name: str
    text: str


@dataclass(frozen=True)
class Error(Event):
    """A request finally failed, or the episode raised."""

    type = "error"
    message: str


@dataclass(frozen=True)
class End(Event):
    """The episode is over: why, after how many steps."""

    type = "end"
    reason: str
    steps: int


EVENTS: dict[str, type[Event]] = {
    kind.type: kind for kind in (Start, Call, Recall, Learn, Plan, Choice, Action, Note, Error, End)
}
"""Every event by its type."""


def read_event(entry: Mapping[str, Any]) -> Event:
    """An event from a trajectory.

    Raises:
        ValueError: It is none of the schema.
    """
    fields = {name: value for name, value in entry.items() if name != "type"}
    kind = EVENTS.get(str(entry.get("type")))
    if kind is None or not fields.keys() <= {item.name for item in dataclasses.fields(kind)}:
        raise ValueError(f"There is no event like {str(dict(entry))[:200]}.")
    return kind(**fields)
