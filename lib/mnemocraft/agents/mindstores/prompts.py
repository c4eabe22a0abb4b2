"""What the models are told in MindStores's own roles; the planner and the explainer are those of DEPS."""

from collections.abc import Sequence
from string import Template

from mnemocraft.agents.deps.plan import Reading
from mnemocraft.agents.deps.prompts import LONGEST_EXPLANATION
from mnemocraft.agents.prompts import one_line, text
from mnemocraft.llm.types import Message
from mnemocraft.worlds.world import Goals

MOST_INSIGHTS = 8
"""Lines of insights that are passed on."""


def system(role: str, world: Goals) -> Message:
    """The system message of ``analyst``, ``predictor``, ``evaluator`` or ``reflector``."""
    told = Template(text("mindstores", role)).substitute(version=world.version)
    return {"role": "system", "content": told}


def told(plan: Reading) -> str:
    """A plan as the memory keeps it: its action lines in a row."""
    return "; ".join(step.action for step in plan.steps)


def after(label: str, answer: str) -> str:
    """What an answer says after the last ``label``, in one line, cut; all of it if there is no label."""
    return one_line(answer.rpartition(label)[2])[:LONGEST_EXPLANATION]


def insights(answer: str) -> list[str]:
    """The lines of insights in an answer."""
    lines = [line.strip(" -*") for line in answer.splitlines()]
    said = [line for line in lines if line.startswith("Insight:")]
    return [f"Insight: {after('Insight:', line)}" for line in said[:MOST_INSIGHTS]]


def predicts_failure(prediction: str) -> bool:
    """Whether a prediction is one of failure; what is neither counts as success, so that it is tried."""
    return prediction.lower().startswith("fail")


def reflections(texts: Sequence[str]) -> list[str]:
    """What was reflected after earlier attempts, a line each."""
    return [f"Reflection: {one_line(each)}" for each in texts]
