"""The paper's tables, measured on our records, with the paper's number in the column ``paper``.

Every function takes prepared episodes (:func:`~mnemocraft.studies.gig.measures.prepare`) and returns one row
a number: ``value`` with its 95 % interval ``low``/``high``, ``n`` episodes. Pass@1 is a fraction (the
paper prints per cent). A condition that was not run has NaN and n = 0, so partial runs give partial tables.

Intervals of a single Pass@1 are Wilson's, since a method plays each kitchen once; those of steps and
tokens, and of differences, are clustered by kitchen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.envs.kitchen import HORIZONS, TITLES
from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, estimates, papers
from mnemocraft.studies.claims import Claim, minus
from mnemocraft.studies.estimates import NUMBERS, grid
from mnemocraft.studies.gig import measures
from mnemocraft.studies.gig.load import MAIN, MODES
from mnemocraft.studies.gig.measures import ABLATION, CELL, LABELS, PLANNED

AVERAGE = "Average"
OURS = {
    **{method.label: name for name, method in METHODS.items()},
    **{"GiG(+Exp)": "gig_exp", "GiG*": "gig", "GiG(+Exp)*": "gig_exp"},
    **{"GiG(LD)": "gig", "GiG(LD+EXP)": "gig_exp", "GiG(+LD+BL)": "gig"},
    **{"+BL": "gig_bl", "+LD": "gig_ld", "+BL+LD": "gig"},
}
"""Our method beside each label of the paper. Its GiG* (which carries the last answer on) and the GiG(LD) of
its small models stand beside our plain GiG."""
TOTALS = {"table1": ("strong", "sync"), "table2": ("strong", "async"), "table4": ("weak", "sync")}
"""The paper's tables of totals, with the level and mode of ours that stand beside them."""
_BY_TASK = {"table1": (7, 8, 9, 12), "table2": (14, 15, 16), "table4": (10, 11)}
BY_TASK = {f"table{n}": TOTALS[total] for total, numbers in _BY_TASK.items() for n in numbers}
"""The same of the tables by task."""
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
    names = {"method": "paper_method", "configuration": "paper_method", "model": "paper_model"}
    measured = {"pass_at_1": "pass_rate", "steps_mean": "steps"}
    table = papers.table(f"gig_{name}").rename(columns=names | measured)
    if "metric" not in table:
        values = [c for c in measured.values() if c in table]
        table = table.melt([c for c in table if c not in values], values, "metric", "value")
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
    names = ("task", "paper_model", "paper_method", "method", "metric")
    return table.filter([*names, *NUMBERS, "std", "paper", "paper_std"])


