"""Was the small model's predictor right? Every plan that it foresaw something of is tried in the text world.

The world is the same for whoever acts in it, so that a plan which was revised, and never carried out, can
still be judged: it is carried out in a world brought to where that one was. There is no claim about this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mnemocraft.agents.deps.plan import Reading, read_plan
from mnemocraft.agents.mindstores.prompts import predicts_failure
from mnemocraft.runs import read_events
from mnemocraft.runs.events import Action, Call, Event, Note
from mnemocraft.studies import estimates, small_model
from mnemocraft.studies.deps.small_tables import kind
from mnemocraft.studies.mindstores import small
from mnemocraft.studies.mindstores.load import VERSION
from mnemocraft.studies.small_model import ITEMS
from mnemocraft.worlds.world import World

FAILS, SUCCEEDS = "foreseen to fail", "not foreseen to fail"


class Judged(NamedTuple):
    """A prediction and what the plan would have come to.

    Attributes:
        fails: Whether it was one of failure.
        done: Whether the plan, carried out then, does the task.
    """

    fails: bool
    done: bool


def table(records: pd.DataFrame, out: Path) -> pd.DataFrame:
    """The share of plans that do the task, of those foreseen to fail and of the others.

    A row a player, prediction and kind of tasks, with Wilson's interval over tasks; ``n`` counts plans. One
    that was made again before anything was done counts once. Plans in words are left out, as it took the
    model to read them.

    Args:
        records: Of the small model's study.
        out: The folder of its run.
    """
    rows = [
        {"player": record["player"], "item": record["task"].partition("/")[0], **one._asdict()}
        for _, record in records.iterrows()
        for one in judged(read_events(out, record), partial(_world, record["task"]))
    ]
    plans = pd.DataFrame(rows, columns=["player", "item", "fails", "done"])
    foreseen = plans["fails"].astype(bool).map({True: FAILS, False: SUCCEEDS})
    plans = plans.assign(foreseen=foreseen, passed=plans["done"].astype(float))
    every = small_model.by_items(plans, [kind(VERSION, item) for item in plans["item"]])
    keys = product(small.PLAYERS, (FAILS, SUCCEEDS), ITEMS)
    return estimates.clustered(every, ["player", "foreseen", "items"], "item", "n_tasks", keys)


def plans(records: pd.DataFrame, out: Path) -> pd.DataFrame:
    """What became of the predictions, a row a player that makes any.

    ``predictions``; the plans that were ``revised`` after one of failure, and how many of them ``repeat`` the
    one before, word for word; and the predictions that :func:`table` leaves out: of a plan that was made
    ``again`` before anything was done, and of one ``in_words``.

    Args:
        records: Of the small model's study.
        out: The folder of its run.
    """
    counted = pd.DataFrame(
        [{"player": r["player"], **_counted(read_events(out, r))} for _, r in records.iterrows()],
        columns=["player", *_counted([])],
    )
    found = counted.groupby("player", sort=False).sum().astype(int)
    return found[found["predictions"] > 0].reset_index()


def _counted(events: Iterable[Event]) -> dict[str, int]:
    """:func:`plans` of an episode."""
    made = _foreseen(events)
    return {
        "predictions": len(made),
        "revised": sum(one.revised is not None for one in made),
        "repeat": sum(one.revised == one.answer for one in made),
        "again": sum(one.again for one in made),
        "in_words": sum(not one.again and not one.plan.steps for one in made),
    }


def judged(events: Iterable[Event], begin: Callable[[], World]) -> Iterator[Judged]:
    """The predictions of an episode, from its events and a world as it was at its beginning, judged."""
    for one in _foreseen(events):
        if not one.again and one.plan.steps:
            yield Judged(one.fails, _does(one.plan, begin(), one.acted))


@dataclass
class _Foreseen:
    """A prediction.

    Attributes:
        fails: Whether it was one of failure.
        answer: The planner's, which the plan is in.
        acted: What had been done before.
        again: There was one of the same plan, with nothing done since.
        revised: What the planner said next, if it was of failure and anything was said.
    """

    fails: bool
    answer: str
    acted: tuple[str, ...]
    again: bool
    revised: str | None = None

    @cached_property
    def plan(self) -> Reading:
        return read_plan(self.answer)


def _foreseen(events: Iterable[Event]) -> list[_Foreseen]:
    """The predictions of an episode, in their order."""
    made, answer, acted, seen = list[_Foreseen](), "", list[str](), set[tuple[int, str]]()
    warned: _Foreseen | None = None
    for event in events:
        match event:
            case Call(role="planner", text=answer):
                if warned:
                    warned.revised = answer
                warned = None
            case Action(action=action):
                acted.append(action)
            case Note(name="prediction", text=text):
                where = (len(acted), answer)
                one = _Foreseen(predicts_failure(text), answer, tuple(acted), where in seen)
                seen.add(where)
                made.append(one)
                warned = one if one.fails else None
    return made


def _does(plan: Reading, world: World, acted: Sequence[str]) -> bool:
    """Whether a plan does the task after what was acted before."""
    for action in acted:
        world.act(action)
    for step in plan.steps:
        if world.reason or not world.act(step.action).success:
            break
    return world.success


def _world(task: str) -> World:
    return small.begin({}, 0, task)[0]
