"""The roles of How2 around what is known: Ask, Relevance, Parse, Teacher and Judge."""

import re

from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.minds import Mind


def section(prompt: str, title: str) -> str:
    """The text under a ``# heading``, up to the next one or to the closing line."""
    match = re.search(rf"^# {title}[^\n]*\n(.*?)(?=^# |\Z)", prompt, re.MULTILINE | re.DOTALL)
    return match.group(1).strip() if match else ""


def ask(mind: Mind) -> str:
    """A how-to question about the item or goal that the prompt names."""
    match = re.search(r"to an expert about (.+?)\.$", mind.conversation.prompt, re.MULTILINE)
    what = match.group(1) if match else "it"
    if " " in what:
        return f"How do I do this from here: {what}?"
    return f"How do I make {what} with what is in my inventory?"


def relevance(mind: Mind) -> str:
    """Yes when the memory, with what it believes, leads to the goal from this situation."""
    prompt = mind.conversation.prompt
    helps = _in_situation(mind).helps(section(prompt, "Memory"))
    if mind.who.slips("relevance", prompt):
        helps = not helps
    return "yes" if helps else "no"


def parse(mind: Mind) -> str:
    """A memory entry in four sections that names items instead of places."""
    prompt = mind.conversation.prompt
    match = re.search(r"^RECIPE: (.+?)(?: \(rename|$)", prompt, re.MULTILINE)
    recipe = match.group(1) if match else "unknown"
    materials, steps, related = _in_situation(mind).entry(recipe, section(prompt, "Answer of the expert"))
    needs = [f"- {item}" for item in materials]
    lines = [f"{n}. {line}" for n, line in enumerate(steps, start=1)]
    return "\n".join(
        [f"RECIPE: {recipe}", "REQUIREMENTS:", *needs, "PROCEDURE:", *lines, f"RELATED ITEMS: {related}"]
    )


def teach(mind: Mind) -> str:
    """A teacher: the plan that it is given in the style asked for, or in prose for a beginner."""
    prompt = mind.conversation.prompt
    style = prompt.partition("Style of your answers:")[2].partition("\n")[0]
    return _in_situation(mind).retell(section(prompt, "Plan"), style or "prose")


def judge(mind: Mind) -> str:
    """VALID when answer and reference tell the same steps."""
    prompt = mind.conversation.prompt
    same = mind.agree(section(prompt, "Reference"), section(prompt, "Answer"))
    if mind.who.slips("judge", prompt):
        same = not same
    return "VALID" if same else "INVALID"


def _in_situation(mind: Mind) -> Mind:
    """The mind as if the situation in the prompt were all it saw; draws still go by the whole prompt."""
    seen = mind.conversation
    shown = {"role": "user", "content": section(seen.prompt, "Situation")}
    about = Conversation([{"role": "system", "content": seen.system}, shown])
    about.prompt = seen.prompt
    return type(mind)(about, mind.who)
