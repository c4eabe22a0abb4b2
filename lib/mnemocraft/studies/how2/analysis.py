"""From the records of the How2 study to its tables and figures: what notebook 01 calls.

:func:`tables` measures everything, :func:`write` and :func:`draw` put it where results live.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.envs.plancraft import statistics
from mnemocraft.runs import code_version, write_table
from mnemocraft.studies import papers
from mnemocraft.studies.how2 import figures, hypotheses, measures
from mnemocraft.studies.how2 import tables as measured


def data_tables() -> dict[str, pd.DataFrame]:
    """The paper's Tables 2, 3 and 4 counted from the data set, beside the paper's, and Figure 6's lengths."""
    ours = {
        "table2": (statistics.split_difficulty(), ["split", "difficulty"], "count"),
        "table3": (statistics.split_distractors(), ["split", "n_distractors"], "count"),
        "table4": (statistics.split_plan_statistics(), ["split", "metric"], "value"),
    }
    found = {
        name: table.merge(
            papers.table(f"how2_{name}").rename(columns={value: "paper"}), on=keys, how="left", validate="1:1"
        )
        for name, (table, keys, value) in ours.items()
    }
    return found | {"figure6": statistics.path_lengths()}


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table and the numbers of every figure, by the name of its file.

    Args:
        records: Records of the How2 study, also partial ones.
    """
    episodes = measures.prepare(records)
    return {
        "table1": measured.table1(episodes),
        "table6": measured.table6(episodes),
        "table7": hypotheses.table7(episodes),
        "table8": measured.table8(episodes),
        "table9": measured.table9(episodes),
        "table10": measured.table10(episodes),
        "table11": measured.table11(episodes),
        "figure4": measured.success_by_first_read(episodes),
        "figure8": measured.by_misses_and_hits(episodes),
        "learning": measured.learning(episodes),
        "t_tests": hypotheses.t_tests(episodes),
        "hypotheses": hypotheses.verdicts(episodes),
        "statuses": measured.statuses(episodes),
    }


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
    """Write tables as ``<name>.csv``, each with its provenance."""
    paths, source = [], _source(records)
    for name, table in found.items():
        paths.append(folder / f"{name}.csv")
        write_table(table.assign(**source), paths[-1])
    return paths


def draw(found: Mapping[str, pd.DataFrame], model: str) -> dict[str, Figure]:
    """All figures by the name of their file; ``found`` holds the tables of both functions above."""
    return {
        "figure4": figures.figure4(found["figure4"], model),
        "figure5": figures.figure5(found["figure8"], model),
        "figure6": figures.figure6(found["figure6"]),
        "figure7": figures.figure7(found["table1"], model),
        "figure8": figures.figure8(found["figure8"], model),
        "learning": figures.learning(found["learning"], model),
    }


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
