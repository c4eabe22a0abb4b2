"""Formats made of action lines: the next step, all of them, or subtasks."""

import json

from mnemocraft.surrogate.minds import Mind

PATIENCE = 3
"""Failures in a row after which it gives up, where it is asked for one step at a time."""


def next_step(mind: Mind) -> str:
    """GiG and ReAct: reasoning and one action, with a summary and the progress where they are asked for."""
    step, seen = mind.step(), mind.conversation
    if step is None:
        return "Reasoning: All is done.\nAction: stop"
    answer = f"Reasoning: {step.reason}\nAction: {step.line}"
    if not seen.carries:
        return answer
    summary = f"I did: {step.line}. Step {seen.steps + 1}.{mind.note}"
    return f"{answer}\nSummary: {summary}\nCurrent Progress: {mind.progress}"


def numbered(mind: Mind) -> str:
    """CoT: a numbered plan to the end."""
    return "Plan:\n" + "\n".join(f"{n}. {step.line}" for n, step in enumerate(mind.plan(), start=1))


def listed(mind: Mind) -> str:
    """GPT: ``step N:`` and the action, one a line."""
    return "\n".join(f"step {n}: {step.line}" for n, step in enumerate(mind.plan(), start=1))


def with_thoughts(mind: Mind) -> str:
    """CoT of DEPS: each step with what is there afterwards."""
    lines = []
    for n, step in enumerate(mind.plan(), start=1):
        lines += [f"step {n}: {step.detail or step.line}", f"Thinking: {step.after or 'then the next one'}"]
    return "\n".join(lines)


def one_at_a_time(mind: Mind) -> str:
    """Inner Monologue: what the next step needs, and the step."""
    successes = [success for _, success in mind.conversation.attempts]
    gave_up = len(successes) >= PATIENCE and not any(successes[-PATIENCE:])
    step = None if gave_up else mind.step()
    if step is None:
        return "Thought: nothing is left that I could do\nAction: stop"
    return f"Thought: {step.reason}\nAction: {step.line}"


def subtasks(mind: Mind) -> str:
    """ReCAP: the subtasks that are left of the current task."""
    left = mind.subtasks()
    return json.dumps({"think": f"{len(left)} left.{mind.note}", "subtasks": left})
