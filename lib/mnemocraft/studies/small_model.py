"""The part of a study that a small real model plays beside the notebook's own model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths
from mnemocraft.runs import ModelSpec, Study, run_study
from mnemocraft.studies import report

Tables = dict[str, pd.DataFrame]


def run(
    study: Study,
    model: str,
    cap: Sequence[Any],
    profile: str,
    workers: int,
    tables: Callable[[pd.DataFrame], Tables],
    draw: Callable[[Tables, str], Mapping[str, Figure]],
) -> Tables:
    """Play what is missing of a study; its tables, written with its figures into folders of the model's own.

    Args:
        study: What is played.
        model: Who plays.
        cap: What :meth:`~mnemocraft.runs.ModelSpec.of_notebook` takes beside the model.
        profile: Names the folders.
        workers: Processes.
        tables: From the records to the tables by name.
        draw: From the tables and the model to the figures by name.
    """
    out = paths.run_dir(study.name, model) / "small"
    records = run_study(study, ModelSpec.of_notebook(model, *cap), out=out, workers=workers)
    found = tables(records)
    report.write(found, records, paths.results_dir(study.name, model, profile))
    report.save_figures(draw(found, model), paths.figures_dir(study.name, model, profile))
    return found
