"""An MP5-like planner: it looks before it plans, a patroller checks actions, and its memory has no scenes.

Kept of MP5 (Qin et al., 2024) are situation-aware planning and a memory without scenes, as M2PA's section 3.1
says, and of its own paper a patroller's feedback before each action, and successful plans kept under their
task; that is the memory ``keyed``, to be used with it. Left out: its active perception by dialogue between
perceiver and patroller, and its trained vision model; the scene is the world's text.
"""

from __future__ import annotations

from mnemocraft.agents.m2pa import controller
from mnemocraft.agents.m2pa.answers import Workflow
from mnemocraft.agents.m2pa.working import Working
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.runs.events import Plan


async def mp5(rollout: Rollout, max_rounds: int = 8) -> None:
    """One workflow for the whole task; what the patroller or the world objects to goes into the next one.

    Args:
        rollout: The episode.
        max_rounds: Revised plans allowed.
    """
    work = Working(rollout)
    for number in range(max_rounds + 1):
        rollout.sample = rollout.counts["rounds"] = number
        answer, problem = await work.ask("workflow", Workflow, work.task, work.scene(), *work.context())
        steps = list(controller.lines(answer)) if answer else []
        rollout.log(Plan(number, [words for _, words in steps], problem))
        for place, (line, words) in enumerate(steps, 1):
            rollout.count("goals")
            try:
                feedback = rollout.act(line, place=place, line=words)  # refused before a step if it cannot be
            finally:
                rollout.count("failed_goals", not rollout.feedback.success)
            if not feedback.success:
                work.reflections.append(f'Reflection on "{line}": {feedback.failure}')
                break
    raise Stopped("max_rounds")
