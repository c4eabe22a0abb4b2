"""From the records of the table top to its tables and figures: what notebook 11 calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import estimates, plots
from mnemocraft.studies.tabletop import figures, sweep
from mnemocraft.studies.tabletop import tables as measured
from mnemocraft.studies.tabletop.load import STEM


def run(spec: ModelSpec, profile: str, seeds: Sequence[int], workers: int) -> pd.DataFrame:
    """Play what is missing of a profile, and return all of its records."""
    return run_study(sweep.study(profile, seeds), spec, out=paths.run_dir(STEM, spec.name), workers=workers)


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from records of :func:`run`."""
    episodes = measured.prepare(records)
    table8 = measured.table8(episodes)
    return {
        "table7": measured.table7(),
        "table8": table8,
        "table17": measured.table17(),
        "figure1": measured.figure1(table8),
        "conduct": measured.conduct(episodes),
        "statuses": estimates.statuses(episodes, measured.CELL),
        "hypotheses": measured.verdicts(episodes),
    }


def draw(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """All figures by the name of their file."""
    return {
        "tasks": figures.tasks(),
        "table8": figures.table8(found["table8"], model),
        "verdicts": plots.verdicts(found["hypotheses"], model),
    }
