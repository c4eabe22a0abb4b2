"""MindStores and the agents that its paper compares it with; DEPS itself is among DEPS's methods."""

from collections.abc import Awaitable, Callable
from functools import partial

from mnemocraft.agents.deps.rounds import SAMPLING
from mnemocraft.agents.deps.selectors import HorizonSelector
from mnemocraft.agents.mindstores.mindstores import MAX_REVISIONS, Settings, mindstores
from mnemocraft.agents.mindstores.reflexion import reflexion
from mnemocraft.agents.rollout import Agent
from mnemocraft.bounded import whole
from mnemocraft.worlds.world import Goals, Horizons


def agent(
    name: str,
    max_rounds: int | None = None,
    insights: bool = True,
    revisions: int = MAX_REVISIONS,
    unaided: bool = False,
) -> Agent:
    """The agent of a name.

    Args:
        name: ``mindstores`` or ``reflexion``.
        max_rounds: Of MindStores: plans after the first that may be carried out in an episode.
        insights, revisions, unaided: Of MindStores, see
            :class:`~mnemocraft.agents.mindstores.mindstores.Settings`.

    Raises:
        MnemocraftError: ``max_rounds`` or ``revisions`` is no whole number of at least 0.
    """
    if max_rounds is not None:
        whole(max_rounds, "max_rounds", 0)
    whole(revisions, "revisions", 0)
    if name == "reflexion":
        return Agent(name, "Reflexion", reflexion, SAMPLING, (Goals,), teaches_itself=True)
    settings = Settings(insights, revisions, unaided)
    chosen: Callable[..., Awaitable[None]] = partial(
        mindstores, settings=settings, max_rounds=max_rounds, selector=HorizonSelector()
    )
    return Agent(name, "MindStores", chosen, SAMPLING, (Goals, Horizons))
