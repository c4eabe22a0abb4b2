"""M2PA: plan with semantic, sensory, working and episodic memory, act, reflect (section 2, equation 4)."""

from __future__ import annotations

from mnemocraft.agents.m2pa import controller
from mnemocraft.agents.m2pa.answers import Decomposition, SubGoal, Workflow
from mnemocraft.agents.m2pa.working import Working
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.memory.interface import Cue
from mnemocraft.runs.events import Plan
from mnemocraft.worlds.minecraft import left_by

MAX_ROUNDS, PERIOD = 8, 6
"""Revised plans, and sub-goals reached between two reflections without an occasion; neither is printed."""


async def m2pa(rollout: Rollout, sees: bool = True, works: bool = True, max_rounds: int = MAX_ROUNDS) -> None:
    """Decompose the task, plan and carry out sub-goal by sub-goal, reflect on what fails, and start anew.

    Semantic memory is the model, episodic memory that of the rollout. Each reached sub-goal is an experience,
    and so is the whole task.

    Args:
        rollout: The episode.
        sees: With sensory memory.
        works: With working memory; without it the first failure is the end, and nothing is recalled.
        max_rounds: Revised plans allowed.
    """
    work, start = Working(rollout, sees, works), rollout.cue()
    done: list[str] = []
    try:
        for number in range(max_rounds + 1):
            rollout.sample = rollout.counts["rounds"] = number
            why, last, message = await _round(work, done)
            if not works:
                raise Stopped("goal_failed" if why == "failure" else "plan_ended")
            await work.reflect(why, last, message)
        raise Stopped("max_rounds")
    except Stopped:
        if rollout.world.success:
            rollout.experience(start, "; ".join(done), "Success: the goal was reached.", True)
        raise
    finally:  # what its actions brought, for the milestones of a long task
        brought = {line.split()[2] for line in rollout.actions if not line.startswith("dig ")}
        rollout.counts["items"] = ",".join(sorted(brought))


async def _round(work: Working, done: list[str]) -> tuple[str, str, str]:
    """From a decomposition to what went wrong: why to reflect, on what, and what was said about it."""
    world = work.rollout.world
    found, problem = await work.ask("sub_goals", Decomposition, work.task, work.scene(), *work.context())
    subgoals = found.subgoals if found else []
    steps = [f"obtain {goal.quantity} {goal.task}" for goal in subgoals]
    work.rollout.log(Plan(int(work.rollout.counts["rounds"]), steps, problem))
    if problem:
        return "failure", world.task.goal, problem
    for place, goal in enumerate(subgoals, 1):
        last, why, message = await pursue(work, goal, place, done)
        if why:
            return why, last, message
        work.reached.append(goal.task)
        if work.works and len(work.reached) % PERIOD == 0:
            await work.reflect("period", last)
    return "obstacle", steps[-1], f"All is done, but the inventory has {work.goals.lacking()}."


async def pursue(work: Working, goal: SubGoal, place: int, done: list[str]) -> tuple[str, str, str]:
    """Plan a sub-goal, carry it out, and judge it by its result.

    Returns:
        What was done last, and where it was not reached why to reflect and what was said.
    """
    rollout, query = work.rollout, f"obtain 1 {goal.task}"
    before, name = rollout.cue(query), f"obtain {goal.quantity} {goal.task}"
    answer, problem = await work.ask("workflow", Workflow, *work.about(goal), *work.context(query))
    if answer is None:
        return name, "failure", problem
    acts: list[str] = []
    for line, words in controller.lines(answer):
        rollout.count("goals")
        told = len(done)
        done.append(words)
        try:
            feedback = rollout.act(line, place=place, line=words)
        except Stopped:
            if rollout.world.success:
                _keep(work, before, [*acts, words], "")
            raise
        finally:
            failed = not rollout.feedback.success
            rollout.count("failed_goals", failed)
        if failed:
            del done[told:]
            _keep(work, before, [*acts, words], feedback.failure)
            return line, "obstacle" if feedback.steps else "failure", feedback.failure
        acts.append(words)
    now = rollout.world.observe().inventory
    items = {goal.task, *left_by(work.goals.library, "mine", goal.task)}  # it may name what it mines
    gained = max(now.get(item, 0) - before.inventory.get(item, 0) for item in items)
    if work.works and gained < goal.quantity:  # evaluation of the sub-goal by its result
        message = f"I did not {name}: gained {gained} of {goal.quantity} {goal.task}."
        _keep(work, before, acts, message)
        return name, "obstacle", message
    _keep(work, before, acts, "")
    return acts[-1] if acts else name, "", ""


def _keep(work: Working, before: Cue, acts: list[str], failure: str) -> None:
    """A sub-goal's plan as an experience; without working memory nothing gets there."""
    if work.works and acts:
        outcome = f"Failure: {failure}" if failure else "Success: the sub-goal was reached."
        work.rollout.experience(before, "; ".join(acts), outcome, not failure)
