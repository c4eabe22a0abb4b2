"""What the planners are told: the texts in ``prompts/`` and the blocks of a message.

A message is a row of blocks with an empty line between them; each block begins with its name and a colon
(Figures 12 and 13). What a model once wrote is carried on in one line or quoted, so that it cannot be
mistaken for a block.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from mnemocraft.llm.types import Message
from mnemocraft.memory import Match
from mnemocraft.runs.sources import folder_hash

_FOLDER = files("mnemocraft.agents.gig") / "prompts"


@cache
def system(name: str) -> Message:
    """The system message: the kitchen, its rules and recipes, then input and answer format of a method."""
    parts = [(_FOLDER / f"{part}.txt").read_text(encoding="utf-8") for part in ("kitchen", name)]
    return {"role": "system", "content": "\n".join(parts)}


def message(blocks: Iterable[str]) -> Message:
    """A user message of the blocks that are not empty."""
    return {"role": "user", "content": "\n\n".join(block for block in blocks if block)}


def base(observation: str, error: str) -> list[str]:
    """The blocks that every method gets.

    Args:
        observation: ``obs["text"]`` of the environment: objects, valid actions and goal.
        error: What was wrong with the last answer; empty if nothing was.
    """
    return [f"Error Feedback: {error}" if error else "", f"Observation:\n{observation}"]


def simulation(successors: Mapping[str, str]) -> str:
    """Every valid action with the objects as they are after it, P(s) of equation 3."""
    if not successors:
        return ""
    return "Environment Simulation:\n" + "\n\n".join(
        f'After "{action}":\n{objects}' for action, objects in successors.items()
    )


def last_step(summary: str, progress: str) -> list[str]:
    """What GiG carries from one step to the next; nothing where the answer left it out."""
    named = {"Last Step Summary": summary, "Current Progress": progress}
    return [f"{name}: {one_line(text)}" for name, text in named.items() if text]


def last_reasoning(answer: str) -> list[str]:
    """What GiG* carries: the whole last answer, with nothing extracted from it."""
    return ["Last Step Reasoning:\n" + "\n".join(f"> {line}" for line in answer.splitlines())]


def loop_warning(path: Sequence[str] | None) -> str:
    """The actions that led from this state back to it; nothing without a loop."""
    if path is None:
        return ""
    return f"Loop Warning: You have been in this state before. Since then: {'; '.join(path)}"


def past_experience(match: Match | None) -> str:
    """The single best immediate transition with the goal that it served; nothing without one."""
    if match is None:
        return ""
    lines = (f"Goal then: {match.goal}", f"Action then: {match.action}", f"Distance: {match.distance:.3f}")
    return "\n".join(["Past Experience:", *lines])


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


@cache
def fingerprint() -> str:
    """SHA-256 over all prompt files, so that a changed text never reuses old results."""
    return folder_hash(_FOLDER)
