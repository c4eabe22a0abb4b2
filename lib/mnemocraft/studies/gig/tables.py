"""The paper's tables, measured on our records, with the paper's number in the column ``paper``.

Every function takes prepared episodes (:func:`~mnemocraft.studies.gig.measures.prepare`) and returns one row
a number: ``value`` with its 95 % interval ``low``/``high``, ``n`` episodes. Pass@1 is a fraction (the
paper prints per cent). A condition that was not run has NaN and n = 0, so partial runs give partial tables.

Intervals of a single Pass@1 are Wilson's, since a method plays each kitchen once; those of steps and
tokens, and of differences, resample kitchens.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.envs.kitchen import HORIZONS, TITLES
from mnemocraft.stats import Key, difference
from mnemocraft.studies import estimates, papers
from mnemocraft.studies.estimates import NUMBERS, grid
from mnemocraft.studies.gig import measures
from mnemocraft.studies.gig.measures import ABLATION, CELL, MAIN, PLANNED

AVERAGE = "Average"
OURS = {
    **{method.label: name for name, method in METHODS.items()},
    **{"GiG(+Exp)": "gig_exp", "GiG*": "gig", "GiG(+Exp)*": "gig_exp"},
    **{"GiG(LD)": "gig", "GiG(LD+EXP)": "gig_exp", "GiG(+LD+BL)": "gig"},
    **{"+BL": "gig_bl", "+LD": "gig_ld", "+BL+LD": "gig"},
}
"""Our method beside each label of the paper. Its GiG* (which carries the last answer on) and the GiG(LD) of
its small models stand beside our plain GiG."""
BY_TASK = {
    "table7": ("strong", "sync"),
    "table8": ("strong", "sync"),
    "table9": ("strong", "sync"),
    "table10": ("weak", "sync"),
    "table11": ("weak", "sync"),
    "table12": ("strong", "sync"),
    "table14": ("strong", "async"),
    "table15": ("strong", "async"),
    "table16": ("strong", "async"),
}
"""The paper's tables by task, with the level and mode of ours that stand beside them."""
TOTALS = {"table1": ("strong", "sync"), "table2": ("strong", "async"), "table4": ("weak", "sync")}
WEAK_TABLES = ("table4", "table10", "table11")
"""The tables that are about the less able model alone."""
ORDER = dict.fromkeys(ABLATION[:2], -1) | {method: i for i, method in enumerate(MAIN)}
"""The order of methods in every table; with a part left out they stay as in the paper, before the whole."""


