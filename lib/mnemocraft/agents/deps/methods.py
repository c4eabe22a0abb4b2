"""The planners of DEPS's study."""

from collections.abc import Awaitable, Callable
from functools import partial

from mnemocraft.agents.deps.code_as_policies import code_as_policies
from mnemocraft.agents.deps.deps import deps
from mnemocraft.agents.deps.inner_monologue import inner_monologue
from mnemocraft.agents.deps.rounds import SAMPLING
from mnemocraft.agents.deps.selectors import HorizonSelector
from mnemocraft.agents.deps.zero_shot import chain_of_thought, progprompt, zero_shot
from mnemocraft.agents.rollout import Agent
from mnemocraft.bounded import whole
from mnemocraft.worlds.world import Goals, Horizons

_METHODS: dict[str, tuple[str, Callable[..., Awaitable[None]], tuple[type, ...]]] = {
    "gpt": ("GPT", zero_shot, ()),
    "gpt_rp": ("GPT+RP", partial(deps, method="gpt_rp"), ()),
    "progprompt": ("ProgPrompt", progprompt, (Goals,)),
    "cot": ("CoT", chain_of_thought, ()),
    "inner_monologue": ("InnerMonologue", inner_monologue, ()),
    "code_as_policies": ("CaP", code_as_policies, (Goals,)),
    "dep": ("DEP", deps, ()),
    "deps": ("DEPS", partial(deps, selector=HorizonSelector()), (Goals, Horizons)),
    "deps_unexplained": (
        "DEPS without explanations",
        partial(deps, selector=HorizonSelector(), explains=False),
        (Goals, Horizons),
    ),
}
_REVISING = ("gpt_rp", "inner_monologue", "dep", "deps", "deps_unexplained")
LABELS = {
    name: label for name, (label, _, _) in _METHODS.items() if name not in ("gpt_rp", "deps_unexplained")
}
"""Names in the paper's tables by the name that conditions use, in the order of Table 2; GPT+RP is in
Table 6 only, and DEPS without explanations is our control."""


def agent(name: str, max_rounds: int | None = None) -> Agent:
    """The agent of a method.

    Args:
        name: A key of :data:`LABELS`; ``zero_shot``, ``zero_shot_rp`` and ``zero_shot_cot`` mean ``gpt``,
            ``gpt_rp`` and ``cot``.
        max_rounds: Revised plans allowed (Table 4), for those that revise them; None for as many as the
            dialogue has room for.

    Raises:
        MnemocraftError: ``max_rounds`` is no whole number of at least 0.
    """
    if max_rounds is not None:
        whole(max_rounds, "max_rounds", 0)
    method = {"zero_shot": "gpt", "zero_shot_rp": "gpt_rp", "zero_shot_cot": "cot"}.get(name, name)
    label, run, needs = _METHODS[method]
    if method in _REVISING:
        run = partial(run, max_rounds=max_rounds)
    return Agent(name, label, run, SAMPLING, needs)
