"""How2's teacher in Minecraft: the shortest plan from the inventory, told at four levels of abstraction."""

from __future__ import annotations

from mnemocraft.envs.minecraft import Plan
from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary
from mnemocraft.envs.minecraft.planner import PlanStep
from mnemocraft.worlds.minecraft import line_of


def plan_told(found: Plan, item: str, level: str, library: GoalLibrary) -> str:
    """A plan as an answer.

    Args:
        found: The shortest plan.
        item: What it is for.
        level: ``executable``: action lines; ``partially-executable``: without numbers;
            ``subgoal-partially-executable``: only what to have, in order; ``non-executable``: one sentence.
        library: The goals there are.
    """
    if found.reason:
        return f"{item} cannot be made from the current inventory."
    lines = [line_of(_goal(step, library), step.using) for step in found.steps]
    if level == "partially-executable":
        lines = [f"{step.verb} {step.item}" for step in found.steps]
    elif level != "executable":
        lines = list(dict.fromkeys(f"get {step.item.replace('_', ' ')}" for step in found.steps))
    if level == "non-executable":
        return "First " + ", then ".join(lines) + "."
    return "\n".join([f"To make {item}, follow these steps:", *(f"{n}. {s}" for n, s in enumerate(lines, 1))])


def _goal(step: PlanStep, library: GoalLibrary) -> Goal:
    """The goal of a step: a plan counts actions, a goal the units that they give."""
    goal = Goal(step.verb, step.item)
    gives = dict(library.engine.operators[goal.name][0].gives)
    units = max((gives.get(item, 1) for item, _ in library.objective(goal)), default=1)
    return Goal(step.verb, step.item, step.count * units)
