"""Code as Policies: a program with loops and assertions about the inventory, written once."""

from collections.abc import Generator

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.interpreter import run_policy
from mnemocraft.agents.deps.plan import Step
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.runs.events import Plan


async def code_as_policies(rollout: Rollout) -> None:
    """Code as Policies (Liang et al. 2022); :mod:`~mnemocraft.agents.deps.interpreter` carries it out.

    Raises:
        Stopped: ``policy_failed`` or ``plan_ended``, if nothing else ends the episode.
    """
    rounds, world = Rounds(rollout), rollout.world
    answer = await rounds.ask("planner", [prompts.planner(world, "code_as_policies"), rounds.question()])
    policy = run_policy(answer, lambda item: world.observe().inventory.get(item, 0))
    problem = _run(rounds, policy)
    rollout.count("unread", bool(problem))
    rollout.log(Plan(0, [], problem))
    raise Stopped("policy_failed" if problem else "plan_ended")


def _run(rounds: Rounds, policy: Generator[Step, bool, str]) -> str:
    """Pursue the goals that a policy asks for; why it stopped early, if it did."""
    number = 1
    try:
        step = next(policy)
        while True:
            success = rounds.attempt(step, number).success
            number, step = number + 1, policy.send(success)
    except StopIteration as end:
        return end.value
