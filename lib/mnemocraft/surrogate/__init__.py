"""A knowledge-limited stand-in for a language model, for dry runs, tests and power analysis.

It is not a language model and its results say nothing about one. It sees only the messages that a model
would get, parses them with fixed rules and answers in every role an agent needs. These numbers say how well:

- ``knowledge``: probability that what it believes about an item's recipes is right; otherwise it is
  plausibly wrong (a wrong ingredient, count or shape, or a skipped step). Fixed per seed. The default
  depends on the domain: 0.35 for crafting in Plancraft, 0.5 for plans in Minecraft, 0.8 for the kitchen,
  households and the table top.
- ``attention``: probability that something in its context is taken up, and so overrides a belief.
- ``slip``: probability, per call or written line, of a wrong or malformed answer.
- ``context_decay``: how fast attention falls with the length of the prompt: what counts is
  ``attention * exp(-context_decay * prompt_tokens / 1000)``. It is 0 (off) by default. A study that turns it
  on assumes that long histories distract; it cannot find that they do.

A request is answered by the mind of its world in the format that it asks for. :mod:`minds` say what the
stand-in believes about a world and how it reasons there, :mod:`formats` how an agent wants that said. They
know nothing of each other but :class:`~mnemocraft.surrogate.minds.Mind`, so each works with all of the other.
A new mind is a subclass of that with ``wanted`` and ``plan``, and a row of :data:`MINDS`; a new format is a
function and a row of a table in :mod:`formats`.
"""

import math
import re
import sys
from functools import cache
from pkgutil import resolve_name
from typing import NamedTuple

from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.types import Message, Reply, Request, ToolCall, Usage
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.formats import answer
from mnemocraft.surrogate.minds import Mind

DEFAULTS = {"attention": 0.9, "slip": 0.02, "context_decay": 0.0}
"""Round numbers, set before any study was run and not fitted to a paper."""


class MindSpec(NamedTuple):
    """A mind that can be opened.

    Attributes:
        guide: How the guide of its world begins in the system message, a regular expression.
        knowledge: Its knowledge unless the model's name says one.
        entry: Module and class; it is imported when a request needs it.
    """

    guide: str
    knowledge: float
    entry: str


@cache
def mind_class(world: str) -> type[Mind]:
    """The mind of a world."""
    found: type[Mind] = resolve_name(MINDS[world].entry)
    return found


MINDS = {
    "household": MindSpec(
        r"You are a robot in a room of a house\.", 0.8, "mnemocraft.surrogate.minds.household:HouseholdMind"
    ),
    "kitchen": MindSpec(
        r"You are a robot in a kitchen\.", 0.8, "mnemocraft.surrogate.minds.kitchen:KitchenMind"
    ),
    "minecraft": MindSpec(
        r"You [a-z ]+ for an agent that plays Minecraft [\d.]+\.",
        0.5,
        "mnemocraft.surrogate.minds.minecraft:MinecraftMind",
    ),
    "plancraft": MindSpec(
        "You control a Minecraft crafting table", 0.35, "mnemocraft.surrogate.minds.plancraft:PlancraftMind"
    ),
    "tabletop": MindSpec("You guide a robot arm", 0.8, "mnemocraft.surrogate.minds.tabletop:TabletopMind"),
}
"""Minds by the name of their world. Their knowledge is a round number, set before any study was run and not
fitted to a paper. The kitchen's, whose few rules the prompt itself explains, was raised from 0.35 after a
first trial in which all methods failed nearly all asynchronous tasks, so that none stood out."""


def world_of(messages: list[Message]) -> str:
    """The world that the system message speaks of; empty if it is none that has a mind."""
    first = str(messages[0]["content"]) if messages and messages[0]["role"] == "system" else ""
    return next((name for name, spec in MINDS.items() if re.match(spec.guide, first)), "")


class Surrogate:
    """The stand-in as a backend of :func:`mnemocraft.llm.get_model`."""

    cpu_bound = True

    def __init__(
        self, name: str, knowledge: float | None, attention: float, slip: float, context_decay: float = 0.0
    ) -> None:
        self.name, self.knowledge, self.attention, self.slip = name, knowledge, attention, slip
        self.context_decay = context_decay

    @classmethod
    def from_name(cls, name: str) -> "Surrogate":
        """``surrogate`` or ``surrogate:knowledge=0.5,attention=1,slip=0,context_decay=0.02``.

        Raises MnemocraftError for an unknown parameter or a value that is out of bounds.
        """
        values: dict[str, float] = {}
        for part in name.partition(":")[2].split(","):
            key, _, text = part.partition("=")
            if part and (key not in ("knowledge", *DEFAULTS) or not _allowed(key, text)):
                raise MnemocraftError(
                    f"{part!r} is no parameter of the surrogate; write knowledge, attention, slip as numbers "
                    "from 0 to 1 and context_decay as a rate of at least 0, as in "
                    "surrogate:knowledge=0.5,slip=0."
                )
            if part:
                values[key] = float(text)
        return cls(name, values.pop("knowledge", None), **DEFAULTS | values)

    async def generate(self, request: Request) -> Reply:
        """Call a tool where tools are offered and something is shown, else answer in words.

        Without a guide the question is taken to be about crafting: teachers and judges are asked like that.
        """
        named = world_of(request.messages)
        world = named or "plancraft"
        tools = [tool["function"]["name"] for tool in request.tools or ()]
        conversation = Conversation(request.messages, request.sample, tools)
        mind = mind_class(world)(conversation, self._reader(request, MINDS[world].knowledge))
        call = mind.call() if tools else None
        text = "" if call else answer(mind, known=bool(named))
        calls = [ToolCall(*call)] if call else []
        return Reply(text, calls, _usage(request, text, calls))

    def _reader(self, request: Request, default: float) -> Competence:
        """How good a reader it is of this prompt; ``default`` is its knowledge unless its name says one."""
        attention = self.attention
        if self.context_decay:
            attention *= math.exp(-self.context_decay * _prompt_tokens(request) / 1000)
        knowledge = default if self.knowledge is None else self.knowledge
        return Competence(knowledge, attention, self.slip, request.seed or 0)

    async def aclose(self) -> None:
        """Nothing to release."""


def _allowed(key: str, text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return 0 <= value <= (sys.float_info.max if key == "context_decay" else 1)


def _prompt_tokens(request: Request) -> int:
    """Tokens of a prompt, estimated at four characters each, as if the same text had gone to a model."""
    prompt = sum(len(message.get("content") or "") for message in request.messages)
    prompt += sum(80 for message in request.messages if "tool_calls" in message)
    prompt += sum(300 for _ in request.tools or ())
    return prompt // 4 + 1


def _usage(request: Request, text: str, calls: list[ToolCall]) -> Usage:
    completion = len(text) + sum(len(call.name) + len(str(call.arguments)) for call in calls)
    return Usage(_prompt_tokens(request), completion // 4 + 1, estimated=True)
