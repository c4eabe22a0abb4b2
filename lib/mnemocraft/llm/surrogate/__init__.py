"""A knowledge-limited stand-in for a language model, for dry runs, tests and power analysis.

It is not a language model and its results say nothing about one. It sees only the messages that a model
would get, parses them with fixed rules and answers in every role an agent needs. Three numbers say how well:

- ``knowledge``: probability that what it believes about an item's recipes is right; otherwise it is
  plausibly wrong (a wrong ingredient, count or shape, or a skipped step). Fixed per seed.
- ``attention``: probability that something in its context is taken up, and so overrides a belief.
- ``slip``: probability, per call or written line, of a wrong or malformed answer.
"""

from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.surrogate.actor import Competence, next_call
from mnemocraft.llm.surrogate.dialogue import read_dialogue
from mnemocraft.llm.surrogate.roles import answer
from mnemocraft.llm.types import Reply, Request, ToolCall, Usage

DEFAULTS = {"knowledge": 0.35, "attention": 0.9, "slip": 0.02}
"""Round numbers, set before any study was run and not fitted to a paper."""


class Surrogate:
    """The stand-in as a backend of :func:`mnemocraft.llm.get_model`."""

    cpu_bound = True

    def __init__(self, name: str, knowledge: float, attention: float, slip: float) -> None:
        self.name, self.knowledge, self.attention, self.slip = name, knowledge, attention, slip

    @classmethod
    def from_name(cls, name: str) -> "Surrogate":
        """``surrogate`` or ``surrogate:knowledge=0.5,attention=1,slip=0``.

        Raises MnemocraftError for an unknown parameter or one outside 0 to 1.
        """
        values = dict(DEFAULTS)
        for part in name.partition(":")[2].split(","):
            key, _, text = part.partition("=")
            if part and (key not in values or not _is_share(text)):
                raise MnemocraftError(
                    f"{part!r} is no parameter of the surrogate; write {', '.join(values)} as "
                    "numbers from 0 to 1, as in surrogate:knowledge=0.5,slip=0."
                )
            if part:
                values[key] = float(text)
        return cls(name, **values)

    async def generate(self, request: Request) -> Reply:
        """Answer as the Actor when tools are offered, else in the role that the prompt describes."""
        who = Competence(self.knowledge, self.attention, self.slip, request.seed or 0)
        text, calls = "", []
        view = read_dialogue(request.messages) if request.tools else None
        if view is not None:
            tools = {tool["function"]["name"] for tool in request.tools or ()}
            call = next_call(view, tools, who, len(request.messages), request.sample)
            calls = [ToolCall(*call)]
        else:
            text = answer(request.messages[-1]["content"], who)
        return Reply(text, calls, _usage(request, text, calls))

    async def aclose(self) -> None:
        """Nothing to release."""


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _usage(request: Request, text: str, calls: list[ToolCall]) -> Usage:
    """Tokens, estimated at four characters each, as if the same texts had gone to a model."""
    prompt = sum(len(message["content"]) for message in request.messages)
    prompt += sum(80 for message in request.messages if "tool_calls" in message)
    prompt += sum(300 for _ in request.tools or ())
    completion = len(text) + sum(len(call.name) + len(str(call.arguments)) for call in calls)
    return Usage(prompt // 4 + 1, completion // 4 + 1, estimated=True)
