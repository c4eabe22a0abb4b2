"""What a crafter takes from the conversation so far: one pass over the messages."""

import re
from dataclasses import dataclass, field

from mnemocraft.surrogate.conversation import Call, Conversation, Told
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


def read_history(conversation: Conversation) -> History | None:
    """The crafter's view of a conversation, or None when no observation stands at its beginning."""
    first = read_bench(conversation.told[0].scene) if conversation.told else None
    if first is None:
        return None
    view = History(conversation.told[0].text, first)
    for told in conversation.told:
        bench = read_bench(told.scene)
        call = _done(told)
        if call:
            _result(view, call, told.text, bench)
        if bench:
            view.bench = bench
            view.crafted[bench.table] = bench.output
    return view


def _done(told: Told) -> Call | None:
    """What was done before something was told: a tool call, or a move in words."""
    line = _LINE.match(told.line) if told.line else None
    if line is None:
        return told.call
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
