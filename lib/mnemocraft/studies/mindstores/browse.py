"""The memory that a stream of MindStores left, to be looked into: what its first plans recalled, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML

from mnemocraft.encoders import get_encoder
from mnemocraft.memory import Experience, ExperienceMemory
from mnemocraft.memory.experience import NEIGHBOURS, WEIGHTS
from mnemocraft.runs import read_events, read_memory
from mnemocraft.runs.events import Call, Event, Note, Plan, Recall, Start
from mnemocraft.studies.mindstores.load import FULL, SHARED
from mnemocraft.viewer.memory import Entries, Found, browse

BEGINNING = "Inventory: nothing"
"""Where a query that is typed in is asked from."""
REVISED = "revised"
LOOKED_AT, SHOWN = 30, 6
"""Episodes among which first plans that were revised are looked for, and queries that are offered."""


@dataclass(frozen=True)
class Asked:
    """What a first plan was made from: its task, the number of entries then, and what was said."""

    task: str
    before: int
    told: tuple[str, ...]

    @property
    def revised(self) -> bool:
        """Whether the plan was revised before it was carried out."""
        return any(line.startswith(REVISED) for line in self.told)


def memory_browser(records: pd.DataFrame, out: Path) -> widgets.VBox | HTML | str:
    """The memory of the first stream of MindStores in which all tasks share one.

    Its queries are those of first plans that were revised, or else of the latest ones, as they were asked
    then. What is typed in is taken as a task, and asked of the whole memory from an empty inventory.

    Args:
        records: Of the study.
        out: Its run folder.
    """
    mine = records[(records["part"] == SHARED) & (records["player"] == FULL)]
    mine = mine[mine["seed"] == mine["seed"].min()].sort_values("index")
    if mine.empty:
        return "MindStores with one memory for all tasks has not been played."
    known, before = _kept(read_memory(out, mine))
    rows = mine.assign(before=[before[index] for index in mine["index"]])
    rows = rows[(rows["recalled"] > 0) & (rows["before"] > 0)]
    rows = rows.sort_values(["revisions", "index"], ascending=False).head(LOOKED_AT)
    every = {
        f"{row['task']}, with {row['before']} entries": _asked(read_events(out, row), row["before"])
        for _, row in rows.iterrows()
    }
    first = sorted(every.items(), key=lambda item: not item[1].revised)  # and else in their order
    asked = dict(first[:SHOWN])
    entries, find = opened(known, asked)
    return browse(entries, find, {title: one.told for title, one in asked.items()})


def opened(known: Sequence[Experience], asked: Mapping[str, Asked]) -> tuple[Entries, Any]:
    """Experiences on a map of state and task (equation 2), and what looks them up."""
    memory = ExperienceMemory()
    memory.add_many(known)
    groups = ["success" if one.success else "failure" for one in known]
    vectors = _vectors([one.state for one in known], [one.task for one in known])
    entries = Entries([one.text for one in known], vectors, groups)
    places: dict[Experience, list[int]] = {}
    for place, one in enumerate(known):
        places.setdefault(one, []).append(place)

    def find(query: str) -> Found:
        one = asked.get(query) or Asked(query, len(known), ())
        left = {each: list(at) for each, at in places.items()}
        ranked = memory.nearest(BEGINNING, one.task, k=len(known))
        at = [(left[each].pop(0), score) for score, each in ranked]  # equal entries are as near
        hits = [(place, score) for place, score in at if place < one.before][:NEIGHBOURS]
        return Found(_vectors([BEGINNING], [one.task])[0], hits)

    return entries, find


def _vectors(states: Sequence[str], tasks: Sequence[str]) -> np.ndarray:
    """What equation 2 compares: states and tasks side by side, each times the root of its weight."""
    encoder = get_encoder("minilm")
    texts = {"state": states, "task": tasks}
    return np.hstack([encoder.encode(texts[part]) * WEIGHTS[part] ** 0.5 for part in texts])


def _kept(deltas: Sequence[Any]) -> tuple[list[Experience], list[int]]:
    """The experiences of a stream in their order, and how many there were before each episode."""
    known: list[Experience] = []
    before = []
    for delta in deltas:
        before.append(len(known))
        known += [Experience(*fields) for fields in delta or ()]
    return known, before


def _asked(events: Sequence[Event], before: int) -> Asked:
    start = events[0]
    assert isinstance(start, Start)
    return Asked(start.goal, before, tuple(_told(events)))


def _told(events: Sequence[Event]) -> Iterator[str]:
    """What came of the first plan: insights, the draft, predictions, the plan that was tried, the outcome."""
    drafts = 0
    for event in events:
        match event:
            case Call(role="planner", text=text):
                drafts += 1
                yield f"{REVISED if drafts > 1 else 'draft'}:\n{text}"
            case Recall(query=query) if query:
                yield f"{len(event.hits)} experiences recalled for the plan"
            case Plan(lines=lines):
                yield "carried out:\n" + "\n".join(lines)
            case Note(name=name, text=text) if name in ("insights", "prediction", "outcome"):
                yield f"{name}:\n{text}"
                if name == "outcome":
                    return
