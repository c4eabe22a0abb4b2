"""From the records of the study of MindStores to its tables and figures: what notebook 06 calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.studies import estimates, plots, small_model
from mnemocraft.studies.mindstores import figures, foresight, lifelong, small, small_tables
from mnemocraft.studies.mindstores import tables as measured


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file."""
    episodes = measured.prepare(records)
    return {
        "table1": measured.table1(episodes),
        "table2": measured.table2(episodes),
        "table3": lifelong.table3(episodes),
        "table4": measured.table4(episodes),
        "figure5": measured.neighbours(episodes),
        "learnt": lifelong.learnt(episodes),
        "figure6": lifelong.figure6(episodes),
        "figure6_printed": lifelong.printed(episodes),
        "orders": lifelong.orders(episodes),
        "controls": measured.controls(episodes),
        "overworld": measured.abroad(episodes),
        "curve": measured.curve(episodes),
        "conduct": measured.conduct(episodes),
        "statuses": estimates.statuses(episodes, measured.CELL),
        "hypotheses": measured.verdicts(episodes),
        "order_claims": lifelong.verdicts(episodes),
    }


def draw(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """All figures, by the name of their file."""
    return {
        "table2": figures.by_task(found["table2"], model),
        "table4": figures.by_meta_task(found["table4"], model),
        "figure5": figures.by_neighbours(found["figure5"], model),
        "figure4": figures.by_skill(found["table3"], found["learnt"], model),
        "figure6": figures.by_place(found["figure6"], model),
        "curve": figures.by_trial(found["curve"], model),
        "controls": figures.other_memories(found["controls"], model),
        "verdicts": plots.verdicts(found["hypotheses"], model),
    }


def _draw_small(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    return {"learning": figures.learning(found["known_items"], model)} | small_model.claimed(found, model)


def run_small(model: str, cap: Sequence[Any], profile: str, workers: int) -> small_model.Tables:
    """Play what is missing of the small model's study; see :func:`mnemocraft.studies.small_model.run`."""
    study = small.study(profile)
    records, out = small_model.play(study, model, cap, workers)
    found = small_tables.tables(records) | {
        "foresight": foresight.table(records, out),
        "revised": foresight.plans(records, out),
    }
    return small_model.keep(found, _draw_small, records, study.name, model, profile)
