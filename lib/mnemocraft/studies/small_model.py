"""What is claimed of a small real model that plays beside the notebook's own, and its part of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import paths, stats
from mnemocraft.errors import unreadable
from mnemocraft.runs import ModelSpec, Study, run_study
from mnemocraft.stats import Key, difference, rate
from mnemocraft.studies import estimates, plots, report
from mnemocraft.studies.claims import ALL, Claim, begun, judge, players
from mnemocraft.studies.small_player import KNOWN, UNKNOWN

Tables = dict[str, pd.DataFrame]
ITEMS = (KNOWN, UNKNOWN, ALL)
"""Of which tasks success is told."""
HALVES = {KNOWN: KNOWN, UNKNOWN: UNKNOWN}


@cache
def alike(adapter: str) -> pd.DataFrame:
    """What of an adapter's study is like what its model was shown, a row each; ``of`` says if a kitchen is
    like one of a lesson or of the memory bank. Made by ``python -m training.finetune alike --world ...``.

    Raises:
        MnemocraftError: It cannot be read.
    """
    path = paths.DATA / "models" / f"{adapter}_alike.csv"
    with unreadable(path):
        return pd.read_csv(path)


def by_items(episodes: pd.DataFrame, kinds: Sequence[str] | pd.Series) -> pd.DataFrame:
    """The episodes for their kind of task and, once more, for all (``items``)."""
    return pd.concat([episodes.assign(items=kinds), episodes.assign(items=ALL)], ignore_index=True)


def reading(found: pd.DataFrame, who: str, labels: Mapping[str, str], columns: Sequence[str]) -> pd.DataFrame:
    """Rates for reading: a row a player (column ``who``, by its label), a column for each of ``columns``."""
    named = found.assign(**{"text": found.apply(estimates.counted, axis=1), who: found[who].map(labels)})
    return estimates.wide(named, [who], list(columns))


def claim(
    hypothesis: str,
    text: str,
    one: str,
    other: str,
    paper: str,
    whole: str = ALL,
    parts: Mapping[str, str] = HALVES,
) -> Claim:
    """``one`` succeeds more often than ``other``: in all tasks, and in known and unknown ones as parts.

    Its metric is ``success``, by player and kind of task; ``paper`` is the paper's own verdict. ``whole`` and
    ``parts`` (kinds by the part's name) are what else it may be claimed of.
    """

    def more(items: str) -> dict[Key, float]:
        return difference([(one, items)], [(other, items)])

    over = {part: more(items) for part, items in parts.items()}
    return Claim(hypothesis, text, "success", more(whole), paper, rates=True, parts=over)


def judged(
    claims: Sequence[Claim], episodes: pd.DataFrame, by: Sequence[str], cluster: str, unit: str
) -> pd.DataFrame:
    """The table of :func:`~mnemocraft.studies.claims.judge` for claims on shares of episodes with ``passed``.

    ``by`` are the columns of a cell, the player and the kind of tasks; ``cluster`` that of clusters, and
    ``unit`` the name of the column that counts them. What was not played is not measured.
    """
    cells = stats.cells(episodes, rate("passed"), by, cluster=cluster)
    return judge(claims, {"success": cells}, unit, {}, players(episodes)).drop(columns="metric")


def claimed(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """The figure ``verdicts`` of the claims of which something was played; none if nothing was."""
    played = begun(found["hypotheses"])
    return {} if played.empty else {"verdicts": plots.verdicts(played, model)}


def run(
    study: Callable[[str], Study],
    tables: Callable[[pd.DataFrame], Tables],
    draw: Callable[[Tables, str], Mapping[str, Figure]],
    model: str,
    cap: Sequence[Any],
    profile: str,
    workers: int,
) -> Tables:
    """Play what is missing of a study; its tables, written with its figures into folders of the model's own.

    The first three are a notebook's; its ``analysis.run_small`` has them filled in.

    Args:
        study: What is played of a profile.
        tables: From the records to the tables by name.
        draw: From the tables and the model to the figures by name.
        model: Who plays.
        cap: What :meth:`~mnemocraft.runs.ModelSpec.of_notebook` takes beside the model.
        profile: How much is played; names the folders too.
        workers: Processes.
    """
    played = study(profile)
    records, _ = play(played, model, cap, workers)
    return keep(tables(records), draw, records, played.name, model, profile)


def play(study: Study, model: str, cap: Sequence[Any], workers: int) -> tuple[pd.DataFrame, Path]:
    """The records of a study when what was missing is played, and the folder of its run; see :func:`run`."""
    out = paths.run_dir(study.name, model) / "small"
    return run_study(study, ModelSpec.of_notebook(model, *cap), out=out, workers=workers), out


def keep(
    found: Tables,
    draw: Callable[[Tables, str], Mapping[str, Figure]],
    records: pd.DataFrame,
    name: str,
    model: str,
    profile: str,
) -> Tables:
    """Write the tables of the study of that name, with its figures, and hand them on; see :func:`run`."""
    report.write(found, records, paths.results_dir(name, model, profile))
    report.save_figures(draw(found, model), paths.figures_dir(name, model, profile))
    return found
