"""Reflexion: what was reflected after failed attempts at a task is told at the next attempt."""

from mnemocraft.agents.deps import prompts as deps_prompts
from mnemocraft.agents.deps.deps import Report, carry_out, read
from mnemocraft.agents.deps.plan import Reading
from mnemocraft.agents.deps.prompts import user
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.agents.mindstores import prompts
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.worlds.world import Goals

KEPT = 3
"""Reflections that are shown: at most the three of Shinn et al. (2023), the latest ones."""


async def reflexion(rollout: Rollout) -> None:
    """Reflexion (Shinn et al. 2023): an attempt is one plan; a failed one is reflected upon.

    Its actor is DEPS's planner, with the reflections on earlier attempts at the same task.

    Raises:
        Stopped: ``plan_invalid``, ``goal_failed`` or ``plan_ended``, if nothing else ends the attempt.
    """
    rounds, goal = Rounds(rollout, 0), rollout.world.task.goal
    past = [hit.text for hit in rollout.recall(goal)]
    reflected = prompts.reflections(past[-KEPT:])
    question = user(rounds.task, rounds.scene, *reflected)
    answer = await rounds.ask("planner", [deps_prompts.planner(rollout.world, "deps"), question])
    plan = await read(rounds, answer)
    rounds.planned(plan)
    try:
        report = carry_out(rounds, plan, None)
        end = Stopped("plan_invalid" if plan.problem else "goal_failed" if report.step else "plan_ended")
    except Stopped as stopped:  # by the world
        if rollout.world.success:
            raise
        report, end = Report(), stopped
    # Numbered, as memories keep equal texts once, and what is found out again has to be the latest.
    rollout.memory.learn(f"After attempt {len(past) + 1}: {await _reflect(rounds, plan, report)}", [goal])
    raise end


async def _reflect(rounds: Rounds, plan: Reading, report: Report) -> str:
    world = rounds.world
    assert isinstance(world, Goals)  # as the agent needs
    failed = [f"Failed step: {report.step.action}", f"Message: {report.reason}"] if report.step else []
    ended = [] if failed else [f"Message: {plan.problem or f'the inventory has {world.lacking()}'}"]
    shown = user(rounds.task, f"Plan: {prompts.told(plan)}", *failed, *ended, rounds.scene)
    text = prompts.after(
        "Reflection:", await rounds.ask("reflector", [prompts.system("reflector", world), shown])
    )
    rounds.rollout.note("reflection", text)
    return text
