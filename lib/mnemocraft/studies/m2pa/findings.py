"""What notebook 07 found, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.findings import Played

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """About five lines a model; a table that is missing gives none."""
    lines = []
    for model, found in played.items():
        if "hypotheses" in found:
            whole = found["hypotheses"].query("part == @ALL", local_dict={"ALL": ALL})
            lines += [f"`{model}`: {_told(row)}" for _, row in whole.iterrows() if row["pairs"] > 0][:7]
        if {"figure7", "hypotheses"} <= found.keys():
            lines += [f"`{model}`: {line}" for line in _conditional(found["figure7"])]
        if is_surrogate(model):
            lines.append("With a stand-in nothing is decided about language models.")
    return lines


def _told(row: pd.Series) -> str:
    reach = "" if pd.isna(row["low"]) else f" [{100 * row['low']:+.0f}, {100 * row['high']:+.0f}]"
    where = f"{row['pairs']:,} pairs of episodes in {row['tasks']} tasks"
    return f"{row['claim']}: {100 * row['effect']:+.0f} points{reach}, {where}: **{row['verdict']}**."


def _conditional(table: pd.DataFrame) -> list[str]:
    """Overall and conditional success at the hardest level, with and without memory."""
    rows = table[table["level"] == "Complex"].set_index(["player", "rate"])["value"]
    pairs = (("with", "m2pa"), ("without", "working"))
    told = [
        f"{rows[player, 'overall']:.0%} overall, {rows[player, 'conditional']:.0%} conditional {word} memory"
        for word, player in pairs
        if (player, "conditional") in rows.index
    ]
    return [f"complex tasks: {'; '.join(told)} (equation 5)."] if told else []
