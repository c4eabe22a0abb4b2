"""From the records of the household study to its tables and figures: what notebook 10 calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import plots, small_model
from mnemocraft.studies.household import figures, small, small_tables, sweep
from mnemocraft.studies.household import tables as measured
from mnemocraft.studies.household.load import STEM


def run(spec: ModelSpec, profile: str, seeds: Sequence[int], workers: int) -> pd.DataFrame:
    """Play what is missing of a profile, and return all of its records."""
    out = paths.run_dir(STEM, spec.name)
    return run_study(sweep.study(profile, seeds), spec, out=out, workers=workers)


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from records of :func:`run`."""
    episodes = measured.prepare(records)
    return {
        "table3": measured.table3(episodes),
        **measured.by_type(episodes),
        "table17": measured.table17(episodes),
        "table5": measured.table5(),
        "table6": measured.table6(episodes),
        "figure1": measured.figure1(episodes),
        "conduct": measured.conduct(episodes),
        "statuses": measured.statuses(episodes),
        "hypotheses": measured.verdicts(episodes),
    }


def draw(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """All figures by the name of their file."""
    return {
        "figure6": figures.figure6(found["table18"], model),
        "table6": figures.table6(found["table6"], model),
        "verdicts": plots.verdicts(found["hypotheses"], model),
    }


def _draw_small(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    return {"types": figures.small(found["by_type"], model)} | small_model.claimed(found, model)


_recorded = partial(small.study, players=small_tables.RECORDED)
run_small = partial(small_model.run, _recorded, small_tables.tables, _draw_small)
"""Play what is missing of the small model's study, from model, limits, profile and workers."""
