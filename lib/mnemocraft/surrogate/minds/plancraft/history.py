"""What a crafter takes from the conversation so far: one pass over the messages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mnemocraft.llm.types import Message
from mnemocraft.surrogate.conversation import call_of, line_of
from mnemocraft.surrogate.minds import Call
from mnemocraft.surrogate.minds.plancraft.reading import Bench, Table, read_bench

_LINE = re.compile(r"(move|smelt) from (\w+) to (\w+) with quantity (\d+)$")


@dataclass
class Reading:
    """Something looked up, and the actions taken since."""

    query: str
    content: str
    actions: list[Call] = field(default_factory=list)


@dataclass
class History:
    """The crafter's view.

    Attributes:
        opening: Text of the first observation; it tells episodes apart.
        bench: The latest observation.
        readings: What was looked up, in order.
        crafted: What each grid seen so far turned out to make (None: nothing).
        smelted: What smelting an item turned out to give (None: nothing happened).
        acted: Whether an environment action was tried.
        thought: Whether the think tool was used.
    """

    opening: str
    bench: Bench
    readings: list[Reading] = field(default_factory=list)
    crafted: dict[Table, str | None] = field(default_factory=dict)
    smelted: dict[str, str | None] = field(default_factory=dict)
    acted: bool = False
    thought: bool = False

    def has_read(self, item: str) -> bool:
        """Whether ``item`` was looked up before."""
        return any(reading.query == item for reading in self.readings)


def read_history(messages: Sequence[Message]) -> History | None:
    """The crafter's view of a conversation, or None when no observation stands in it."""
    view: History | None = None
    call: Call | None = None
    for message in messages:
        if message["role"] == "assistant":
            call = _done(message)
            continue
        if message["role"] == "system":
            continue
        bench = read_bench(message["content"])
        if view is None:
            if bench is None:
                return None
            view = History(message["content"], bench)
        elif call:
            _result(view, call, message["content"], bench)
            call = None
        if bench:
            view.bench = bench
            view.crafted[bench.table] = bench.output
    return view


def _done(message: Message) -> Call | None:
    """What an answer of its own did: a tool call, or an action line."""
    call = call_of(message)
    line = _LINE.match(line_of(message))
    if line is None:
        return call
    return line[1], {"slot_from": line[2], "slot_to": line[3], "quantity": int(line[4])}


def _result(view: History, call: Call, content: str, bench: Bench | None) -> None:
    name, arguments = call
    if name == "read_memory" and "recipe" in arguments and not content.startswith("Error:"):
        view.readings.append(Reading(arguments["recipe"], content))
    elif name == "think":
        view.thought = True
    elif bench is not None:
        view.acted = True
        for reading in view.readings:
            reading.actions.append(call)
        if name == "smelt" and arguments["slot_from"] in view.bench.slots:
            item = view.bench.slots[arguments["slot_from"]][0]
            lit = arguments["slot_to"] in bench.slots and bench.slots != view.bench.slots
            view.smelted[item] = bench.slots[arguments["slot_to"]][0] if lit else None
