"""From the records of the planners' study to its tables and figures: what notebook 03 calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths
from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import estimates, plots, small_model
from mnemocraft.studies.deps import figures, measures, small, small_tables, sweep
from mnemocraft.studies.deps import tables as measured
from mnemocraft.studies.deps.load import STEM, WORLDS


def run(
    spec: ModelSpec, profile: str, seeds: Sequence[int], workers: int, settings: Mapping[str, str]
) -> pd.DataFrame:
    """Play what is missing of every world of a profile, and return all of its records.

    ``settings`` are ``task_list``, ``version`` and ``limits`` of :func:`.sweep.study`.
    """
    records = []
    for world in WORLDS:
        study = sweep.study(profile, seeds, world, **settings)
        if study is not None:
            out = paths.run_dir(STEM, spec.name) / world
            records.append(run_study(study, spec, out=out, workers=workers))
    return pd.concat(records, ignore_index=True)


def tables(records: pd.DataFrame, task_list: str, limits: str) -> dict[str, pd.DataFrame]:
    """Every table and the numbers of every figure by the name of its file, from records of :func:`run`."""
    episodes = measures.prepare(records)
    return {
        "table1": measured.description(task_list, limits),
        "table2": measured.table2(episodes),
        "table3": measured.table3(episodes),
        "table4": measured.table4(episodes),
        "table19": measured.table19(episodes),
        "table20": measured.table20(episodes),
        "table21": measured.table21(episodes),
        "figure1": measured.figure1(episodes),
        "figure9": measured.milestones(episodes),
        "identical": measures.identical(episodes),
        "conduct": measured.conduct(episodes),
        "statuses": estimates.statuses(episodes, measures.CELL),
        "hypotheses": measured.verdicts(episodes),
    }


def draw(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """All figures that are drawn from tables, by the name of their file."""
    return {
        "table2": figures.by_method(found["table2"], model),
        "table4": figures.rounds(found["table4"], model),
        "table21": figures.by_task(found["table21"], model),
        "figure1": figures.figure1(found["figure1"], model),
        "figure9": figures.figure9(found["figure9"], model),
        "verdicts": plots.verdicts(found["hypotheses"], model),
    }


def _draw_small(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    drawn = {"within_calls": figures.within_calls(found["within_calls"], model)}
    return drawn | small_model.claimed(found, model)


run_small = partial(small_model.run, small.study, small_tables.tables, _draw_small)
"""Play what is missing of the small model's study, from model, limits, profile and workers."""


def not_run(found: Mapping[str, pd.DataFrame]) -> str:
    """One sentence that names the worlds and methods without an episode."""
    have = set(found["statuses"][list(measures.CELL)].itertuples(index=False, name=None))
    lacking = {w: [LABELS[m] for m in LABELS if (w, m) not in have] for w in WORLDS}
    names = "; ".join(f"{world} ({', '.join(methods)})" for world, methods in lacking.items() if methods)
    return f"Not run in this profile: {names}." if names else "Every world has episodes of every method."
