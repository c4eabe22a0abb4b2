"""What the planners are told: the texts in ``prompts/`` and the blocks of a message.

A message is a row of blocks with an empty line between them; each block begins with its name and a colon
(Figures 12 and 13). What a model once wrote is carried on in one line or quoted, so that it cannot be
mistaken for a block.
"""

from collections.abc import Iterable, Mapping, Sequence

from mnemocraft.agents.prompts import one_line, text_for
from mnemocraft.llm.types import Message
from mnemocraft.memory.interface import Hit
from mnemocraft.worlds.world import World


def system(world: World, name: str) -> Message:
    """The system message: the world's rules, how actions are worded, then input and answer format."""
    parts = [world.guide, world.wording, text_for("gig", name, world.task.id.partition("/")[0])]
    return {"role": "system", "content": "\n".join(part for part in parts if part)}


def message(blocks: Iterable[str]) -> Message:
    """A user message of the blocks that are not empty."""
    return {"role": "user", "content": "\n\n".join(block for block in blocks if block)}


def feedback(error: str) -> str:
    """What was wrong with the last answer or action; nothing if nothing was."""
    return f"Error Feedback: {error}" if error else ""


def base(observation: str) -> list[str]:
    """The block that every method gets: ``observation`` has what is there, valid actions and goal."""
    return [f"Observation:\n{observation}"]


def memory(hits: Sequence[Hit]) -> str:
    """What is remembered; nothing if nothing is."""
    return "\n\n".join(["Memory:", *(hit.text for hit in hits)]) if hits else ""


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


def past_experience(found: str) -> str:
    """The single best immediate transition with the goal that it served; nothing without one."""
    return f"Past Experience:\n{found}" if found else ""
