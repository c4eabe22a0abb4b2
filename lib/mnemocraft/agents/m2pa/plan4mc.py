"""A Plan4MC-like planner: a search over a graph of skills that a model names once, without a memory.

Kept of Plan4MC (2023): skills with what they consume and require, a depth-first search over their graph, and
a new search from the present inventory after each skill. Left out: its skills trained by reinforcement; the
world's controller carries them out, as for everybody here.
"""

from __future__ import annotations

from collections.abc import Mapping

from mnemocraft.agents.m2pa.answers import Skill, SkillGraph, Units
from mnemocraft.agents.m2pa.working import Working
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.envs.minecraft.goals import GoalLibrary
from mnemocraft.runs.events import Plan
from mnemocraft.worlds.minecraft import left_by

TRIES, DEEPEST = 3, 60
"""Tries of a skill that fails, and skills after which a search ends."""


async def plan4mc(rollout: Rollout) -> None:
    """Ask for the graph, then search and act until the task is done or a skill has failed too often."""
    work = Working(rollout, works=False)
    graph, problem = await work.ask("skills", SkillGraph, work.task, work.scene())
    if graph is None:
        rollout.log(Plan(0, [], problem))
        raise Stopped("plan_invalid")
    skills = by_item(graph, work.goals.library)
    failures: dict[str, int] = {}
    while True:
        line, item = search(skills, work.goals.target, rollout.world.observe().inventory)
        if not item:
            raise Stopped("plan_ended")
        rollout.count("goals")
        try:
            feedback = rollout.act(line)
        finally:
            rollout.count("failed_goals", not rollout.feedback.success)
        failures[item] = failures.get(item, 0) + (not feedback.success)
        if failures[item] >= TRIES:
            raise Stopped("goal_failed")


def by_item(graph: SkillGraph, library: GoalLibrary) -> dict[str, Skill]:
    """The skills by what they leave in the inventory.

    A skill may name what it acts on, as in ``mine stone`` or ``kill cow``: what it leaves then takes the
    place of that name in all others. One that kills for an item, which is a goal of ``mine`` here, mines it.
    """
    skills, names = [], {}
    for skill in graph.skills:
        if skill.verb == "kill" and not left_by(library, "kill", skill.item):
            skill = skill.model_copy(update={"verb": "mine"})
        left = left_by(library, skill.verb, skill.item)
        names[skill.item] = left[0] if left and skill.item not in left else skill.item
        skills.append(skill)

    def named(units: Units) -> Units:
        return {names.get(item, item): number for item, number in units.items()}

    return {
        names[skill.item]: skill.model_copy(
            update={"consumes": named(skill.consumes), "requires": named(skill.requires)}
        )
        for skill in skills
    }


def search(
    skills: Mapping[str, Skill], target: Mapping[str, int], held: Mapping[str, int]
) -> tuple[str, str]:
    """The first skill to use on the way to a target, as an action line, and its item; empty if there is none.

    Depth first: what a skill requires, then what it consumes, then the skill.
    """
    stock = dict(held)
    order: list[tuple[str, str]] = []

    def obtain(item: str, units: int, above: tuple[str, ...]) -> None:
        lacking = units - stock.get(item, 0)
        skill = skills.get(item)
        if lacking <= 0 or skill is None or item in above or len(order) > DEEPEST:
            return
        uses = -(-lacking // skill.makes)
        for need, number in skill.requires.items():
            obtain(need, number, (*above, item))
        for part, number in skill.consumes.items():
            obtain(part, number * uses, (*above, item))
            stock[part] = stock.get(part, 0) - number * uses
        stock[item] = stock.get(item, 0) + skill.makes * uses
        order.append((f"{skill.verb} {skill.makes * uses} {skill.item}", item))

    for item, units in target.items():
        obtain(item, units, ())
    return order[0] if order else ("", "")
