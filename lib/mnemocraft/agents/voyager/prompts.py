"""What the models are told in Voyager's three roles."""

import re
from collections.abc import Sequence
from string import Template

from mnemocraft.agents.deps.plan import Reading
from mnemocraft.agents.deps.prompts import LONGEST_EXPLANATION
from mnemocraft.agents.prompts import one_line, text
from mnemocraft.llm.types import Message
from mnemocraft.memory.interface import Hit
from mnemocraft.worlds.minecraft import example_names

_NEXT = re.compile(r"^Next task:\s*+(obtain .+)$", re.M)
_SUCCESS = re.compile(r"^Success:\s*(yes|no)\b", re.M | re.I)
LONGEST_TASK = 160
"""Characters of a proposed task."""


def system(role: str, version: str, guide: str = "") -> Message:
    """The system message of ``curriculum``, ``programmer`` or ``critic``, after a guide if one is given."""
    told = Template(text("voyager", role)).substitute(example_names(version), version=version)
    return {"role": "system", "content": guide + told}


def listed(name: str, tasks: Sequence[str]) -> str:
    """``Completed tasks: obtain 3 log; obtain 12 planks``, each once, in the order in which they came."""
    return f"{name} tasks: {'; '.join(dict.fromkeys(tasks)) or 'none'}"


def proposed(answer: str, goal: str) -> str:
    """The task that a curriculum proposes; the goal itself where it proposes none that can be read."""
    found = _NEXT.findall(answer)
    return one_line(found[-1]).removesuffix(".")[:LONGEST_TASK] if found else goal


def verdict(answer: str) -> tuple[bool, str]:
    """Whether a critic says that the task is done, and its critique; what cannot be read says no."""
    found = _SUCCESS.search(answer)
    critique = one_line(answer.rpartition("Critique:")[2]) if "Critique:" in answer else ""
    return bool(found and found[1].lower() == "yes"), critique[:LONGEST_EXPLANATION]


def skills(hits: Sequence[Hit]) -> list[str]:
    """The skills that were found, a line each."""
    return [f"Skill: {one_line(hit.text)}" for hit in hits]


def program(plan: Reading) -> str:
    """A program as the library keeps it: its calls in a row, which is code again."""
    return "; ".join(step.line for step in plan.steps)
