"""What notebook 05 found, in sentences made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mnemocraft.studies import claims
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import text
from mnemocraft.studies.findings import Played
from mnemocraft.studies.gig.separation import embeddings
from mnemocraft.studies.gig.separation.tables import UNIT

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; what was not measured says nothing."""
    lines: list[str] = []
    for tables in played.values():
        claimed, trained = tables.get("hypotheses"), tables.get("trainings")
        if claimed is None or trained is None or "part" not in claimed:
            continue
        lines += [*_nearest(claimed), _loops(trained), *_separation(claimed), _others(trained)]
        lines += [_undecided(claimed)]
    return [line for line in lines if line]


def planned(profile: str, kitchens: int) -> pd.DataFrame:
    """What a profile can decide, by the tables that came with the repository; empty if there are none."""
    _, played = shipped.shipped(embeddings.STEM)
    pilots = [tables["hypotheses"] for tables in played.values() if "part" in tables.get("hypotheses", ())]
    return claims.planned(pilots[0], UNIT, kitchens) if pilots and profile != "smoke" else pd.DataFrame()


def _row(row: pd.Series) -> str:
    effect = f"{text(row, 'effect', '+.3f')} ({row['pairs']} pairs in {row[UNIT]} {UNIT})"
    return f"{effect}, *{row['verdict']}*"


def _nearest(claimed: pd.DataFrame) -> list[str]:
    """Trained against random weights and a bag of nodes, by the action that the nearest state brings."""
    whole = claimed[(claimed["metric"] == "nearest") & (claimed["part"] == ALL) & claimed["effect"].notna()]
    return [f"{row['claim']}: {_row(row)}." for _, row in whole.iterrows()]


def _loops(trained: pd.DataFrame) -> str:
    rows = trained[trained["encoder"].isin(["trained", "untrained", "bag of nodes"])]
    told = ", ".join(f"{row['encoder']} {row['false_alarms']:.0f}" for _, row in rows.iterrows())
    return (
        f"Loop detection: of {rows['of'].max():.0f} pairs of different states of one trace, so many look equal: "
        f"{told} (counts, not tested)."
    )


def _separation(claimed: pd.DataFrame) -> list[str]:
    rows = claimed[claimed["metric"].isin(["chance", "auc", "below"]) & claimed["effect"].notna()]
    return [f"{row['claim']}: {_row(row)}." for _, row in rows.iterrows()]


def _others(trained: pd.DataFrame) -> str:
    """Trainings with other seeds as a range: five of them are too few to be tested."""
    rows = trained[(trained["encoder"] == "trained") | trained["encoder"].str.startswith("seed")]
    if len(rows) < 2:
        return "These are one training's weights; profile `full` trains five more."
    spans = ", ".join(
        f"{name} {rows[column].min():.3f} to {rows[column].max():.3f}"
        for column, name in (("auc", "AUC"), ("silhouette", "silhouette"), ("agrees", "agreement"))
    )
    other = trained.set_index("encoder")
    return (
        f"Over {len(rows)} trainings with different seeds: {spans} (not tested); random weights have silhouette "
        f"{other.loc['untrained', 'silhouette']:.3f} and agreement {other.loc['untrained', 'agrees']:.3f}."
    )


def _undecided(claimed: pd.DataFrame) -> str:
    whole = claimed[(claimed["part"] == ALL) & (claimed["verdict"] == "undecided")]
    return f"Not decided: {'; '.join(whole['claim'])}." if len(whole) else ""
