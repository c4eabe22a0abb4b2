"""From the records of M2PA's study to its tables and figures: what notebook 07 calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import estimates, plots
from mnemocraft.studies.m2pa import figures, lifelong, sweep
from mnemocraft.studies.m2pa import tables as measured
from mnemocraft.studies.m2pa.load import STEM

SECOND_MODEL = "surrogate:knowledge=0.3"
"""Who plays Figure 5 beside ``model`` if nobody is named: a surrogate that knows less."""


def run(
    spec: ModelSpec, profile: str, seeds: Sequence[int], workers: int, compared: bool = False
) -> pd.DataFrame:
    """Play what is missing of a profile, and return all of its records.

    Args:
        spec: Who plays.
        profile: See :func:`.sweep.study`.
        seeds: Likewise.
        workers: Processes.
        compared: Only what a second model plays, in a folder of its own.
    """
    out = paths.run_dir(STEM, spec.name) / ("compared" if compared else "")
    return run_study(sweep.study(profile, seeds, compared), spec, out=out, workers=workers)


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table of one model by the name of its file, from records of :func:`run`."""
    episodes = measured.prepare(records)
    main = measured.main(episodes)
    return {
        "table1": measured.table1(main),
        "table2": measured.table2(main),
        "table3": lifelong.table3(episodes),
        "table5": lifelong.table5(),
        "table6": measured.table6(main),
        "figure7": measured.conditional(main),
        "figure8": lifelong.by_fragments(episodes),
        "milestones": lifelong.milestones(episodes),
        "figure9": lifelong.capacity(episodes),
        "settings": lifelong.settings(episodes),
        "sight": lifelong.sight(episodes),
        "conduct": measured.conduct(main),
        "statuses": estimates.statuses(episodes, ["scope", "player"]),
        "hypotheses": measured.verdicts(main),
    }


def two_models(records: pd.DataFrame) -> pd.DataFrame:
    """Figure 5, from the records of both models."""
    return lifelong.models(measured.prepare(records))


def draw(found: Mapping[str, pd.DataFrame], model: str, second: str) -> dict[str, Figure]:
    """All figures by the name of their file; ``second`` is the other model of Figure 5."""
    return {
        "table1": figures.by_level(found["table1"], model),
        "table3": figures.by_features(found["table3"], model),
        "figure5": figures.two_models(found["figure5"], model, second),
        "figure7": figures.conditional(found["figure7"], model),
        "figure8": figures.fragments(found["figure8"], found["milestones"], model),
        "figure9": figures.settings(found["figure9"], found["settings"], model),
        "verdicts": plots.verdicts(found["hypotheses"], model),
    }