def _with_average(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every episode twice: under its task and under the average."""
    own = episodes.assign(task=episodes["task_number"].astype(str))
    return pd.concat([own, episodes.assign(task=AVERAGE)], ignore_index=True)


def pass_rates(episodes: pd.DataFrame) -> pd.DataFrame:
    """Pass@1 by level, mode, method and task (``"0"`` to ``"9"`` and the average)."""
    by = [*CELL, "task"]
    return estimates.rates(_with_average(episodes), by).sort_values(by).assign(metric="pass_rate")


def steps(episodes: pd.DataFrame) -> pd.DataFrame:
    """Mean steps by level, mode, method and task, of all trials (metric ``steps``) and of successes alone.

    ``std`` is the population's, as in the paper: it follows from its cells with a single success, such as
    ReCAP's 55.5 ± 4.5 with the nine others at the limit of 57 steps. They also show that all trials count.
    """
    by, parts = [*CELL, "task_number"], []
    passed = episodes[episodes["passed"] == 1]
    for metric, rows, counted in (("steps", episodes, "steps_all"), ("steps_success", passed, "steps")):
        found = measures.cells(episodes, "steps_all" if metric == "steps" else metric, by)
        spread = rows.groupby(by)[counted].std(ddof=0).rename("std").reset_index()
        table = grid(found, by, found.value).merge(spread, on=by, how="left")
        table = table.rename(columns={"task_number": "task"}).astype({"task": str})
        parts.append(table.assign(metric=metric))
    return pd.concat(parts, ignore_index=True)


def _paper(name: str) -> pd.DataFrame:
    """One of the paper's tables in our words: task as text, metric, paper (and paper_std), its model."""
    table = papers.table(f"gig_{name}").rename(
        columns={"method": "paper_method", "configuration": "paper_method", "pass_at_1": "pass_rate"}
    )
    table = table.rename(columns={"model": "paper_model", "steps_mean": "steps"})
    if "metric" not in table:
        names = [c for c in ("pass_rate", "steps") if c in table]
        table = table.melt([c for c in table if c not in names], names, "metric", "value")
    rate = table["metric"] == "pass_rate"
    printed = table["value"].where(~rate, table["value"] / 100)
    table = table.assign(paper=printed, method=table["paper_method"].map(OURS))
    return table.assign(task=table["task"].astype(str) if "task" in table else AVERAGE)


def _with_paper(name: str, level: str, mode: str, ours: pd.DataFrame) -> pd.DataFrame:
    """Every number of one of the paper's tables, and ours."""
    table = _paper(name)
    if "steps_std" in table:
        steps = table["metric"] == "steps"
        table = table.assign(paper_std=table["steps_std"].where(steps))[~(steps & (table["task"] == AVERAGE))]
    places = table["method"].map(ORDER)
    if not places.drop_duplicates().is_monotonic_increasing:
        models = pd.factorize(table["paper_model"])[0]
        table = table.iloc[np.lexsort((places, models))]
    mine = ours[(ours["level"] == level) & (ours["mode"] == mode)].drop(columns=["level", "mode"])
    table = estimates.join(table, mine, ["method", "task", "metric"])
    wanted = (
        "task",
        "paper_model",
        "paper_method",
        "method",
        "metric",
        *NUMBERS,
        "std",
        "paper",
        "paper_std",
    )
    return table[[c for c in wanted if c in table]]


def totals(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 1, 2 and 4: Pass@1 by method, beside that of every model of the paper."""
    ours = pass_rates(episodes)
    return {name: _with_paper(name, *where, ours).drop(columns="task") for name, where in TOTALS.items()}


def by_task(episodes: pd.DataFrame, steps: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 7 to 12 and 14 to 16: Pass@1, and where the paper has it the steps, by task and method.

    Args:
        episodes: Prepared episodes.
        steps: The table of :func:`steps`.
    """
    ours = pd.concat([pass_rates(episodes), steps], ignore_index=True)
    return {name: _with_paper(name, *where, ours) for name, where in BY_TASK.items()}


def table5(episodes: pd.DataFrame) -> pd.DataFrame:
    """Ablation: Pass@1 with lookahead, loop detection and both, and each one's difference from both."""
    table = _with_paper("table5", "strong", "sync", pass_rates(episodes)).drop(columns="task")
    found = measures.cells(episodes, "pass_at_1")
    keys: dict[str, Key] = {method: ("strong", "sync", method) for method in ABLATION}
    changes = [found.estimate(difference([keys[m]], [keys["gig"]])) for m in table["method"]]
    return table.assign(
        change=[e.value for e in changes],
        change_low=[e.low for e in changes],
        change_high=[e.high for e in changes],
    )


def descriptions(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 6 and 13: the tasks with their horizons (``paper``: as printed) and the oracle's steps.

    The goal is what our episodes ask for; the recipe is the paper's account of it. The two differ in places.
    """
    shortest = (
        episodes.dropna(subset="oracle_steps").drop_duplicates("kitchen").groupby("task")["oracle_steps"]
    )
    oracle = shortest.agg(oracle_min="min", oracle_mean="mean", oracle_max="max", n="count")
    found = {}
    for name, mode in (("table6", "sync"), ("table13", "async")):
        printed = papers.table(f"gig_{name}").rename(columns={"horizon": "paper", "recipe": "paper_recipe"})
        tasks = [f"{mode}/{number}" for number in printed["task"]]
        horizons, goals = [HORIZONS[t] for t in tasks], [TITLES[t] for t in tasks]
        table = printed.assign(horizon=horizons, goal=goals)
        table = table.join(oracle.reindex(tasks).reset_index(drop=True))
        order = ["task", "goal", "horizon", "paper", *oracle.columns, "paper_recipe"]
        found[name] = table.assign(n=table["n"].fillna(0).astype(int))[order]
    return found


def tokens(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 9: generated tokens a step, in successes and in failures, by level, mode and method."""
    by = (*CELL, "outcome")
    keys = [(*cell, outcome) for cell in PLANNED for outcome in ("success", "failure")]
    return grid(measures.cells(episodes[episodes["steps"] > 0], "tokens_per_step", by), by, keys)


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: how each method went about it, by condition; conditions not run have 0 episodes.

    Per step: invalid answers, loop warnings, retrieved experiences, and the share of waiting; ``followed`` is
    the share of retrieved experiences whose action was taken.
    """
    sums = episodes.groupby(list(CELL))[[*measures.COUNTS, "steps", "idle"]].sum(min_count=1)
    sums = sums.reindex(pd.MultiIndex.from_tuples(PLANNED, names=CELL))
    shares = {c: sums[c] / sums["steps"] for c in ("invalid_actions", "loops", "retrieved", "idle")}
    count = episodes.groupby(list(CELL)).size().reindex(sums.index, fill_value=0)
    table = pd.DataFrame({"episodes": count, **shares, "followed": sums["followed"] / sums["retrieved"]})
    return table.replace([np.inf, -np.inf], np.nan).reset_index()
