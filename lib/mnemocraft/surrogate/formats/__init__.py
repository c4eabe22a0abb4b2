"""Formats: how what a mind means is said in the words that an agent can read.

A format is a function from a mind to a text. It is chosen by what the prompt asks for, never by the world.
"""

from collections.abc import Callable

from mnemocraft.surrogate.formats import code, experience, knowledge, steps, voyager, words, workflow
from mnemocraft.surrogate.minds import Mind

Format = Callable[[Mind], str]

_QUESTIONS: dict[str, Format] = {
    "Return the question and nothing else.": knowledge.ask,
    "Does this memory help to reach the goal": knowledge.relevance,
    "as an entry for the memory": knowledge.parse,
    "who explains crafting to a beginner": knowledge.teach,
    "who answers how-to questions about crafting": knowledge.teach,
    "Reply VALID or INVALID": knowledge.judge,
}
"""Questions about what is known, by a sentence of theirs."""
_ROLES: dict[str, Format] = {
    "You explain why a step failed": words.explain,
    "You translate lines of a plan": words.translate,
    "You draw insights from experience": experience.analyse,
    "You predict outcomes of plans": experience.predict,
    "You evaluate outcomes of plans": experience.evaluate,
    "You reflect on failed attempts": experience.reflect,
    "You propose tasks": voyager.propose,
    "You check tasks": voyager.criticise,
}
"""Roles beside the planner, by how the system message begins."""
_NAMED: dict[str, Format] = {
    "list of steps": steps.listed,
    "steps with thoughts": steps.with_thoughts,
    "one step at a time": steps.one_at_a_time,
    "plan": code.plan,
    "program": code.program,
    "policy": code.policy,
    "explanation": words.explain,
    "sub-goals": workflow.sub_goals,
    "workflow": workflow.workflow,
    "reflection": workflow.reflection,
    "skills": workflow.skills,
}
"""Formats that the system message names: ``# Answer format: <name>``."""
_FIELDS: dict[str, Format] = {
    "Plan:": steps.numbered,
    '"subtasks"': steps.subtasks,
    "Action:": steps.next_step,
}
"""Formats that the system message describes, by a field of the answer."""


def answer(mind: Mind, known: bool) -> str:
    """The answer to a prompt.

    Args:
        mind: Who answers.
        known: Whether the prompt names the mind's world; if not, only questions can be answered.
    """
    seen = mind.conversation
    name, _, described = seen.format.partition("\n")
    name = name.strip(": ")
    forms = [] if described else [form for mark, form in _QUESTIONS.items() if mark in seen.prompt]
    if known:
        forms += [form for mark, form in _ROLES.items() if seen.system.startswith(mark)]
        forms += [_NAMED[name]] if name in _NAMED else []
        forms += [form for mark, form in _FIELDS.items() if mark in described]
    return forms[0](mind) if forms else "I do not understand the question."
