"""A laid-out kitchen: everything that the environments playing in it share."""

from __future__ import annotations

from functools import lru_cache

from mnemocraft.envs.kitchen.benchmark import task_kitchen
from mnemocraft.envs.kitchen.domain import Domain, kitchen_domain
from mnemocraft.envs.kitchen.engine import KitchenEngine
from mnemocraft.envs.kitchen.environment import WILDCARDS, Kitchen, spec_of, start_atoms
from mnemocraft.envs.kitchen.goal import KitchenGoal
from mnemocraft.envs.kitchen.layout import laid_out
from mnemocraft.envs.kitchen.reading import fail
from mnemocraft.envs.kitchen.solvable import check_goal
from mnemocraft.envs.kitchen.text import Describer


class Scene:
    """A kitchen as a seed lays it out (see :func:`~mnemocraft.envs.kitchen.layout.laid_out`).

    Attributes:
        kitchen: Where everything is, numbered.
        retries: How many seeds after the given one were needed.
        engine: What can happen.
        goal: What is wanted.
        describer: Puts states into words.
    """

    def __init__(self, domain: Domain, kitchen: Kitchen, seed: int | None, noisy: bool) -> None:
        self.kitchen, self.retries = laid_out(kitchen, seed, noisy)
        self.engine = KitchenEngine(domain, self.kitchen.objects(), start_atoms(self.kitchen))
        self.goal = KitchenGoal(spec_of(self.kitchen, domain), self.engine)
        self.describer = Describer(self.engine)


@lru_cache(maxsize=32)
def task_scene(task: str, seed: int | None, noisy: bool) -> Scene:
    """The scene of a benchmark task; groundings made for one episode serve the next."""
    return Scene(kitchen_domain(), task_kitchen(task), seed, noisy)


def file_scene(domain: Domain, kitchen: Kitchen, seed: int | None, where: str) -> Scene:
    """The scene of a user's kitchen, whose goal must be one that can hold.

    Raises:
        MnemocraftError: The goal can never hold, or the domain lacks what a seed or a wildcard adds.
    """
    drawn = seed is not None or any(thing.kind in WILDCARDS for _, thing in kitchen.things())
    for of_type, kinds in WILDCARDS.items() if drawn else ():
        lacking = [kind for kind in kinds if domain.kinds.get(kind) != of_type]
        if lacking:
            fail(
                where, f"seeds and wildcards can draw the kind {lacking[0]}, which the domain does not have."
            )
    scene = Scene(domain, kitchen, seed, False)
    check_goal(scene.kitchen, scene.engine, scene.goal, f"{where}: goal")
    return scene
