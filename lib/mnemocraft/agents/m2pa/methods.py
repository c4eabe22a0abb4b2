"""M2PA, its ablations, and the planners beside it."""

from collections.abc import Awaitable, Callable
from functools import partial

from mnemocraft.agents.m2pa.m2pa import MAX_ROUNDS, m2pa
from mnemocraft.agents.m2pa.mp5 import mp5
from mnemocraft.agents.m2pa.plan4mc import plan4mc
from mnemocraft.agents.rollout import Agent, Sampling
from mnemocraft.bounded import whole
from mnemocraft.worlds.world import Goals

SAMPLING = {"": Sampling(temperature=0.0, max_tokens=2048)}
_METHODS: dict[str, tuple[str, Callable[..., Awaitable[None]]]] = {
    "m2pa": ("M2PA", m2pa),
    "m2pa_semantic": ("M2PA, semantic memory alone", partial(m2pa, sees=False, works=False)),
    "m2pa_sensory": ("M2PA, semantic and sensory memory", partial(m2pa, works=False)),
    "plan4mc": ("Plan4MC-like", plan4mc),
    "mp5": ("MP5-like", mp5),
}
_REVISING = ("m2pa", "mp5")
LABELS = {name: label for name, (label, _) in _METHODS.items()}
"""Names in tables and figures; ``m2pa`` with the memory ``none`` has all but episodic memory."""


def agent(name: str, max_rounds: int = MAX_ROUNDS) -> Agent:
    """The agent of a method.

    Args:
        name: A key of :data:`LABELS`.
        max_rounds: Revised plans allowed, for those that revise them.

    Raises:
        MnemocraftError: ``max_rounds`` is no whole number of at least 0.
    """
    label, run = _METHODS[name]
    run = partial(run, max_rounds=whole(max_rounds, "max_rounds", 0)) if name in _REVISING else run
    return Agent(name, label, run, SAMPLING, (Goals,))
