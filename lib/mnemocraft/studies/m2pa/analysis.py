"""From the records of M2PA's study to its tables and figures: what notebook 07 calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import plots
from mnemocraft.studies.m2pa import figures, sweep
from mnemocraft.studies.m2pa import tables as measured
from mnemocraft.studies.m2pa.load import STEM


def run(spec: ModelSpec, profile: str, seeds: Sequence[int], workers: int) -> pd.DataFrame:
    """Play what is missing of a profile, and return all of its records."""
    out = paths.run_dir(STEM, spec.name)
    return run_study(sweep.study(profile, seeds), spec, out=out, workers=workers)


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from records of :func:`run`."""
    episodes = measured.prepare(records)
    return {
        "table1": measured.table1(episodes),
        "table2": measured.table2(episodes),
        "table6": measured.table6(episodes),
        "figure7": measured.conditional(episodes),
        "conduct": measured.conduct(episodes),
        "statuses": measured.statuses(episodes),
        "hypotheses": measured.verdicts(episodes),
    }


def draw(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """All figures by the name of their file."""
    return {
        "table1": figures.by_level(found["table1"], model),
        "figure7": figures.conditional(found["figure7"], model),
        "verdicts": plots.verdicts(found["hypotheses"], model),
    }
