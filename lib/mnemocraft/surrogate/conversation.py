"""What stands in a conversation, whatever the world: blocks, answer format, its own actions, readings.

Everything is read when it is first asked for. A damaged prompt, or one of another make, leaves a part
empty; it is never an error.
"""

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from mnemocraft.llm.types import Message
from mnemocraft.surrogate.chance import digest

_HEADER = re.compile(
    r"\n(?:(Error Feedback|Observation|Valid Actions|Goal|Environment Simulation|Last Step Summary"
    r"|Last Step Reasoning|Current Progress|Loop Warning|Past Experience|Context|Current Task|Last Result"
    r"|Remaining Subtasks|Memory|Explanation|Correct the plan for the task):"
    r"|(?:Refine them|Decompose it into subtasks)\.)"
)
_REMEMBERED = "\nMemory:\n"
_CARRIED = ("Last Step Summary", "Last Step Reasoning", "Current Progress")
_OUTCOME = 'After "{}":\n'
_LAST_ACTION = re.compile(r"^(?:> )?Action: (.+)$|I did: (.+?)\.(?: |$)", re.MULTILINE)
_ACTION = re.compile(r"^Action: (.+)$", re.MULTILINE)
_GOAL = re.compile(r"^(?:Goal|Task|Correct the plan for the task): (.+)$", re.MULTILINE)
_TURNS = 3
"""So many of its own last answers are looked at again where a conversation is kept."""
_ASIDE = ("think", "read_memory")
"""Tools that leave the world as it is."""


Call = tuple[str, dict[str, Any]]
"""Tool name and arguments."""


class Told(NamedTuple):
    """A message of the user or a tool, and what its own answer before it was.

    Attributes:
        text: Content of the message.
        call: The tool call that it answers, if any.
        line: The action line that was taken, in words or as a call of ``act``; empty if none.
    """

    text: str
    call: Call | None
    line: str

    @property
    def scene(self) -> str:
        """See :func:`_scene`."""
        return _scene(self.text)


