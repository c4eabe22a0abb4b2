"""Code as Policies: a program with loops and assertions about the inventory, written once."""

from collections.abc import Generator

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.interpreter import run_policy
from mnemocraft.agents.deps.plan import Step
from mnemocraft.agents.deps.trial import Stopped, Trial


async def code_as_policies(trial: Trial) -> None:
    """Code as Policies (Liang et al. 2022); :mod:`~mnemocraft.agents.deps.interpreter` carries it out.

    Raises:
        Stopped: ``policy_failed`` or ``plan_ended``, if nothing else ends the episode.
    """
    system = prompts.planner(trial.stage.version, "code_as_policies")
    answer = await trial.ask("planner", [system, trial.question()])
    policy = run_policy(answer, lambda item: trial.stage.inventory.get(item, 0))
    problem = _run(trial, policy)
    trial.count["unread"] += bool(problem)
    trial.log("policy", problem=problem)
    raise Stopped("policy_failed" if problem else "plan_ended")


def _run(trial: Trial, policy: Generator[Step, bool, str]) -> str:
    """Pursue the goals that a policy asks for; why it stopped early, if it did."""
    number = 1
    try:
        step = next(policy)
        while True:
            success = trial.attempt(step, number).success
            number, step = number + 1, policy.send(success)
    except StopIteration as end:
        return end.value
