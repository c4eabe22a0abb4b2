"""What notebook 06 found, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies.findings import Played
from mnemocraft.studies.mindstores.load import FRESH

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """A line a claim and model, and one on what was not decided; without tables none."""
    said = []
    for model, found in played.items():
        if "hypotheses" in found and "conduct" in found:
            rows = found["hypotheses"]
            said += [_told(model, row) for _, row in rows.dropna(subset=["effect"]).iterrows()]
            said += [_calls(model, found["conduct"]), _undecided(model, rows)]
    return said


def _told(model: str, row: pd.Series) -> str:
    interval = "" if pd.isna(row["low"]) else f" [{100 * row['low']:+.0f}, {100 * row['high']:+.0f}]"
    return (
        f"`{model}`, {row['hypothesis']}: {row['claim']}: {100 * row['effect']:+.0f} points{interval}, "
        f"{row['pairs']:,} pairs in {row['tasks']} tasks: **{row['verdict']}**."
    )


def _calls(model: str, conduct: pd.DataFrame) -> str:
    fresh = conduct[conduct["part"] == FRESH]
    shown = [f"{player} {calls:.1f}" for player, calls in zip(fresh["player"], fresh["calls"], strict=True)]
    return f"`{model}`: calls of the model an episode: {', '.join(shown)}."


def _undecided(model: str, rows: pd.DataFrame) -> str:
    lacking = rows.loc[rows["effect"].isna(), "claim"]
    lead = "with a stand-in nothing is decided about language models" if is_surrogate(model) else (
        f"{(~rows['verdict'].isin(['holds', 'fails'])).sum()} of {len(rows)} claims are undecided"
    )  # fmt: skip
    return f"`{model}`: {lead}" + (f"; not run: {'; '.join(lacking)}." if len(lacking) else ".")
