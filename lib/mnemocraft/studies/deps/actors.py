"""Who acts and who scores views in the overworld of the studies; compiled code is imported only here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemocraft.agents.deps.selectors import Scorer
    from mnemocraft.controllers import LearnedController, ScriptedController, SightedController
    from mnemocraft.controllers.network import Network
    from mnemocraft.envs import OverworldEnv


def scripted(env: OverworldEnv, seed: int) -> ScriptedController:
    """The scripted controller of a world."""
    from mnemocraft.controllers import ScriptedController

    return ScriptedController(env, seed)


def sighted(env: OverworldEnv) -> SightedController:
    """The script that acts on what it sees."""
    from mnemocraft.controllers import SightedController

    return SightedController(env)


def learned(seed: int) -> LearnedController:
    """The learned controller with the weights that come with the project."""
    from mnemocraft.controllers import LearnedController

    return LearnedController(_network(), seed)


@cache
def _network() -> Network:
    """Its network, read once; streams already share the processor."""
    import torch

    from mnemocraft.controllers.network import load_network

    torch.set_num_threads(1)
    return load_network()


@cache
def clip(weights: str) -> Scorer:
    """How well texts fit a view, by a CLIP model that is read once.

    Raises:
        MnemocraftError: There are no such weights.
    """
    import torch

    from mnemocraft.agents.deps import selectors

    torch.set_num_threads(1)
    return selectors.clip(weights)
