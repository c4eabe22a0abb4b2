"""The paper's tables, measured on our records, with the paper's number in the column ``paper``.

Every function takes prepared episodes (:func:`~mnemocraft.studies.how2.measures.prepare`) and returns one row
a number: ``value`` with its 95 % interval ``low``/``high`` (bootstrap over targets), ``n`` episodes. A
condition that was not run has NaN and n = 0, so partial runs give partial tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.how2.settings import SETUPS, TEACHERS
from mnemocraft.stats import Cells, Estimate, Key, difference
from mnemocraft.studies import papers
from mnemocraft.studies.how2 import measures
from mnemocraft.studies.how2.load import SPLITS

STATUSES = ("ok", "error", "timeout", "crash", "budget")
VARIANTS = {"how2": "main", "-curriculum": "curriculum", "+ask-first-policy": "ask_first"}
"""Rows of the paper's Table 6 and the variant of ours that they are put beside."""
GRID = tuple(("base", "none", s) for s in SPLITS) + tuple(
    (setup, teacher, split) for setup in SETUPS[1:] for teacher in (*TEACHERS, "avg") for split in SPLITS
)
"""Rows of the paper's Tables 1, 9 and 10: (setup, teacher, split)."""


def _columns(estimate: Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def _estimate(found: Cells, variant: str, setup: str, teacher: str, split: str) -> Estimate:
    """One row's estimate; teacher "avg" is the mean over the teachers, as in the paper."""
    teachers = TEACHERS if teacher == "avg" else (teacher,)
    return found.mean([(variant, setup, t, split) for t in teachers])


def _beside(
    rows: list[dict] | pd.DataFrame, paper: pd.DataFrame, keys: Sequence[str], values: dict[str, str]
) -> pd.DataFrame:
    """Our rows with the paper's columns joined on ``keys`` and renamed as in ``values``."""
    return pd.DataFrame(rows).merge(paper[[*keys, *values]].rename(columns=values), on=list(keys), how="left")


def _by_setup(
    episodes: pd.DataFrame, metrics: Sequence[str], paper: str, variant: str, splits: Sequence[str] = SPLITS
) -> pd.DataFrame:
    found = {metric: measures.cells(episodes, metric) for metric in metrics}
    rows = [
        {"setup": setup, "teacher": teacher, "split": split, "metric": metric}
        | _columns(_estimate(found[metric], variant, setup, teacher, split))
        for setup, teacher, split in GRID
        if split in splits
        for metric in metrics
    ]
    return _beside(rows, papers.table(paper), ("setup", "teacher", "split", "metric"), {"value": "paper"})


def table1(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success (solvable examples), impossible F1, cache misses and interventions (all examples)."""
    metrics = ("overall_sr", "impossible_f1", "avg_cache_miss", "avg_intervention_rate")
    return _by_setup(episodes, metrics, "how2_table1", "main")


def table8(episodes: pd.DataFrame) -> pd.DataFrame:
    """Tokens of all roles (thousands an episode) and actions beyond the expert's in solved episodes."""
    return _by_setup(episodes, ("token_usage_k", "action_efficiency"), "how2_table8", "main")


def table9(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success (solvable examples) and the three kinds of error (as rates over all examples)."""
    metrics = ("success_rate", "impossible_error", "max_steps_error", "eager_crafting_error")
    return _by_setup(episodes, metrics, "how2_table9", "main")


def table11(episodes: pd.DataFrame) -> pd.DataFrame:
    """The variant without the think tool, high split; the paper's numbers are those of Qwen 3 32B."""
    metrics = ("overall_sr", "impossible_f1", "avg_cache_miss", "avg_intervention_rate")
    return _by_setup(episodes, metrics, "how2_table11", "no_think", splits=("high",))


def _seed_std(episodes: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation of the success rate between seeds (n - 1), NaN for fewer than two."""
    keys = ["setup", "teacher", "split"]
    sums = episodes.groupby([*keys, "seed"], observed=True)[["solved", "solvable"]].sum()
    rate = sums["solved"] / sums["solvable"]
    return rate.groupby(level=keys, observed=True).std().rename("std").reset_index()


def table10(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by difficulty; for the overall rate also the standard deviation over seeds."""
    episodes = episodes.query("variant == 'main'")
    found = {"overall": measures.cells(episodes, "overall_sr")}
    for difficulty in measures.DIFFICULTIES:
        found[difficulty] = measures.cells(episodes[episodes["difficulty"] == difficulty], "overall_sr")
    rows = [
        {"setup": setup, "teacher": teacher, "split": split, "difficulty": difficulty}
        | _columns(_estimate(in_class, "main", setup, teacher, split))
        for setup, teacher, split in GRID
        for difficulty, in_class in found.items()
    ]
    keys = ("setup", "teacher", "split", "difficulty")
    spread = _seed_std(episodes).assign(difficulty="overall").astype(dict.fromkeys(keys, object))
    table = pd.DataFrame(rows).merge(spread, on=list(keys), how="left")
    return _beside(table, papers.table("how2_table10"), keys, {"success_rate": "paper", "std": "paper_std"})


def table5(judged: pd.DataFrame) -> pd.DataFrame:
    """Share of a model teacher's answers that the judge calls valid; ``judged``: records of that study."""
    answers = judged.assign(valid=judged["success"].astype(float))
    found = stats.cells(answers, stats.rate("valid"), by=("teacher",), cluster="task")
    rows = [{"teacher": t} | _columns(found.estimate({(t,): 1.0})) for t in TEACHERS]
    return _beside(rows, papers.table("how2_table5"), ("teacher",), {"llm_judge_validation": "paper"})


def table6(episodes: pd.DataFrame) -> pd.DataFrame:
    """Ablations of How2, high split, mean over teachers, and each one's difference from the main runs.

    The paper's row is labelled "-curriculum" (and "removing" in the caption) while its appendix C.2 describes
    adding one; ours adds it, and stands beside that row.
    """
    rows = []
    for metric in ("success_rate", "avg_intervention_rate"):
        found = measures.cells(episodes, metric)
        for label, variant in VARIANTS.items():
            keys: list[Key] = [(variant, "how2", teacher, "high") for teacher in TEACHERS]
            change = found.estimate(difference(keys, [("main", *key[1:]) for key in keys]))
            rows.append(
                {"variant": variant, "metric": metric, "paper_row": label}
                | _columns(found.mean(keys))
                | {"change": change.value, "change_low": change.low, "change_high": change.high}
            )
    paper = papers.table("how2_table6").rename(columns={"variant": "paper_row"})
    return _beside(rows, paper, ("paper_row", "metric"), {"value": "paper"})


def statuses(episodes: pd.DataFrame) -> pd.DataFrame:
    """How the episodes of every condition ended: number by status (zeros shown) and by end reason."""
    by = episodes.groupby(list(measures.CELL), observed=True)
    status = by["status"].value_counts().unstack(fill_value=0).reindex(columns=list(STATUSES), fill_value=0)
    ends = by["reason"].value_counts().unstack(fill_value=0)
    ends = ends.drop(columns=[c for c in ends if c in STATUSES]).add_prefix("ended_")
    return by.size().rename("episodes").to_frame().join(status).join(ends).reset_index()


def success_by_first_read(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 4: success (solvable examples) by when read_memory was first called; Just Ask, both splits."""
    episodes = episodes.query("variant == 'main' and setup == 'just_ask'")
    labels = ("No call", "1st", "2nd", ">=3rd")
    position = episodes["first_read"].fillna(0).clip(0, 3).astype(int)
    episodes = episodes.assign(first_read=[labels[i] for i in position])
    found = measures.cells(episodes, "overall_sr", by=("teacher", "first_read"))
    rows = [
        {"teacher": t, "first_read": label} | _columns(found.estimate({(t, label): 1.0}))
        for t in TEACHERS
        for label in labels
    ]
    return pd.DataFrame(rows)


def _capped(counts: pd.Series) -> pd.Series:
    return counts.clip(0, 2).astype(int).map({0: "0", 1: "1", 2: ">1"})


def by_misses_and_hits(episodes: pd.DataFrame, split: str = "high") -> pd.DataFrame:
    """Figures 5 and 8: success (a correct "impossible" counts) and episodes by cache misses and hits."""
    episodes = episodes.query("variant == 'main' and split == @split")
    episodes = episodes.assign(
        cache_misses=_capped(episodes["cache_misses"]), cache_hits=_capped(episodes["cache_hits"])
    )
    keys = ("teacher", "setup", "cache_misses", "cache_hits")
    found = measures.cells(episodes, "success_all", by=keys)
    counts = ("0", "1", ">1")
    rows = [
        dict(zip(keys, cell, strict=True)) | _columns(found.estimate({cell: 1.0}))
        for cell in ((t, s, m, h) for t in TEACHERS for s in SETUPS[1:] for m in counts for h in counts)
        if cell[1] != "just_ask" or cell[3] == "0"
    ]
    paper = papers.table("how2_fig8").assign(success_rate_pct=lambda p: p["success_rate_pct"] / 100)
    renamed = {"success_rate_pct": "paper", "count": "paper_n", "reading": "paper_reading"}
    return _beside(rows, paper, keys, renamed)


def learning(episodes: pd.DataFrame, split: str = "high", bins: int = 6) -> pd.DataFrame:
    """Not in the paper: success and interventions as a stream goes on, mean over teachers.

    ``axis`` "episodes" is the position in the stream (``bins`` equal parts, ``x`` the middle of each, counted
    in episodes); "encounters" is how often the target had been met before (the last bin: so often or more).
    """
    episodes = episodes.query("variant == 'main' and split == @split")
    length = episodes["index"].max() + 1 if len(episodes) else 1
    seen = (episodes["index"] * bins // length + 0.5) * length / bins
    met = episodes.sort_values("index").groupby(["condition", "seed", "target"], observed=True).cumcount()
    rows = []
    for axis, x in {"episodes": seen, "encounters": met.clip(upper=bins - 1).astype(float)}.items():
        for metric in ("success_rate", "avg_intervention_rate"):
            found = measures.cells(episodes.assign(x=x), metric, by=("setup", "teacher", "x"))
            rows += [
                {"axis": axis, "metric": metric, "setup": setup, "x": point}
                | _columns(found.mean([(setup, t, point) for t in ("none", *TEACHERS)]))
                for setup in SETUPS
                for point in sorted(x.unique())
            ]
    numbers = dict.fromkeys(("x", "value", "low", "high", "n"), float)
    return pd.DataFrame(rows, columns=["axis", "metric", "setup", *numbers]).astype(numbers)
