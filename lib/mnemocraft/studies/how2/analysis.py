"""From the records of the How2 study to its tables and figures: what notebook 01 calls.

:func:`tables` measures everything, :func:`draw` draws it; :mod:`mnemocraft.studies.report` writes both down.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.runs import read_trajectory
from mnemocraft.studies import papers
from mnemocraft.studies.estimates import add_paper
from mnemocraft.studies.findings import Played
from mnemocraft.studies.how2 import facts, figures, hypotheses, judged, known, measures, statistics
from mnemocraft.studies.how2 import tables as measured


def data_tables() -> dict[str, pd.DataFrame]:
    """The paper's Tables 2, 3 and 4 counted from the data set, beside the paper's, and Figure 6's lengths."""
    counted = (statistics.split_difficulty, statistics.split_distractors, statistics.split_plan_statistics)
    found = {}
    for name, count in zip(("table2", "table3", "table4"), counted, strict=True):
        table = count()
        *keys, value = table.columns
        found[name] = add_paper(table, papers.table(f"how2_{name}"), keys, {value: "paper"})
    return found | {"figure6": statistics.path_lengths()}


MEASURED: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "table1": measured.table1,
    "table6": measured.table6,
    "table7": hypotheses.table7,
    "table8": measured.table8,
    "table9": measured.table9,
    "table10": measured.table10,
    "table11": measured.table11,
    "figure4": measured.success_by_first_read,
    "figure8": measured.by_misses_and_hits,
    "learning": measured.learning,
    "t_tests": hypotheses.t_tests,
    "hypotheses": hypotheses.verdicts,
    "order": facts.order,
    "chosen": judged.chosen,
    "seeds": measured.seeds,
    "statuses": measured.statuses,
}
"""What is measured on prepared episodes, by the name of its file."""
NOT_SMALL = ("table6", "table11", "order")
"""What needs the ablations, which a small model does not play."""


def tables(records: pd.DataFrame, out: Path) -> dict[str, pd.DataFrame]:
    """Every table and the numbers of every figure, by the name of its file; records may be partial.

    Args:
        records: Records of the study.
        out: The folder of their run, where what the Relevance role said is read.
    """
    episodes = measures.prepare(records)
    found = {name: measure(episodes) for name, measure in MEASURED.items()}
    return found | {"relevance": facts.relevance(episodes, partial(read_trajectory, out))}


def small_tables(records: pd.DataFrame, out: Path, known_targets: Collection[str]) -> dict[str, pd.DataFrame]:
    """The same for the small model's part of the study, and what it does on known and unknown targets.

    Args:
        records: Records of :func:`~mnemocraft.studies.how2.sweep.small`, also partial ones.
        out: The folder of their run.
        known_targets: The targets that the model has seen crafted from memory in its training.
    """
    episodes = measures.prepare(records)
    found = {name: measure(episodes) for name, measure in MEASURED.items() if name not in NOT_SMALL}
    by_target = known.known_targets(episodes, known_targets)
    trajectory = partial(read_trajectory, out)
    return found | {
        "one_target": hypotheses.one_target(episodes),
        "relevance": facts.relevance(episodes, trajectory),
        "judged": judged.taken(episodes, trajectory),
        "known_targets": by_target,
        "targets_of_the_design": known.targets_of_the_design(by_target),
    }


def draw(played: Played) -> dict[str, Figure]:
    """All figures by the name of their file.

    Args:
        played: First the model of the whole study with the tables of :func:`data_tables` and :func:`tables`;
            then, if there is one, the small model with its :func:`small_tables`.
    """
    (model, found), *others = played.items()
    drawn = {
        "figure4": figures.figure4(found["figure4"], model),
        "figure5": figures.figure5(found["figure8"], model),
        "figure6": figures.figure6(found["figure6"]),
        "figure7": figures.figure7({name: tables["table1"] for name, tables in played.items()}),
        "figure8": figures.figure8(found["figure8"], model),
        "learning": figures.learning(found["learning"], model),
        "hypotheses": figures.effects({name: tables["hypotheses"] for name, tables in played.items()}),
    }
    for name, small in others:
        if not facts.of_first_reads(name, small):  # which says that there is nothing to compare
            drawn["figure4_small"] = figures.figure4(small["figure4"], name)
        drawn["figure5_small"] = figures.figure5(small["figure8"], name)
        drawn["figure8_small"] = figures.figure8(small["figure8"], name)
        drawn["learning_small"] = figures.learning(small["learning"], name)
        drawn["known_targets"] = figures.known_targets(small["known_targets"], name)
    return drawn
