"""How far the tests can be trusted, and what they were asked: tables and the figure of notebook 90."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import nbformat
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from PIL import Image

from mnemocraft import figstyle, paths, stats
from mnemocraft.errors import one_of
from mnemocraft.figstyle import COLUMN, stamp, styled
from mnemocraft.studies import evidence
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.findings import Played

STEM = "90_how_we_test"
CLUSTERS = (5, 7, 9, 12, 15, 20, 30, 45, 60, 100)
EXPERIMENTS = {"smoke": 500, "quick": 4000, "full": 20000}
"""Simulated experiments for each number of clusters."""
DECIDED = ("holds", "fails", "reverses")
"""Verdicts that say something."""


def tables(profile: str, seeds: Sequence[int]) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file.

    ``error_rates`` and, where clusters do not err to either side alike, ``skewed``, with the first of the
    seeds; ``verdicts``, ``notebooks`` and ``figures``.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    one_of("profile", profile, EXPERIMENTS)
    check_seeds(seeds, 0)
    return {
        "error_rates": stats.error_rates(CLUSTERS, EXPERIMENTS[profile], seed=seeds[0]),
        "skewed": stats.error_rates(CLUSTERS, EXPERIMENTS[profile], seed=seeds[0], skewed=True),
        "verdicts": verdicts(),
        "notebooks": notebooks(),
        "figures": figures(),
    }


def verdicts() -> pd.DataFrame:
    """Every claim of the committed tables with its model, clusters, power and verdict."""
    found = evidence.table()
    columns = ["notebook", "model", "profile", "claim", "part", "clusters", "unit", "detectable"]
    return found[[*columns, "paper_effect", "effect", "low", "high", "verdict", "direction", "size"]]


def of_real_models(found: pd.DataFrame) -> pd.DataFrame:
    """:func:`verdicts` for reading: the claims as wholes that the stand-in did not play."""
    chosen = found[~found["model"].map(figstyle.is_surrogate) & (found["part"] == ALL)]
    columns = ["claim", "clusters", "detectable", "paper_effect", "effect", "low", "high", "verdict"]
    return chosen.set_index(["notebook", "model"])[columns].round(3).fillna("")


def notebooks() -> pd.DataFrame:
    """How many cells each notebook has."""
    found = {path.stem: nbformat.read(path, 4).cells for path in sorted(paths.NOTEBOOKS.glob("*.ipynb"))}
    return pd.DataFrame({"notebook": list(found), "cells": list(map(len, found.values()))})


def figures() -> pd.DataFrame:
    """Width in inches and smallest text in points of every committed figure, measured when it was saved."""
    rows = []
    for path in sorted((paths.ROOT / "figures").glob("*/*.png")):
        with Image.open(path) as picture:
            told = str(picture.info.get("Description", ""))
        wide, _, text = told.removesuffix(" pt").partition(" in wide, text from ")
        rows.append((path.parent.name, path.stem, float(wide or "nan"), float(text or "nan")))
    return pd.DataFrame(rows, columns=["notebook", "figure", "inches", "smallest_text"])


@styled
def error_figure(found: pd.DataFrame) -> Figure:
    """Share of differences that are rejected although there is none, by number of clusters."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.4))
    for i, (level, tests) in enumerate(stats.LEVELS.items()):
        axes.plot(
            found["clusters"],
            100 * found[level],
            label=f"tested at {level}",
            clip_on=False,
            **figstyle.line(i),
        )
        axes.axhline(100 * stats.ALPHA / tests, color=figstyle.COLOURS[i], lw=0.8, ls=":")
    axes.axvspan(1, stats.MIN_CLUSTERS, color="0.9", lw=0)
    axes.set(xscale="log", xlim=(found["clusters"].min(), found["clusters"].max()), ylim=(0, None))
    axes.set_xticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.set(xlabel="Clusters in each arm", ylabel="Rejected (%)")
    axes.legend()
    note = "No difference is there; dotted: nominal. Grey: too few clusters, we test nothing. Simulated: up "
    note += f"to {EXPERIMENTS['full']:,} experiments a point, five episodes a cluster."
    stamp(figure, note)
    return figure


def findings(played: Played) -> list[str]:
    """What notebook 90 has to say, from its tables."""
    found: Mapping[str, pd.DataFrame] = next(iter(played.values()), {})
    if "error_rates" not in found or "verdicts" not in found:
        return []
    rates = found["error_rates"].set_index("clusters")
    few, least = rates.loc[9], rates.loc[stats.MIN_CLUSTERS]
    claims = found["verdicts"].assign(standin=found["verdicts"]["model"].map(figstyle.is_surrogate))
    whole, judged = claims[claims["part"] == ALL], claims[~claims["standin"]]
    outcomes = judged[judged["part"] == ALL]["verdict"].value_counts()
    decided = judged[judged["verdict"].isin(DECIDED)]
    lines = [
        f"A difference that is not there is found with 9 clusters in {few['0.05']:.1%} of experiments at a "
        f"level of 5 % and in {few['0.05 / 8']:.1%} at {stats.ALPHA / 8:.2%}; "
        f"with {stats.MIN_CLUSTERS}, our least, in {least['0.05']:.1%} and {least['0.05 / 8']:.1%}. "
        f"At {stats.ALPHA / 29:.2%}, of a family of 29, it is {least['0.05 / 29']:.2%}, "
        f"{29 * least['0.05 / 29'] / stats.ALPHA:.1f} times as often as the level says.",
        f"Of {len(whole)} claims in the committed tables {whole['standin'].sum()} were played by the "
        f"stand-in and have no verdict. The other {outcomes.sum()}: "
        + (", ".join(f"{number} {verdict}" for verdict, number in outcomes.items()) or "none")
        + ".",
    ]
    if len(decided):
        fewest = decided.nsmallest(1, "clusters").iloc[0]
        largest = decided.nlargest(1, "detectable").iloc[0]
        lines.append(
            "Of the claims that are decided, and of their parts (`CLAIMS.md` has these too), the fewest "
            f"clusters are {fewest['clusters']} ({_where(fewest)}), and the largest detectable effect is "
            f"{largest['detectable']:.3f} ({_where(largest)})."
        )
    return lines


def _where(row: pd.Series) -> str:
    part = "" if row["part"] == ALL else f", {row['part']}"
    return f"{row['notebook'][:2]}: {row['claim']}{part}"


def figure_sizes(found: pd.DataFrame) -> str:
    """One sentence on the committed figures."""
    known = found.dropna()
    widths = ", ".join(
        f"{count} of {inches:g} in" for inches, count in known["inches"].value_counts().items()
    )
    return f"{len(found)} figures: {widths}; the smallest text has {known['smallest_text'].min():g} pt."
