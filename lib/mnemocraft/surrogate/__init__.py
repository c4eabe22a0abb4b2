"""A knowledge-limited stand-in for a language model, for dry runs, tests and power analysis.

It is not a language model and its results say nothing about one. It sees only the messages that a model
would get, parses them with fixed rules and answers in every role an agent needs. These numbers say how well:

- ``knowledge``: probability that what it believes about an item's recipes is right; otherwise it is
  plausibly wrong (a wrong ingredient, count or shape, or a skipped step). Fixed per seed. The default
  depends on the domain: 0.35 for crafting in Plancraft, 0.5 for plans in Minecraft, 0.8 for the kitchen.
- ``attention``: probability that something in its context is taken up, and so overrides a belief.
- ``slip``: probability, per call or written line, of a wrong or malformed answer.
- ``context_decay``: how fast attention falls with the length of the prompt: what counts is
  ``attention * exp(-context_decay * prompt_tokens / 1000)``. It is 0 (off) by default. A study that turns it
  on assumes that long histories distract; it cannot find that they do.

A conversation whose system message speaks to a robot in a kitchen is answered by
:mod:`mnemocraft.surrogate.minds.kitchen`, one about an agent that plays Minecraft by
:mod:`mnemocraft.surrogate.minds.minecraft`.
"""

import math
import sys

from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.types import Reply, Request, ToolCall, Usage
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.kitchen import answer as kitchen_answer
from mnemocraft.surrogate.minds.kitchen import in_kitchen
from mnemocraft.surrogate.minds.minecraft import answer as minecraft_answer
from mnemocraft.surrogate.minds.minecraft import in_minecraft
from mnemocraft.surrogate.minds.plancraft.actor import next_call
from mnemocraft.surrogate.minds.plancraft.dialogue import read_dialogue
from mnemocraft.surrogate.minds.plancraft.roles import answer

DEFAULTS = {"attention": 0.9, "slip": 0.02, "context_decay": 0.0}
"""Round numbers, set before any study was run and not fitted to a paper."""
CRAFTING_KNOWLEDGE = 0.35
"""Default for crafting: a round number, set before any study was run and not fitted to a paper."""
MINECRAFT_KNOWLEDGE = 0.5
"""Default for plans in Minecraft: a round number, set before any study was run and not fitted to a paper."""
KITCHEN_KNOWLEDGE = 0.8
"""Default for the kitchen, whose few rules the prompt itself explains. Raised from 0.35 after a first trial
in which all methods failed nearly all asynchronous tasks, so that none stood out; not fitted to a paper."""


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
        """Answer as the Actor when tools are offered, else in the role that the prompt describes."""
        kitchen, minecraft = in_kitchen(request.messages), in_minecraft(request.messages)
        default = KITCHEN_KNOWLEDGE if kitchen else MINECRAFT_KNOWLEDGE if minecraft else CRAFTING_KNOWLEDGE
        who = self._reader(request, default)
        text, calls = "", []
        view = read_dialogue(request.messages) if request.tools else None
        if view is not None:
            tools = {tool["function"]["name"] for tool in request.tools or ()}
            call = next_call(view, tools, who, len(request.messages), request.sample)
            calls = [ToolCall(*call)]
        elif kitchen:
            text = kitchen_answer(request.messages, who, request.sample)
        elif minecraft:
            text = minecraft_answer(request.messages, who, request.sample)
        else:
            text = answer(request.messages[-1]["content"], who)
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
    prompt = sum(len(message["content"]) for message in request.messages)
    prompt += sum(80 for message in request.messages if "tool_calls" in message)
    prompt += sum(300 for _ in request.tools or ())
    return prompt // 4 + 1


def _usage(request: Request, text: str, calls: list[ToolCall]) -> Usage:
    completion = len(text) + sum(len(call.name) + len(str(call.arguments)) for call in calls)
    return Usage(_prompt_tokens(request), completion // 4 + 1, estimated=True)
