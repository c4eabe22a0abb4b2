"""The teachers of How2 (section 3.4) at the crafting table: one plan, told at four levels of abstraction.

All are templates over the planner's answer for the current state. The non-executable one is not yet an
answer: a model that sees it, and the inventory without slots, explains it in prose.
"""

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any

from mnemocraft.envs.plancraft import Game, Step, book, plan_steps
from mnemocraft.envs.plancraft.actions import actions_for, batches
from mnemocraft.worlds.asking import asked_item

_PLACES = {
    "A1": "the top left", "A2": "the top middle", "A3": "the top right",
    "B1": "the middle left", "B2": "the centre", "B3": "the middle right",
    "C1": "the bottom left", "C2": "the bottom middle", "C3": "the bottom right",
    "0": "the output slot",
}  # fmt: skip


def answer(level: str, observation: Mapping[str, Any], item: str) -> str:
    """A plan for ``item`` from the observed state at one of the four levels; the least concrete one is what a
    model then explains in prose."""
    if level == "non-executable":
        return in_words(templated_answer("subgoal-partially-executable", observation, item))
    return templated_answer(level, observation, item)


def templated_answer(teacher: str, observation: Mapping[str, Any], item: str) -> str:
    """A plan for ``item`` from the observed state, in the style of one of the three templated teachers."""
    game = seen_game(observation)
    steps = plan_steps(game.counts(), item)
    if steps is None:
        return f"{item} cannot be made from the current inventory."
    if not steps:
        return f"There is {item} in the inventory already."
    groups = _groups(game, steps)
    header = f"To make {item}, follow these steps:"
    if teacher == "subgoal-partially-executable":
        return "\n".join([header, *_subgoals(groups)])
    describe = _executable if teacher == "executable" else _partial
    lines = [describe(*action) for group in groups for action in group]
    return "\n".join([header, *(f"{n}. {line}" for n, line in enumerate(lines, start=1))])


def asked(observation: Mapping[str, Any], query: str, question: str = "") -> str:
    """The item that a question at this table is about (:func:`~mnemocraft.worlds.asking.asked_item`)."""
    return asked_item(query, question, book().by_result, observation["target"])


def still_true(
    teacher: str, then: Mapping[str, Any], item: str, now: Mapping[str, Any], target: str | None = None
) -> bool:
    """Whether an answer that was given at one table helps at another, as the planner has it.

    If it names slots: whether it makes the target when it is carried out at the other table to the letter.
    If it names items: whether one of its crafts is among those of the shortest plan there. Where one of the
    two cannot be made, or is at hand already, there is nothing to follow, and it does not.

    Args:
        teacher: How concrete the answer is.
        then: The observation when it was given.
        item: What it tells how to make.
        now: The observation at the other table.
        target: What is to be made there; ``item`` by default.
    """
    before, game, target = seen_game(then), seen_game(now), target or item
    told, needed = plan_steps(before.counts(), item), plan_steps(game.counts(), target)
    if not told or not needed:
        return False
    if teacher != "executable":
        return any(one.recipe == other.recipe for one in told for other in needed)
    for action in chain.from_iterable(actions_for(told, before)):
        (game.move if action["name"] == "move" else game.smelt)(**action["arguments"])
        if game.holds(target):
            return True
    return False


def seen_game(observation: Mapping[str, Any]) -> Game:
    """The game state that an observation shows."""
    return Game({slot: (held["type"], held["quantity"]) for slot, held in observation["inventory"].items()})


Described = tuple[dict[str, Any], str, str]
"""An environment action, the item it takes and the item that its subgoal makes."""


def _groups(game: Game, steps: list[Step]) -> list[list[Described]]:
    """Actions by subgoal, played on a copy of the game to learn which item each of them takes."""
    game = game.copy()
    groups = []
    for (step, _), actions in zip(batches(steps), actions_for(steps, game), strict=True):
        group = []
        for action in actions:
            group.append((action, game.slots[action["arguments"]["slot_from"]][0], step.recipe.result))
            (game.move if action["name"] == "move" else game.smelt)(**action["arguments"])
        groups.append(group)
    return groups


def _executable(action: dict[str, Any], item: str, result: str) -> str:
    a = action["arguments"]
    return f"{action['name']} from {a['slot_from']} to {a['slot_to']} with quantity {a['quantity']}"


def _partial(action: dict[str, Any], item: str, result: str) -> str:
    a = action["arguments"]
    goal = a["slot_to"] if a["slot_to"] in _PLACES else "a free inventory slot"
    if action["name"] == "smelt":
        return f"smelt {a['quantity']} {item} into {result}, in {goal}"
    source = " from slot 0" if a["slot_from"] == "0" else ""
    if not source and a["slot_from"] in _PLACES:
        source = f" from {a['slot_from']}"
    return f"move {a['quantity']} {item}{source} to {goal}"


def _subgoals(groups: list[list[Described]]) -> list[str]:
    lines = []
    for n, group in enumerate(groups, start=1):
        verb = "Smelt" if group[0][0]["name"] == "smelt" else "Craft"
        lines.append(f"{n}. {verb} {group[0][2]}")
        lines += [f"{n}.{m}. {_partial(*action)}" for m, action in enumerate(group, start=1)]
    return lines


def in_words(plan: str) -> str:
    """A plan with every grid slot replaced by its place in words (section 3.4)."""
    plan = plan.replace("from slot 0", "from the output slot")
    return re.sub(r"\b([ABC][123])\b", lambda match: _PLACES[match.group(1)], plan)


def without_slots(observation: Mapping[str, Any]) -> str:
    """The observation with quantities summed by item and no slots (Appendix G)."""
    counts: dict[str, int] = {}
    for item in observation["inventory"].values():
        counts[item["type"]] = counts.get(item["type"], 0) + item["quantity"]
    held = "\n".join(f"- {quantity} {item}" for item, quantity in sorted(counts.items()))
    return f"Craft an item of type: {observation['target']}\ninventory:\n{held}"
