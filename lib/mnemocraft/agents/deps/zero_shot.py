"""GPT as a zero-shot planner: a plan in words, made once and carried out without looking."""

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.plan import Reading
from mnemocraft.agents.deps.trial import Stopped, Trial


async def zero_shot(trial: Trial) -> None:
    """GPT as a zero-shot planner (Huang et al. 2022): a list of steps."""
    answer = await trial.ask("planner", [prompts.planner(trial.stage.version, "gpt"), trial.question()])
    follow(trial, await trial.read_lines(answer))


def follow(trial: Trial, plan: Reading) -> None:
    """Carry out a plan line by line; nobody is told how it goes.

    Raises:
        Stopped: ``plan_invalid``, ``goal_failed`` or ``plan_ended``, if nothing else ends the episode.
    """
    trial.planned(plan)
    if plan.problem or not plan.steps:
        raise Stopped("plan_invalid")
    for place, step in enumerate(plan.steps, 1):
        if not trial.attempt(step, place).success:
            raise Stopped("goal_failed")
    raise Stopped("plan_ended")
