"""What stands in a kitchen prompt: the blocks of the last user message and the answer format asked for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mnemocraft.llm.types import Message
from mnemocraft.surrogate.chance import digest
from mnemocraft.surrogate.minds.kitchen.scene import Scene, read_scene

SYSTEM = "You are a robot in a kitchen."
"""The sentence by which a kitchen prompt is known."""
_HEADERS = (
    "Error Feedback", "Observation", "Valid Actions", "Goal", "Environment Simulation", "Last Step Summary",
    "Last Step Reasoning", "Current Progress", "Loop Warning", "Past Experience", "Context", "Current Task",
    "Last Result", "Remaining Subtasks", "Refine them.", "Decompose it into subtasks.",
)  # fmt: skip
_OUTCOME = 'After "{}":\n'
_LAST_ACTION = re.compile(r"^(?:> )?Action: (.+)$|I did: (.+?)\.(?: |$)", re.MULTILINE)
_TURNS = 3
"""So many of its own last answers are looked at again where a conversation is kept."""


@dataclass(frozen=True)
class Experience:
    """A retrieved transition: what the goal was then and what was done."""

    goal: str
    action: str


class Prompt:
    """A kitchen prompt, read from the messages and no further than needed."""

    def __init__(self, messages: Sequence[Message], sample: int = 0) -> None:
        self.system = messages[0]["content"]
        self.text = messages[-1]["content"]
        self.moment = digest(self.text, len(messages), sample)
        self._answers = [m["content"] for m in messages[-2 * _TURNS :] if m["role"] == "assistant"]
        self.blocks = _blocks(self.text)

    @property
    def method(self) -> str:
        """``plan`` (CoT), ``recursive`` (ReCAP) or ``step`` (GiG, ReAct), by the answer format asked for."""
        fields = self.system.rpartition("# Answer format")[2]
        return "plan" if "Plan:" in fields else "recursive" if "subtasks" in fields else "step"

    @property
    def carries(self) -> bool:
        """Whether the answer shall have a summary and the progress."""
        return "Current Progress:" in self.system.rpartition("# Answer format")[2]

    @cached_property
    def scene(self) -> Scene | None:
        """The scene observed."""
        return read_scene(self.blocks.get("Observation", ""))

    @cached_property
    def valid(self) -> list[str]:
        """The valid actions, in the order listed, each once."""
        return list(dict.fromkeys(filter(None, self.blocks.get("Valid Actions", "").split("\n"))))

    @property
    def goal(self) -> str:
        """The goal text."""
        return self.blocks.get("Goal", "")

    @cached_property
    def memory(self) -> str:
        """Its own earlier words: what is carried over, or its last answers in the conversation."""
        carried = (
            self.blocks.get(name, "")
            for name in ("Last Step Summary", "Last Step Reasoning", "Current Progress")
        )
        return "\n".join([*self._answers, *filter(None, carried)])

    @property
    def progress(self) -> str:
        """Its account of the progress, as carried over or in the last answer that is quoted."""
        quoted = self.blocks.get("Last Step Reasoning", "").partition("> Current Progress: ")[2]
        return self.blocks.get("Current Progress", "") or quoted.partition("\n")[0]

    @property
    def last_action(self) -> str:
        """What it did last, by its own account."""
        found = _LAST_ACTION.findall(self.memory)
        return next(filter(None, found[-1]), "") if found else ""

    @property
    def simulated(self) -> bool:
        """Whether the outcomes of actions are shown."""
        return "Environment Simulation" in self.blocks

    def outcome(self, action: str) -> str | None:
        """The object blocks shown for an action; None when there are none."""
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
    def experience(self) -> Experience | None:
        """The retrieved transition."""
        lines = dict(
            line.split(": ", 1) for line in self.blocks.get("Past Experience", "").split("\n") if ": " in line
        )
        if "Goal then" in lines and "Action then" in lines:
            return Experience(lines["Goal then"], lines["Action then"])
        return None

    def lines(self, name: str) -> list[str]:
        """The entries of a list block."""
        return [line[2:] for line in self.blocks.get(name, "").split("\n") if line.startswith("- ")]


def _blocks(text: str) -> dict[str, str]:
    """Text under each header that stands at the start of a line."""
    found = []
    padded = "\n" + text
    for name in _HEADERS:
        mark = f"\n{name}" if name.endswith(".") else f"\n{name}:"
        start = padded.find(mark)
        if start >= 0:
            found.append((start, start + len(mark), name))
    found.sort()
    ends = [*(start for start, _, _ in found), len(padded)][1:]
    return {name: padded[begin:end].strip() for (_, begin, name), end in zip(found, ends, strict=True)}
