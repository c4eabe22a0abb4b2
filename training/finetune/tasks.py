"""Plancraft tasks to train on: fresh ones, none of them from the data set."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from mnemocraft.envs.plancraft import Example, examples
from mnemocraft.envs.plancraft.data import SLOT_NAMES
from mnemocraft.envs.plancraft.planner import plan

DISTRACTORS = (4, 4, 4, 8, 8, 16)
"""How many unrelated items lie about; the data set has 4, 8 and 16 equally often, longer ones cost more."""
MAX_ACTIONS = 12
"""Longest task trained on, in expert actions; the limit of an episode is 30."""


def fresh_task(name: str, target: str, impossible: bool, distractors: int, seed: int) -> Example | None:
    """A new task from the ``plancraft`` package's sampler.

    Args:
        name: Its id.
        target: Item to craft.
        impossible: Take ingredients away until it cannot be made.
        distractors: Number of unrelated items.
        seed: Decides everything else.

    Returns:
        The task; None if it is one of the data set's or cannot be had (some targets are craftable in no
        way that the sampler finds).
    """
    with _seeded(seed) as rng:
        from plancraft.environment.sampler import assign_to_slots, sample_distractors, sample_recipes

        inventory, excluded = sample_recipes(target, set())
        if not inventory:
            return None
        lost = _taken_away(inventory, rng) if impossible else {}
        inventory = {item: n - lost.get(item, 0) for item, n in inventory.items() if n > lost.get(item, 0)}
        inventory |= sample_distractors(excluded | {target}, distractors)
        slots = {
            SLOT_NAMES[n]: (held["type"], held["quantity"]) for n, held in assign_to_slots(inventory).items()
        }
    if (target, _content(slots)) in _evaluated() or (plan(inventory, target) is None) != impossible:
        return None
    slots = {slot: slots[slot] for slot in SLOT_NAMES if slot in slots}
    return Example(
        id=name,
        target=target,
        slots=slots,
        inventory=inventory,
        impossible=impossible,
        difficulty="impossible" if impossible else "",
        num_distractors=distractors,
        optimal_path=None,
        items_used=None,
        unique_items_used=None,
        complexity=None,
    )


def _taken_away(inventory: dict[str, int], rng: random.Random) -> dict[str, int]:
    """How many of which ingredients go missing: at least one kind, all or some of it."""
    kinds = rng.sample(sorted(inventory), rng.randint(1, len(inventory)))
    return {item: rng.randint(1, inventory[item]) for item in kinds}


@contextmanager
def _seeded(seed: int) -> Iterator[random.Random]:
    """The package draws from Python's global generator; lend it ours and put everything back."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield random.Random(seed)
    finally:
        random.setstate(state)


@cache
def _evaluated() -> frozenset[tuple[str, tuple[tuple[str, int], ...]]]:
    """Target and items of every example of every split, which no fresh task may repeat."""
    return frozenset(
        (item.target, _content(item.slots))
        for split in ("train", "low", "test", "high")
        for item in examples(split)
    )


def _content(slots: dict[str, tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(slots.values()))
