"""The memory that a stream of M2PA left, to be looked into: questions, what they found, the plan."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML

from mnemocraft.encoders import get_encoder
from mnemocraft.memory.episodes import Episodic
from mnemocraft.runs import read_events, read_memory
from mnemocraft.runs.events import Call, Recall
from mnemocraft.studies.m2pa.load import MAIN, tasks
from mnemocraft.viewer.memory import Entries, Found, browse

NEIGHBOURS, SHOWN = 5, 6
"""Memories shown of a query, and queries that are offered."""


def memory_browser(records: pd.DataFrame, out: Path) -> widgets.VBox | HTML | str:
    """The memory that M2PA's first stream left at its end, coloured by the level of what it is about.

    Its queries are goals of the latest plans that recalled something, asked now and with nothing held;
    what is typed in is taken as a goal, such as ``obtain 1 stick``.

    Args:
        records: Of the study.
        out: Its run folder.
    """
    mine = records[(records["scope"] == MAIN) & (records["player"] == "m2pa")]
    mine = mine[mine["seed"] == mine["seed"].min()].sort_values("index")
    if mine.empty:
        return "M2PA has not been played."
    memory = Episodic(threshold=2.0)  # so that everything is near enough to be shown with its score
    memory.restore(read_memory(out, mine))
    known = memory.store.memories
    encoder = get_encoder("minilm")
    vectors = encoder.encode([each.situation.goal for each in known]) if known else np.empty((0, 0))
    levels = {f"obtain 1 {task.item}": task.level for task in tasks()}
    groups = [levels.get(each.situation.goal, "no task of its own") for each in known]
    texts = [f"{each.situation.goal}: {each.plan}" for each in known]

    def find(query: str) -> Found:
        near = memory.store.retrieve(query, k=NEIGHBOURS)
        places = {id(each): place for place, each in enumerate(known)}
        hits = sorted(((places[id(each)], -distance) for distance, each in near), key=lambda hit: -hit[1])
        return Found(encoder.encode([query])[0], hits)

    return browse(Entries(texts, vectors, groups), find, _asked(mine, out))


def _asked(mine: pd.DataFrame, out: Path) -> dict[str, list[str]]:
    """The latest queries that recalled something, and what was recalled and planned then."""
    told: dict[str, list[str]] = {}
    for _, row in mine[mine["recalled"] > 0].iloc[::-1].iterrows():
        for event, after in pairwise(read_events(out, row)):
            if isinstance(event, Recall) and event.query and isinstance(after, Call):
                then = "\n\n".join(str(hit["text"]) for hit in event.hits)
                told.setdefault(event.query, [f"recalled then:\n{then}", f"the plan then:\n{after.text}"])
            if len(told) == SHOWN:
                return told
    return told