def totals(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 1, 2 and 4: Pass@1 by method, beside that of every model of the paper."""
    ours = pass_rates(episodes)
    return {name: _with_paper(name, *where, ours).drop(columns="task") for name, where in TOTALS.items()}


def by_task(episodes: pd.DataFrame, steps: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 7 to 12 and 14 to 16: Pass@1, and where the paper has it the steps (:func:`steps`), by task."""
    ours = pd.concat([pass_rates(episodes), steps], ignore_index=True)
    return {name: _with_paper(name, *where, ours) for name, where in BY_TASK.items()}


def table5(episodes: pd.DataFrame) -> pd.DataFrame:
    """Ablation: Pass@1 with lookahead, loop detection and both, and each one's difference from both."""
    table = _with_paper("table5", "strong", "sync", pass_rates(episodes)).drop(columns="task")
    found = measures.cells(episodes, "pass_at_1")
    keys: dict[str, Key] = {method: ("strong", "sync", method) for method in ABLATION}
    changes = [found.estimate(difference([keys[m]], [keys["gig"]])) for m in table["method"]]
    table[["change", "change_low", "change_high"]] = [(e.value, e.low, e.high) for e in changes]
    return table


def descriptions(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 6 and 13: the tasks with their horizons (``paper``: as printed) and the oracle's steps.

    The goal is what our episodes ask for; the recipe is the paper's account of it. The two differ in places.
    """
    shortest = episodes.dropna(subset="oracle_steps").drop_duplicates("kitchen").groupby("task")
    oracle = shortest["oracle_steps"].agg(oracle_min="min", oracle_mean="mean", oracle_max="max", n="count")
    found = {}
    for name, mode in (("table6", "sync"), ("table13", "async")):
        printed = papers.table(f"gig_{name}").rename(columns={"horizon": "paper", "recipe": "paper_recipe"})
        tasks = mode + "/" + printed["task"].astype(str)
        table = printed.assign(horizon=tasks.map(HORIZONS), goal=tasks.map(TITLES))
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

    :func:`~mnemocraft.studies.gig.measures.per_step`, and the share of waiting.
    """
    table = measures.per_step(episodes, CELL, "idle")
    table = table.reindex(pd.MultiIndex.from_tuples(PLANNED, names=CELL))
    count = episodes.groupby(list(CELL)).size().reindex(table.index, fill_value=0)
    table.insert(0, "episodes", count)
    return table.reset_index()


PAPER_MODELS = {"strong": "Qwen3-235B-A22B-Instruct-2507-FP8", "weak": "Qwen3-30B-A3B-Instruct-2507-FP8"}
"""The models whose numbers the paper's effects are taken from (one of its two pairs of one family)."""
WITH_FEEDBACK = ("recap", "react")
"""The baselines that see what their actions do; CoT, near 0 in both modes, would only dilute a difference."""
GIGS = ("gig", "gig_exp")


def _better(
    hypothesis: str, one: str, other: str, mode: str, paper_verdict: str, assumed: str, level: str = "strong"
) -> Claim:
    """``one`` solves more kitchens than ``other``."""
    who = " with the less able model" if level == "weak" else ""
    text = f"{LABELS[one]} solves more than {LABELS[other]} in {mode} kitchens{who}"
    more = _gain(one, [other], mode, level)
    return Claim(hypothesis, text, "pass_at_1", more, paper_verdict, rates=True, assumed=assumed)


def _gain(one: str, others: Sequence[str], mode: str, level: str = "strong") -> dict[Key, float]:
    return difference([(level, mode, one)], [(level, mode, other) for other in others])


SYNC_VERDICTS = {
    "recap": "holds (4.3, no test; it calls ReCAP the strongest baseline: with one model of three)",
    "react": "holds on two models, a tie on Gemini (Table 1)",
    "cot": "holds (4.3, no test)",
}
EXPERIENCE, LOOPS = "follows experience", "one way out of a loop is enough"
ASSUMED = {"recap": LOOPS, "react": LOOPS, "cot": "sees what it did"}
"""What the surrogate's differences between GiG and a baseline follow from."""


def _effort(*modes: str) -> dict[Key, float]:
    """Failures less successes."""
    return difference(*([("strong", mode, end) for mode in modes] for end in ("failure", "success")))


UNIT = "kitchens"
"""What a cluster is, in the plural."""
CLAIMS = (
    *(_better("GiG, sync", "gig", m, "sync", SYNC_VERDICTS[m], ASSUMED[m]) for m in ASSUMED),
    *(_better("GiG, async", "gig", m, "async", "holds (4.4, no test)", ASSUMED[m]) for m in ASSUMED),
    Claim("concurrency", "GiG's lead over ReCAP and ReAct is larger in async than in sync kitchens",
          "pass_at_1", minus(*(_gain("gig", WITH_FEEDBACK, mode) for mode in ("async", "sync"))),
          "holds on three models (Tables 1 and 2, no test)"),
    _better("experience", "gig_exp", "gig", "async", "holds on two models, a tie on Gemini (Table 2)",
            EXPERIENCE),
    Claim("experience", "GiG+Exp takes fewer steps than GiG in async kitchens (all trials)",
          "steps_all", _gain("gig_exp", ["gig"], "async"),
          "holds in most tasks (4.4; mean over the tasks of Table 14)", "negative", assumed=EXPERIENCE),
    *(replace(_better("ablation", "gig", m, "sync", "holds (Table 5, no test)", LOOPS), assumed_nothing=True)
      for m in ("gig_bl", "gig_ld")),
    _better("plug-in", "gig_exp", "gig", "sync", "holds (4.6, without lookahead, no test)", EXPERIENCE,
            "weak"),
    Claim("plug-in", "experience adds more to the less able model than to the able one (sync)", "pass_at_1",
          minus(_gain("gig_exp", ["gig"], "sync", "weak"), _gain("gig_exp", ["gig"], "sync")),
          "holds (4.6, without lookahead, against 4.3; no test)", assumed=EXPERIENCE),
    Claim("effort",
          "GiG, with experience or without, generates more tokens a step in failures than in successes",
          "tokens_per_step", _effort(*MODES),
          "holds for every model (4.8, Figure 9 without numbers)",
          parts={mode: _effort(mode) for mode in MODES}, assumed="answers have a fixed length",
          assumed_nothing=True),
    Claim("idling", "GiG waits in a smaller share of its steps than ReCAP in async kitchens", "idle",
          _gain("gig", ["recap"], "async"), "argued from Figure 1, not measured", "negative"),
)  # fmt: skip
"""Cohen's h is not for differences of differences: on its scale they can have the opposite sign."""


def _printed_cells() -> dict[tuple[str, Key], float]:
    """The paper's numbers by metric and cell: Pass@1, and steps as the mean over tasks."""
    found: dict[tuple[str, Key], float] = {}
    tables = {name: _paper(name) for name in (*TOTALS, "table5", "table7", "table14")}
    for name, (level, mode) in (TOTALS | BY_TASK | {"table5": TOTALS["table1"]}).items():
        if name in tables:
            rows, metric = tables[name], "steps_all" if name in BY_TASK else "pass_at_1"
            if name in TOTALS:
                rows = rows[rows["paper_model"] == PAPER_MODELS[level]]
            wanted = rows[rows["metric"] == ("steps" if name in BY_TASK else "pass_rate")]
            means = wanted.groupby("method")["paper"].mean()
            found |= {(metric, (level, mode, str(method))): value for method, value in means.items()}
    return found


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims on prepared episodes (:func:`~mnemocraft.studies.claims.judge`), by kitchen."""
    acted = episodes[(episodes["steps"] > 0) & episodes["method"].isin(GIGS)]
    measured = {
        "pass_at_1": measures.cells(episodes, "pass_at_1"),
        "steps_all": measures.cells(episodes, "steps_all"),
        "tokens_per_step": measures.cells(acted, "tokens_per_step", ("level", "mode", "outcome")),
        "idle": measures.cells(episodes[episodes["idle"].notna()], "idle"),
    }
    return claims.judge(CLAIMS, measured, UNIT, _printed_cells(), claims.players(episodes))
