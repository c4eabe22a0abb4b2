"""From the records of the How2 study to its tables and figures: what notebook 01 calls.

:func:`tables` measures everything, :func:`draw` draws it; :mod:`mnemocraft.studies.report` writes both down.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.envs.plancraft import statistics
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
