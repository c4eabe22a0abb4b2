"""Goals with the same preconditions, and nothing but their order to be chosen: a plan that asks no model.

It is chosen anew when a goal was reached, or not reached in :data:`TURN` steps; then it goes behind the
others, whoever chooses. Equation 1 has a choice at every step, but whoever turns round whenever another goal
seems a little nearer gets nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.agents.deps.selectors import Choice, Selector
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.minecraft.operators import Name
from mnemocraft.runs import events
from mnemocraft.worlds.minecraft import line_of
from mnemocraft.worlds.world import Goals

TURN = 600
"""Steps after which a goal has failed for now: the paper's episode length (Table 18)."""


async def pursue_all(rollout: Rollout, goals: Sequence[tuple[Goal, str]], selector: Selector) -> None:
    """Pursue goals until all that the task asks for is held, or the steps are used up.

    Args:
        rollout: In a world whose actions are goals.
        goals: In the order of the plan, each with the item of which the task asks for some units.
        selector: Who chooses.
    """
    world = rollout.world
    assert isinstance(world, Goals)  # as the agent needs
    random = np.random.default_rng(rollout.seed)
    rollout.count_from(("choices", "reached"))
    failed: set[Name] = set()
    while True:
        lacking = [goal for goal, item in goals if _lacks(rollout, item)]
        fresh = [goal for goal in lacking if goal.name not in failed]
        failed = failed if fresh else set()
        candidates = fresh or lacking
        choice = Choice(0)
        if len(candidates) > 1:
            choice = selector.choose(candidates, world, random)
        if world.reason:  # looking around takes steps
            raise Stopped(world.reason)
        goal = candidates[choice.place]
        rollout.count("choices")
        predicted = None if choice.horizons is None else [round(float(n), 1) for n in choice.horizons]
        shown = [str(each) for each in candidates]
        rollout.log(events.Choice(shown, str(goal), predicted, choice.looked))
        try:
            done = rollout.act(line_of(goal), limit=TURN)
        finally:
            rollout.counts["reached"] = sum(not _lacks(rollout, item) for item in world.target)
        if not done.success:
            failed.add(goal.name)


def _lacks(rollout: Rollout, item: str) -> bool:
    world = rollout.world
    assert isinstance(world, Goals)
    return world.observe().inventory.get(item, 0) < world.target.get(item, 0)
