"""What the models are told: the texts in ``prompts/`` and the messages of a dialogue.

Every planner's system message is the same text about the world, then its method's own answer format with
the same two demonstrations. A message is a row of lines ``Name: text``; what a model once wrote enters them
in one line, so that it cannot be mistaken for another line.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from mnemocraft.llm.types import Message
from mnemocraft.runs.sources import folder_hash

_FOLDER = files("mnemocraft.agents.deps") / "prompts"
_NAMES = {"log": "oak_log", "planks": "oak_planks", "button": "oak_button"}
_OLD_NAMES = {"log": "log", "planks": "planks", "button": "wooden_button"}
"""Items of the demonstrations from 1.13 on, and before."""
LONGEST_EXPLANATION, LONGEST_PLAN = 600, 4000
"""Characters of an explanation and of a plan that are passed on."""


@cache
def system(version: str, *parts: str) -> Message:
    """The system message of some prompt files, with the item names of a version of the game."""
    names = _OLD_NAMES if version == "1.11.2" else _NAMES
    texts = [(_FOLDER / f"{part}.txt").read_text(encoding="utf-8") for part in parts]
    return {"role": "system", "content": Template("".join(texts)).substitute(names, version=version)}


def planner(version: str, method: str) -> Message:
    """The system message of a method's planner."""
    return system(version, "world", method)


def user(*lines: str) -> Message:
    """A user message of the lines that are not empty."""
    return {"role": "user", "content": "\n".join(line for line in lines if line)}


def assistant(answer: str) -> Message:
    """What the model answered before."""
    return {"role": "assistant", "content": answer}


def scene(inventory: Mapping[str, int], biome: str) -> list[str]:
    """The lines that say what is there; the given axe has been left out."""
    return [f"Inventory: {listed(inventory)}", f"Biome: {biome}" if biome else ""]


def listed(inventory: Mapping[str, int]) -> str:
    """``10 oak_planks, 4 stick``, or ``nothing``."""
    return ", ".join(f"{units} {item}" for item, units in inventory.items() if units) or "nothing"


def task(target: Mapping[str, int]) -> str:
    """``obtain 1 stone_sword``."""
    return f"obtain {listed(target)}"


def done(steps: Sequence[int]) -> str:
    """``I did steps 1, 2.``; empty if there are none."""
    if not steps:
        return ""
    return f"I did step{'s' if len(steps) > 1 else ''} {', '.join(map(str, steps))}."


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def explanation(answer: str) -> str:
    """What an explainer answered: what follows the last ``Explanation:``, in one line, cut."""
    return one_line(answer.rpartition("Explanation:")[2])[:LONGEST_EXPLANATION]


@cache
def fingerprint() -> str:
    """SHA-256 over all prompt files, so that a changed text never reuses old results."""
    return folder_hash(_FOLDER)
