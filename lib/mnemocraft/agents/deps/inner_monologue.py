"""Inner Monologue: one step at a time, after each the scene and whether it succeeded."""

import re

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.agents.rollout import Rollout, Stopped

_ACTION = re.compile(r"^(?:[^\S\n]|[>*_-])*+Action[*_]*+[ \t]*+:[*_]*+[ \t]*+(.+)$", re.M | re.I)


async def inner_monologue(rollout: Rollout, max_rounds: int | None = None) -> None:
    """Inner Monologue (Huang et al. 2022): success detector and scene are told, why a step failed is not.

    A failed step counts as a round.
    """
    rounds = Rounds(rollout, max_rounds)
    dialogue = [prompts.planner(rollout.world, "inner_monologue"), rounds.question()]
    while True:
        answer = await rounds.ask("planner", dialogue)
        success = await _act(rounds, answer)
        feedback = prompts.user(f"Success: {success}", rounds.scene)
        rollout.note("feedback", feedback["content"])
        dialogue += [prompts.assistant(answer), feedback]
        if not success:
            rounds.next_round()


async def _act(rounds: Rounds, answer: str) -> bool:
    """Carry out the step of an answer; whether it succeeded. Raises Stopped: ``gave_up``."""
    action = first_action(answer)
    if action.lower().rstrip(".") == "stop":
        raise Stopped("gave_up")
    plan = await rounds.read_lines(action)
    rounds.planned(plan)
    return bool(plan.steps) and rounds.attempt(plan.steps[0], 1).success


def first_action(answer: str) -> str:
    """What follows the first ``Action:`` on its line; empty if there is none."""
    found = _ACTION.search(answer)
    return found[1].strip() if found else ""