class Conversation:
    """The messages of a request.

    Args:
        messages: As they were sent, system message first if there is one.
        sample: Repeat index of the request.
        tools: Names of the tools on offer.

    Attributes:
        system: Text of the system message.
        prompt: Content of the last message.
        turn: Number of messages, and the repeat index; it makes slips independent.
    """

    def __init__(self, messages: Sequence[Message], sample: int = 0, tools: Sequence[str] = ()) -> None:
        self.messages, self.sample, self.tools = messages, sample, frozenset(tools)
        first = messages[0]
        self.system = str(first["content"]) if first["role"] == "system" else ""
        self.prompt = str(messages[-1]["content"])
        self.turn = f"{len(messages)} {sample}"

    @cached_property
    def moment(self) -> str:
        """What tells this call from others; draws about the call depend on it."""
        return digest(self.prompt, len(self.messages), self.sample)

    # --- what is asked for ------------------------------------------------------------------------

    @property
    def format(self) -> str:
        """Name and description of the answer format; empty if none is asked for."""
        _, header, text = self.system.rpartition("# Answer format")
        return text if header else ""

    @property
    def carries(self) -> bool:
        """Whether the answer shall have a summary and the progress."""
        return "Current Progress:" in self.format

    @cached_property
    def goal(self) -> str:
        """The goal text."""
        if goal := self.blocks.get("Goal", ""):
            return goal
        return next((found[1] for told in self.told if (found := _GOAL.search(told.text))), "")

    # --- what is shown ----------------------------------------------------------------------------

    @cached_property
    def told(self) -> list[Told]:
        """What was told, in order."""
        found, call, line = [], None, ""
        for message in self.messages:
            if message["role"] == "assistant":
                call, line = _own(message)
            elif message["role"] != "system":
                found.append(Told(str(message["content"]), call, line))
                call, line = None, ""
        return found

    @cached_property
    def views(self) -> list[str]:
        """The messages that show the world, in order.

        Where tools are on offer, the results of others and reproaches of one line are left out.
        """
        shown = [told.text for told in self.told if not told.call or told.call[0] not in _ASIDE]
        return [text for text in shown if not self.tools or "\n" in text] or [""]

    @property
    def scenes(self) -> list[str]:
        """:attr:`views` without what is remembered."""
        return list(map(_scene, self.views))

    @cached_property
    def blocks(self) -> dict[str, str]:
        """Text under each header that stands at the start of a line of the last message."""
        return _blocks(self.views[-1])

    @property
    def observation(self) -> str:
        """What is shown of the world now."""
        return self.blocks.get("Observation", "") or ("" if "Observation" in self.blocks else self.views[-1])

    @cached_property
    def valid(self) -> list[str]:
        """The valid actions, in the order listed, each once."""
        return list(dict.fromkeys(filter(None, self.blocks.get("Valid Actions", "").split("\n"))))

    @property
    def simulated(self) -> bool:
        """Whether the outcomes of actions are shown."""
        return "Environment Simulation" in self.blocks

    def outcome(self, action: str) -> str | None:
        """The objects shown for an action; None when there are none."""
        text = self.blocks.get("Environment Simulation", "")
        start = text.find(_OUTCOME.format(action))
        if start < 0:
            return None
        end = text.find('\nAfter "', start + 1)
        return text[start + len(_OUTCOME.format(action)) : end if end >= 0 else len(text)]

    @property
    def loop(self) -> list[str]:
        """The actions since the last visit that a loop warning names."""
        since = self.blocks.get("Loop Warning", "").partition("Since then:")[2].strip()
        return [action.strip() for action in since.split(";") if action.strip()]

    @property
    def experience(self) -> tuple[str, str] | None:
        """The retrieved transition: what the goal was then and what was done."""
        block = self.blocks.get("Past Experience", "")
        lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        goal, action = lines.get("Goal then"), lines.get("Action then")
        return None if goal is None or action is None else (goal, action)

    def lines(self, name: str) -> list[str]:
        """The entries of a list block."""
        return [line[2:] for line in self.blocks.get(name, "").split("\n") if line.startswith("- ")]

    @cached_property
    def readings(self) -> list[tuple[str, str]]:
        """Query and content of what a memory gave: a block of the prompt, results of ``read_memory``."""
        found = [("", self.blocks["Memory"])] if "Memory" in self.blocks else []
        looked_up = ((told.call, told.text) for told in self.told if told.call)
        return found + [(str(c[1].get("recipe")), text) for c, text in looked_up if c[0] == "read_memory"]

    # --- what it did ------------------------------------------------------------------------------

    @cached_property
    def own(self) -> str:
        """Its own earlier words: what is carried over, or its last answers in the conversation."""
        last = [m for m in self.messages[-2 * _TURNS :] if m["role"] == "assistant"]
        answers = [f"Action: {_own(m)[1]}" if m.get("tool_calls") else m["content"] for m in last]
        carried = (self.blocks.get(name, "") for name in _CARRIED)
        return "\n".join([*answers, *filter(None, carried)])

    @property
    def progress(self) -> str:
        """Its account of the progress, as carried over or in the last answer that is quoted."""
        quoted = self.blocks.get("Last Step Reasoning", "").partition("> Current Progress: ")[2]
        return self.blocks.get("Current Progress", "") or quoted.partition("\n")[0]

    @property
    def last_action(self) -> str:
        """What it did last, by its own account."""
        found = _LAST_ACTION.findall(self.own)
        return next(filter(None, found[-1]), "") if found else ""

    @property
    def steps(self) -> int:
        """How many steps its summary counts; it keeps prompts of long repetitions apart."""
        digits = self.blocks.get("Last Step Summary", "").partition("Step ")[2].partition(".")[0]
        return int(digits) if digits.isdecimal() else 0

    @cached_property
    def attempts(self) -> list[tuple[str, bool]]:
        """Its action lines of which it was told whether they succeeded, in order."""
        tried = [(told.line, told.text) for told in self.told if told.line]
        return [(line, text[9:14] != "False") for line, text in tried if text.startswith("Success: ")]


def _own(message: Message) -> tuple[Call | None, str]:
    """Tool call and action line of an answer of its own."""
    if calls := message.get("tool_calls"):
        arguments = json.loads(calls[0]["function"]["arguments"])
        return (calls[0]["function"]["name"], arguments), str(arguments.get("action", ""))
    found = _ACTION.search(message["content"] or "")
    return None, found[1] if found else ""


def _scene(text: str) -> str:
    """A text up to what is remembered, which has scenes of other episodes."""
    return text.partition(_REMEMBERED)[0]


def _blocks(text: str) -> dict[str, str]:
    padded = "\n" + text
    found: dict[str | None, re.Match[str]] = {}
    for header in _HEADER.finditer(padded):
        found.setdefault(header[1], header)
    ends = [*(header.start() for header in found.values()), len(padded)][1:]
    named = zip(found.items(), ends, strict=True)
    return {name: padded[header.end() : end].strip() for (name, header), end in named if name}
