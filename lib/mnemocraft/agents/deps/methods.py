"""The planners of the study, and how an episode is played with one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.code_as_policies import code_as_policies
from mnemocraft.agents.deps.cot import chain_of_thought
from mnemocraft.agents.deps.deps import dep, deps
from mnemocraft.agents.deps.inner_monologue import inner_monologue
from mnemocraft.agents.deps.progprompt import progprompt
from mnemocraft.agents.deps.trial import Stopped, Trial
from mnemocraft.agents.deps.zero_shot import zero_shot
from mnemocraft.errors import MnemocraftError, ModelError, RequestTooLong
from mnemocraft.runs import Episode


@dataclass(frozen=True)
class Method:
    """One planner: its name in the paper's tables, and what plays an episode until it is stopped."""

    label: str
    run: Callable[[Trial], Awaitable[None]]


METHODS = {
    "gpt": Method("GPT", zero_shot),
    "progprompt": Method("ProgPrompt", progprompt),
    "cot": Method("CoT", chain_of_thought),
    "inner_monologue": Method("InnerMonologue", inner_monologue),
    "code_as_policies": Method("CaP", code_as_policies),
    "dep": Method("DEP", dep),
    "deps": Method("DEPS", deps),
}
"""All methods by the name that conditions use, in the order of Table 2."""


async def play(trial: Trial, method: str) -> Episode:
    """Play an episode to its end.

    A request that is too long for the model ends it like a dialogue that is; one that finally fails ends it
    with reason ``error``.

    Args:
        trial: The episode, not yet begun.
        method: A key of :data:`METHODS`.

    Raises:
        MnemocraftError: There is no such method.
    """
    if method not in METHODS:
        raise MnemocraftError(f"There is no method {method!r}; choose one of {', '.join(METHODS)}.")
    stage = trial.stage
    scene = {"version": stage.version, "target": stage.target, "inventory": prompts.listed(stage.inventory)}
    trial.log("start", method=method, **scene)
    try:
        await METHODS[method].run(trial)
    except Stopped as stopped:
        trial.reason = str(stopped)
    except RequestTooLong:
        trial.reason = "dialogue_full"
    except ModelError as error:
        trial.reason = "error"
        trial.log("error", message=str(error))
    trial.log("end", reason=trial.reason, steps=stage.steps, rounds=trial.round)
    return trial.episode()
