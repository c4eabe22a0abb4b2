"""Figures of notebook 10, from its tables."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies.household.load import LABELS
from mnemocraft.studies.plots import PAPER, legend, per_cent, points, series

GIGS = {"gig": "GiG", "recap": "ReCAP", "react": "ReAct"}
PLANNERS = {"gpt": "GPT", "gpt_rp": "GPT+RP", "im": "Inner Monologue", "dep": "DEP"}


@styled
def figure6(table: pd.DataFrame, model: str) -> Figure:
    """Figure 6: pass rate by type; strokes are the numbers of the paper's Qwen3-235B (Table 18)."""
    return _by(table, "what", GIGS, model)


@styled
def table6(table: pd.DataFrame, model: str) -> Figure:
    """DEPS's Table 6: success by group and planner, strokes are the paper's numbers."""
    return _by(table[table["player"] != "butler"], "group", PLANNERS, model)


@styled
def small(table: pd.DataFrame, model: str) -> Figure:
    """The small model: success by type. The papers' models know all types, so that theirs are not beside."""
    return _by(table, "what", GIGS | {"gig_held": "GiG, held", "react_held": "ReAct, held"}, model)


def _by(table: pd.DataFrame, column: str, names: dict[str, str], model: str) -> Figure:
    figure, axes = plt.subplots(figsize=(PAGE, 2.8))
    groups = [*LABELS.values(), "Average"]
    if "paper" in table:
        place = table["player"].map(list(names).index) - (len(names) - 1) / 2
        at = table[column].map(groups.index) + 0.8 / len(names) * place
        axes.plot(at, 100 * table["paper"], "_", color=PAPER, ms=9, mew=1.6, label="the paper")
    points(axes, series(table, "player", names), groups, column, apart=0.8 / len(names))
    axes.set_xticks(range(len(groups)), groups)
    per_cent(axes, "Success (%)")
    legend(figure, axes, 5)
    over = " over tasks" if "tasks" in table else ""
    count = table.loc[table[column] != "Average", "n"]
    note = f"n = {count.min()} to {count.max()} episodes a type"
    stamp(figure, f"{note}; whiskers: 95 %, Wilson's{over}.", model)
    return figure
