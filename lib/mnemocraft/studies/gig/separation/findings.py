"""What notebook 05 found, in sentences made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from IPython.display import Markdown

from mnemocraft.paths import NO_MODEL
from mnemocraft.stats import UNDECIDED
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import text
from mnemocraft.studies.findings import Played
from mnemocraft.studies.gig.separation import embeddings
from mnemocraft.studies.gig.separation.tables import CONSISTENTLY, UNIT, USES


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; what was not measured says nothing."""
    lines: list[str] = []
    for tables in played.values():
        claimed, trained = tables.get("hypotheses"), tables.get("trainings")
        if claimed is None or trained is None or "part" not in claimed:
            continue
        lines += [_found(claimed), _nearest(claimed), _loops(trained), _separation(claimed)]
        lines += [
            _apart(tables.get("distances")),
            _neighbours(claimed),
            _others(trained),
            _undecided(claimed),
        ]
    return [line for line in lines if line]


def planned(kitchens: int) -> pd.DataFrame | Markdown:
    """What a run of so many kitchens can decide, from the tables that came with the repository."""
    return shipped.planned(embeddings.STEM, NO_MODEL, UNIT, kitchens)


def _told(rows: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Effects after the names of what they are about, by the ends of the claims' texts."""
    told = []
    for _, row in rows.iterrows():
        name = next((name for end, name in names.items() if end in row["claim"]), row["claim"])
        told.append(f"{name} {shipped.effect(row, UNIT)}, *{row['verdict']}*")
    return "; ".join(told)


MEASURES = {
    "auc": "AUC",
    "silhouette": "silhouette",
    "below_tau": "neighbouring steps below τ",
    "agrees": "agreement",
}
VERSUS = {
    "'untrained'": "random weights",
    "'bag of nodes'": "a bag of nodes",
    "'shuffled edges'": "shuffled edges",
}


def _found(claimed: pd.DataFrame) -> str:
    """What is retrieved under the threshold, beside chance."""
    rows = claimed[claimed["metric"].isin(USES) & (claimed["part"] == ALL) & claimed["effect"].notna()]
    every = claimed[(claimed["metric"] == "nearest") & (claimed["part"] == ALL)]
    if rows.empty or every.empty:
        return ""
    told = "; ".join(
        f"{USES[row['metric']]} {text(row, 'effect', '+.3f')}, *{row['verdict']}*"
        for _, row in rows.iterrows()
    )
    return (
        f"Retrieval under τ: something is found for {rows['pairs'].iloc[0]:,} of {every['pairs'].iloc[0]:,} "
        f"states, in {rows[UNIT].iloc[0]} of {every[UNIT].iloc[0]} kitchens. Less what chance would find it "
        f"is {told}."
    )


def _nearest(claimed: pd.DataFrame) -> str:
    """Trained against random weights and a bag of nodes, by the action that the nearest state brings."""
    rows = claimed[(claimed["metric"] == "nearest") & (claimed["part"] == ALL) & claimed["effect"].notna()]
    if rows.empty:
        return ""
    return (
        "Retrieval of whatever is nearest: how often it brings the oracle's action by the trained encoder, "
        f"minus how often by {_told(rows, VERSUS)}."
    )


def _loops(trained: pd.DataFrame) -> str:
    rows = trained[trained["encoder"].isin(["trained", "untrained", "bag of nodes"])]
    told = ", ".join(f"{row['encoder']} {row['false_alarms']:.0f}" for _, row in rows.iterrows())
    return (
        f"Loop detection: of {rows['of'].max():.0f} pairs of different states of one trace, this many "
        f"look equal: {told} (counts, not tested)."
    )


def _separation(claimed: pd.DataFrame) -> str:
    rows = claimed[claimed["metric"].isin(["chance", "auc"]) & claimed["effect"].notna()]
    if rows.empty:
        return ""
    return f"Separation: AUC of the trained encoder less that of {_told(rows, VERSUS | {'0.5': 'chance'})}."


def _apart(distances: pd.DataFrame | None) -> str:
    """Where the distances between traces are densest, beside the paper's."""
    if distances is None:
        return ""
    rows = distances.dropna(subset="paper_peak").set_index("encoder")
    mine, paper = rows.loc["trained"], rows["paper_peak"].iloc[0]
    others = rows["peak"][rows.index.str.startswith("seed") | (rows.index == "trained")]
    span = (
        f"; over {len(others)} trainings at {others.min():.3f} to {others.max():.3f}"
        if len(others) > 1
        else ""
    )
    return (
        f"Distances between traces are densest at {mine['peak']:.3f} and have a median of "
        f'{mine["median"]:.2f}{span}; the paper has "around {paper:g}" for two sequences (not tested).'
    )


def _neighbours(claimed: pd.DataFrame) -> str:
    rows = claimed[(claimed["metric"] == "below") & claimed["effect"].notna()]
    names = {
        "Neighbouring": "Share of neighbouring steps below τ, less what we take the paper to say (95 %):"
    }
    return "" if rows.empty else f"{_told(rows, names)}."


def _others(trained: pd.DataFrame) -> str:
    """Trainings with other seeds as a range: five of them are too few to be tested."""
    rows = trained[(trained["encoder"] == "trained") | trained["encoder"].str.startswith("seed")]
    if len(rows) < 2:
        return "These are one training's weights; profile `full` trains five more."
    random = trained[trained["encoder"] == "untrained"].iloc[0]
    spans = ", ".join(
        f"{name} {rows[column].min():.3f} to {rows[column].max():.3f} ({random[column]:.3f})"
        for column, name in MEASURES.items()
    )
    better, near = (rows["auc"] > random["auc"]).sum(), (rows["below_tau"] >= CONSISTENTLY).sum()
    return (
        f"Over {len(rows)} trainings with different seeds, in brackets with random weights: {spans} (not "
        f"tested). The verdicts are about one of them, the committed weights: {better} of {len(rows)} have a "
        f"larger AUC than random weights, and {near} have {CONSISTENTLY:.0%} of neighbouring steps below τ."
    )


def _undecided(claimed: pd.DataFrame) -> str:
    whole = claimed[(claimed["part"] == ALL) & (claimed["verdict"] == UNDECIDED)]
    return f"Not decided: {'; '.join(whole['claim'])}." if len(whole) else ""
