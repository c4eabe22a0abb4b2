"""What the models are told: the texts in ``prompts/`` and the messages of a dialogue.

Every planner's system message is the world's guide, then its method's own answer format; in Minecraft with
the same two demonstrations, in other worlds without any. A message is a row of lines ``Name: text``; what a
model once wrote enters them in one line, so that it cannot be mistaken for another line.
"""

from collections.abc import Sequence
from string import Template

from mnemocraft.agents.prompts import one_line, text
from mnemocraft.llm.types import Message
from mnemocraft.memory.interface import Hit
from mnemocraft.worlds.minecraft import example_names
from mnemocraft.worlds.world import Goals, World

LONGEST_EXPLANATION, LONGEST_PLAN = 600, 4000
"""Characters of an explanation and of a plan that are passed on."""


def planner(world: World, method: str) -> Message:
    """The system message of a method's planner."""
    if isinstance(world, Goals):
        return _system(world.guide + _demonstrated(method, world.version))
    return _system(
        "\n".join(part for part in (world.guide, world.wording, text("deps", f"{method}.lines")) if part)
    )


def explainer(world: World) -> Message:
    """The system message of the explainer."""
    if isinstance(world, Goals):
        return _system(_demonstrated("explainer", world.version))
    return _system("\n".join((world.guide, text("deps", "explainer.lines"))))


def parser(version: str) -> Message:
    """The system message of the parser, which knows the goals of a version of the game."""
    return _system(_demonstrated("parser", version))


def _demonstrated(name: str, version: str) -> str:
    return Template(text("deps", name)).substitute(example_names(version), version=version)


def _system(content: str) -> Message:
    return {"role": "system", "content": content}


def user(*lines: str) -> Message:
    """A user message of the lines that are not empty."""
    return {"role": "user", "content": "\n".join(line for line in lines if line)}


def assistant(answer: str) -> Message:
    """What the model answered before."""
    return {"role": "assistant", "content": answer}


def memory(hits: Sequence[Hit]) -> str:
    """What is remembered, a line each; nothing if nothing is."""
    return "\n".join(f"Memory: {one_line(hit.text)}" for hit in hits)


def done(steps: Sequence[int]) -> str:
    """``I did steps 1, 2.``; empty if there are none."""
    if not steps:
        return ""
    return f"I did step{'s' if len(steps) > 1 else ''} {', '.join(map(str, steps))}."


def explanation(answer: str) -> str:
    """What an explainer answered: what follows the last ``Explanation:``, in one line, cut."""
    return one_line(answer.rpartition("Explanation:")[2])[:LONGEST_EXPLANATION]
