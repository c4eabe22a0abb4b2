"""What every study does with its tables and figures: write them with their provenance, show both numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.runs import code_version, write_table


def _source(records: pd.DataFrame) -> dict[str, str]:
    """Where a table comes from: model, seeds, commit, and one hash over the configurations."""

    def joined(column: str) -> str:
        return " ".join(str(value) for value in sorted(records[column].unique()))

    config = hashlib.sha256(joined("config").encode()).hexdigest()[:12]
    # The commit that made the table. The episodes may be older; what decides them has not changed since,
    # or they would have been played again, and their records say at which commit they were.
    source = {"model": joined("model"), "seeds": joined("seed"), "commit": code_version()}
    return source | {"config": config}


def write(found: Mapping[str, pd.DataFrame], records: pd.DataFrame, folder: Path) -> list[Path]:
    """Write tables as ``<name>.csv``, each with its provenance, that of the records it was measured on."""
    paths, source = [], _source(records)
    for name, table in found.items():
        paths.append(folder / f"{name}.csv")
        write_table(table.assign(**source), paths[-1])
    return paths


def save_figures(drawn: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Save every figure as PDF and PNG."""
    return [path for name, figure in drawn.items() for path in figstyle.save(figure, folder, name)]


def beside(table: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """A long table for reading; in ``0.52 [0.49, 0.55] | 0.59`` the last number is the paper's."""

    columns_shown = ("value", "low", "high", "paper")

    def cell(row: pd.Series) -> str:
        value, low, high, paper = ("-" if pd.isna(row[c]) else f"{row[c]:.2f}" for c in columns_shown)
        return f"{value} [{low}, {high}] | {paper}"

    text = table.assign(text=table.apply(cell, axis=1))
    return text.pivot_table(
        index=list(rows), columns=list(columns), values="text", aggfunc="first", sort=False
    )


def show(drawn: Mapping[str, Figure], folder: Path, *names: str) -> None:
    """Display those figures of ``names`` that were drawn, from the ``folder`` they were saved in."""
    from IPython.display import display

    display(*(figstyle.show(folder, name) for name in names if name in drawn))
