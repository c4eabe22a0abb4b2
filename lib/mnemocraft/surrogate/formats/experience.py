"""The roles around experience: it is analysed, predicts outcomes, and is written down."""

import re

from mnemocraft.surrogate.formats.words import explain
from mnemocraft.surrogate.minds import Mind

_RESULT = re.compile(r"^Result: (.*)$", re.M)
_FAILED = re.compile(r"^Failed step: (.*)$", re.M)
_MESSAGE = re.compile(r"^Message: (.*)$", re.M)


def analyse(mind: Mind) -> str:
    """What follows from the experiences shown; a slip leaves one out."""
    prompt = mind.conversation.prompt
    found = [line for line in mind.insights() if not mind.who.slips("insight", prompt, line)]
    return "\n".join(f"Insight: {line}" for line in found) or "Nothing follows from this."


def predict(mind: Mind) -> str:
    """Failure if the plan repeats a remembered one; a slip says the contrary."""
    prompt = mind.conversation.prompt
    foreseen = mind.foresees()
    if mind.who.slips("predict", prompt):
        return "Prediction: success" if foreseen else "Prediction: failure because it looks wrong."
    return f"Prediction: failure because {foreseen}" if foreseen else "Prediction: success"


def evaluate(mind: Mind) -> str:
    """What the world said about a plan; a slip misses the point."""
    prompt = mind.conversation.prompt
    result, step, message = ((pattern.findall(prompt) or [""])[0] for pattern in (_RESULT, _FAILED, _MESSAGE))
    success = result == "success"
    why = f"{step}: {message}" if step else message or result
    if mind.who.slips("evaluate", prompt):
        why = "it did not go as it should"
    return "Outcome: success | all was done" if success else f"Outcome: failure | {why}"


def reflect(mind: Mind) -> str:
    """What it would explain, for its next attempt."""
    return explain(mind).replace("Explanation:", "Reflection:", 1)
