"""Inner Monologue: one step at a time, after each the scene and whether it succeeded."""

import re

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.trial import Stopped, Trial

_ACTION = re.compile(r"^[\s>*_-]*Action[*_]*[ \t]*:[*_]*[ \t]*(.+)$", re.M | re.I)


async def inner_monologue(trial: Trial) -> None:
    """Inner Monologue (Huang et al. 2022): success detector and scene are told, why a step failed is not.

    A failed step counts as a round.
    """
    dialogue = [prompts.planner(trial.stage.version, "inner_monologue"), trial.question()]
    while True:
        answer = await trial.ask("planner", dialogue)
        success = await _act(trial, answer)
        feedback = prompts.user(f"Success: {success}", *trial.scene())
        trial.log("feedback", text=feedback["content"])
        dialogue += [prompts.assistant(answer), feedback]
        if not success:
            trial.next_round()


async def _act(trial: Trial, answer: str) -> bool:
    """Carry out the step of an answer; whether it succeeded. Raises Stopped: ``gave_up``."""
    actions = _ACTION.findall(answer) or [""]
    action = actions[0].strip()
    if action.lower().rstrip(".") == "stop":
        raise Stopped("gave_up")
    plan = await trial.read_lines(action)
    trial.planned(plan)
    return bool(plan.steps) and trial.attempt(plan.steps[0], 1).success
