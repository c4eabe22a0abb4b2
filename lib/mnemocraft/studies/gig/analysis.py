"""From the records of the kitchen study to its tables and figures: what notebook 09 calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.studies import estimates, report, small_model
from mnemocraft.studies.gig import figures, measures, small, small_tables
from mnemocraft.studies.gig import tables as measured
from mnemocraft.studies.gig.measures import CELL, LABELS, PLANNED
from mnemocraft.studies.gig.tables import WEAK_TABLES

JOINT_TABLES = ("steps", "figure9", "conduct", "statuses", "hypotheses")
"""Tables with numbers of both models."""

WEAK_SURROGATE = "surrogate:knowledge=0.5"
"""Knows half of what there is to know, where the able one knows 0.8."""


def tables(records: pd.DataFrame, weak: pd.DataFrame | None = None) -> dict[str, pd.DataFrame]:
    """Every table and the numbers of every figure, by the name of its file.

    Records may be partial; ``weak`` are those with a less able model, None if that was not run.
    """
    episodes = measures.prepare(records, weak)
    steps = measured.steps(episodes)
    return {
        **measured.totals(episodes),
        "table5": measured.table5(episodes),
        **measured.descriptions(episodes),
        **measured.by_task(episodes, steps),
        "steps": steps,
        "figure9": measured.tokens(episodes),
        "conduct": measured.conduct(episodes),
        "statuses": estimates.statuses(episodes, CELL, PLANNED),
        "hypotheses": measured.verdicts(episodes),
    }


def write(
    found: Mapping[str, pd.DataFrame], records: pd.DataFrame, weak: pd.DataFrame | None, folder: Path
) -> list[Path]:
    """Write the tables of :func:`tables`, each with the provenance of the records that are in it."""
    alone = records if weak is None else weak
    both = records if weak is None else pd.concat([records, weak])
    rest = [name for name in found if name not in (*JOINT_TABLES, *WEAK_TABLES)]
    parts = ((JOINT_TABLES, both), (WEAK_TABLES, alone), (rest, records))
    written = [report.write({name: found[name] for name in names}, of, folder) for names, of in parts]
    return [path for paths in written for path in paths]


def less_able(model: str, weak_model: str | None) -> str:
    """Who plays the part of the less able model: ``weak_model``, or nobody ("").

    None is a surrogate that knows less, beside the surrogate; beside a language model it is nobody, because
    the two are not compared.
    """
    partner = WEAK_SURROGATE if weak_model is None else weak_model
    return partner if figstyle.is_surrogate(model) == figstyle.is_surrogate(partner) else ""


def not_run(statuses: pd.DataFrame) -> str:
    """One sentence that names the conditions of the study without an episode."""
    missing = statuses[statuses["episodes"] == 0]
    if missing.empty:
        return f"All {len(PLANNED)} conditions have episodes."
    cells = missing[list(CELL)].itertuples(index=False, name=None)
    names = ", ".join(f"{LABELS[method]} ({level}, {mode})" for level, mode, method in cells)
    return f"Not run: {names}; what needs them is marked '-', 'not run' or 'not measured'."


def draw(found: Mapping[str, pd.DataFrame], model: str, weak: str = "") -> dict[str, Figure]:
    """All figures by the name of their file, from :func:`tables`; ``weak`` is the less able model or ""."""
    step_figures = (
        ("figure4", "strong", "sync", "table7", "table6", model),
        ("figure5", "strong", "async", "table14", "table13", model),
        ("figure7", "weak", "sync", None, "table6", weak or "none"),
    )
    drawn = {"pass_at_1": figures.pass_at_1(found, model, weak)}
    for name, level, mode, printed, tasks, player in step_figures:
        ours = found["steps"].query("level == @level and mode == @mode")
        paper = found[printed] if printed else found["table7"].iloc[:0]
        title = f"{figures.MODE_LABELS[mode]} tasks" + (", less able model" if level == "weak" else "")
        drawn[name] = figures.steps(ours, paper, found[tasks], player, title)
    drawn["figure9"] = figures.figure9(found["figure9"], model, weak)
    drawn["verdicts"] = figures.verdicts(found["hypotheses"], model, weak)
    return drawn


def _draw_small(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    return {"dishes": figures.dishes(found["known_dishes"], model)} | small_model.claimed(found, model)


_recorded = partial(small.study, arms=small_tables.RECORDED)
run_small = partial(small_model.run, _recorded, small_tables.tables, _draw_small)
"""Play what is missing of the small model's study, from model, limits, profile and workers."""
