"""Plancraft's examples: five splits of tasks, read from the files of the ``plancraft`` package."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from mnemocraft.envs.plancraft.recipes import package_file
from mnemocraft.errors import MnemocraftError, one_of, unreadable

Slots = dict[str, tuple[str, int]]
"""Slot name (``"I12"``, ``"A1"``, ``"0"``) to item and quantity."""

SLOT_NAMES = (
    "0",
    *(row + column for row in "ABC" for column in "123"),
    *(f"I{i}" for i in range(1, 37)),
)
"""Names of the 46 slots in the package's order: the output, the 3 x 3 table, the 36 of the inventory."""

SPLITS = {
    "train": "train",
    "val": "val",
    "test": "test",
    "low": "val",
    "high": "val.repeated",
}
"""File of each split; ``low`` and ``high`` are the paper's low- and high-repetition splits."""

_ID_SPLIT = {"TRAIN": "train", "VAL": "low", "TEST": "test", "VALR": "high"}


@dataclass(frozen=True)
class Example:
    """One task of the data set. What an impossible task lacks is None (the package mixes None and NaN).

    Attributes:
        id: E.g. ``"VAL0012"`` (low split) or ``"VALR0012"`` (high split).
        target: Item to craft.
        slots: Where the items lie at the start; treat as read-only, like the other containers.
        inventory: The same as counts.
        impossible: True when the target cannot be made.
        difficulty: ``"easy"``, ``"medium"``, ``"hard"`` or ``"impossible"``.
        num_distractors: Items that were added at random.
        optimal_path: Results of the package's plan, one per craft.
        items_used: Units consumed by that plan.
        unique_items_used: Different items consumed, summed over its crafts.
        complexity: ``items_used`` times the number of crafts.
    """

    id: str
    target: str
    slots: Slots
    inventory: dict[str, int]
    impossible: bool
    difficulty: str
    num_distractors: int
    optimal_path: tuple[str, ...] | None
    items_used: int | None
    unique_items_used: int | None
    complexity: int | None

    def __hash__(self) -> int:
        return hash(self.id)  # the default would hash the dicts, which cannot be


@cache
def examples(split: str) -> tuple[Example, ...]:
    """All examples of ``train``, ``val``, ``test``, ``low`` (= val) or ``high`` (the repeated split)."""
    one_of("Plancraft split", split, SPLITS)
    path = package_file("data", f"{SPLITS[split]}.json")
    with unreadable(path):
        return tuple(_example(row) for row in json.loads(path.read_text(encoding="utf-8")))


def split_of(task_id: str) -> str:
    """The split that an id belongs to; empty if it is of none."""
    return _ID_SPLIT.get(task_id.rstrip("0123456789"), "")


def example(task_id: str) -> Example:
    """The example with this id, whichever split it is in."""
    split = split_of(task_id)
    found = _by_id(split).get(task_id) if split else None
    if found is None:
        raise MnemocraftError(f"Unknown Plancraft task {task_id!r}; ids look like VAL0012 or VALR0012.")
    return found


@cache
def _by_id(split: str) -> dict[str, Example]:
    return {entry.id: entry for entry in examples(split)}


def _example(row: dict[str, Any]) -> Example:
    slots = {SLOT_NAMES[int(i)]: (s["type"], s["quantity"]) for i, s in row["slotted_inventory"].items()}
    path = row["optimal_path"]
    used, unique = _items_used(row["inventory"], row["inventory_trace"]) if path else (None, None)
    return Example(
        id=row["id"],
        target=row["target"],
        slots=slots,
        inventory=dict(row["inventory"]),
        impossible=row["impossible"],
        difficulty=row["complexity_split"],
        num_distractors=row["num_distractors"],
        optimal_path=tuple(path) if path else None,
        items_used=used,
        unique_items_used=unique,
        complexity=None if used is None else used * len(path),
    )


def _items_used(start: dict[str, int], trace: list[dict[str, int]]) -> tuple[int, int]:
    """Units and different items that a plan consumes, from the inventories after each of its crafts."""
    spent = [Counter(a) - Counter(b) for a, b in zip([start, *trace], trace, strict=False)]
    return sum(step.total() for step in spent), sum(len(step) for step in spent)
