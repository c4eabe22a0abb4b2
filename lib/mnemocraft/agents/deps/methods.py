"""The planners of DEPS's study."""

from collections.abc import Awaitable, Callable
from functools import partial

from mnemocraft.agents.deps.code_as_policies import code_as_policies
from mnemocraft.agents.deps.deps import deps
from mnemocraft.agents.deps.inner_monologue import inner_monologue
from mnemocraft.agents.deps.rounds import SAMPLING
from mnemocraft.agents.deps.selectors import HorizonSelector
from mnemocraft.agents.deps.zero_shot import chain_of_thought, progprompt, zero_shot
from mnemocraft.agents.rollout import Agent, Rollout
from mnemocraft.worlds.world import Goals, Horizons

LABELS = {
    "gpt": "GPT",
    "progprompt": "ProgPrompt",
    "cot": "CoT",
    "inner_monologue": "InnerMonologue",
    "code_as_policies": "CaP",
    "dep": "DEP",
    "deps": "DEPS",
}
"""Names in the paper's tables by the name that conditions use, in the order of Table 2."""


def agent(name: str, max_rounds: int | None = None) -> Agent:
    """The agent of a method.

    Args:
        name: A key of :data:`LABELS`; ``zero_shot`` and ``zero_shot_cot`` mean ``gpt`` and ``cot``.
        max_rounds: Revised plans allowed (Table 4), for those that revise them; None for as many as the
            dialogue has room for.
    """
    method = {"zero_shot": "gpt", "zero_shot_cot": "cot"}.get(name, name)
    runs: dict[str, Callable[[Rollout], Awaitable[None]]] = {
        "gpt": zero_shot,
        "progprompt": progprompt,
        "cot": chain_of_thought,
        "inner_monologue": partial(inner_monologue, max_rounds=max_rounds),
        "code_as_policies": code_as_policies,
        "dep": partial(deps, max_rounds=max_rounds),
        "deps": partial(deps, max_rounds=max_rounds, selector=HorizonSelector()),
    }
    needs: dict[str, tuple[type, ...]] = {
        "progprompt": (Goals,),
        "code_as_policies": (Goals,),
        "deps": (Goals, Horizons),
    }
    return Agent(name, LABELS[method], runs[method], SAMPLING, needs.get(method, ()))
