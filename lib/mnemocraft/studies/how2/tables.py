"""The paper's tables, measured on our records, with the paper's number in the column ``paper``.

Every function takes prepared episodes (:func:`~mnemocraft.studies.how2.measures.prepare`) and returns one row
a number (:mod:`~mnemocraft.studies.estimates`), its interval clustered by target.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.how2.settings import SETUPS, TEACHERS
from mnemocraft.envs.plancraft import example
from mnemocraft.stats import Cells, Estimate, Key, difference
from mnemocraft.studies import estimates, papers
from mnemocraft.studies.estimates import add_paper, grid, numbers
from mnemocraft.studies.how2 import measures
from mnemocraft.studies.how2.load import SPLITS

VARIANTS = {
    "how2": ("curriculum", "curriculum"),
    "-curriculum": ("main", "curriculum"),
    "+ask-first-policy": ("ask_first", "main"),
}
"""Rows of the paper's Table 6, the variant of ours beside each, and the one that this is a change of."""
KEYS = ("setup", "teacher", "split")
GRID = tuple(("base", "none", s) for s in SPLITS) + tuple(
    (setup, teacher, split) for setup in SETUPS[1:] for teacher in (*TEACHERS, "avg") for split in SPLITS
)
"""Rows of the paper's Tables 1, 9 and 10: :data:`KEYS`."""
OUTCOMES = ("overall_sr", "impossible_f1", "avg_cache_miss", "avg_intervention_rate")
SEEDS = ["split", "setup", "draws", "episodes", "lowest", "highest", "pairs", "same", "any"]
BINS = 6
"""Points of a learning curve."""


def _estimate(found: Cells, variant: str, setup: str, teacher: str, split: str) -> Estimate:
    """One row's estimate; teacher "avg" is the mean over the teachers, as in the paper."""
    teachers = TEACHERS if teacher == "avg" else (teacher,)
    return found.mean([(variant, setup, t, split) for t in teachers])


def _by_setup(found: dict[str, Cells], by: str, variant: str, splits: Sequence[str] = SPLITS) -> pd.DataFrame:
    """A row for each of the paper's and each of the cells, whose name stands in the column ``by``."""
    return pd.DataFrame(
        dict(zip(KEYS, row, strict=True)) | {by: name} | numbers(_estimate(cells, variant, *row))
        for row in GRID
        if row[2] in splits
        for name, cells in found.items()
    )


def _metrics(
    episodes: pd.DataFrame,
    metrics: Sequence[str],
    paper: str,
    variant: str = "main",
    splits: Sequence[str] = SPLITS,
) -> pd.DataFrame:
    found = {metric: measures.cells(episodes, metric) for metric in metrics}
    ours = _by_setup(found, "metric", variant, splits)
    return add_paper(ours, papers.table(paper), (*KEYS, "metric"), {"value": "paper"})


def table1(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success (solvable examples), impossible F1, cache misses and interventions (all examples)."""
    return _metrics(episodes, OUTCOMES, "how2_table1")


def table8(episodes: pd.DataFrame) -> pd.DataFrame:
    """Tokens of all roles (thousands an episode) and actions beyond the expert's in solved episodes."""
    return _metrics(episodes, ("token_usage_k", "action_efficiency"), "how2_table8")


def table9(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success (solvable examples) and the three kinds of error (as rates over all examples)."""
    errors = ("impossible_error", "max_steps_error", "eager_crafting_error")
    return _metrics(episodes, ("success_rate", *errors), "how2_table9")


def table11(episodes: pd.DataFrame) -> pd.DataFrame:
    """The variant without the think tool, high split; the paper's numbers are those of Qwen 3 32B."""
    return _metrics(episodes, OUTCOMES, "how2_table11", "no_think", ("high",))


def _seed_std(episodes: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation of the success rate between seeds (n - 1), NaN for fewer than two."""
    sums = episodes.groupby([*KEYS, "seed"], observed=True)[["solved", "solvable"]].sum()
    rate = sums["solved"] / sums["solvable"]
    return rate.groupby(level=list(KEYS), observed=True).std().rename("std").reset_index()


def table10(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by difficulty; for the overall rate also the standard deviation over seeds."""
    episodes = episodes.query("variant == 'main'")
    found = {"overall": measures.cells(episodes, "overall_sr")}
    for difficulty in measures.DIFFICULTIES:
        found[difficulty] = measures.cells(episodes[episodes["difficulty"] == difficulty], "overall_sr")
    keys = [*KEYS, "difficulty"]
    spread = _seed_std(episodes).assign(difficulty="overall").astype(dict.fromkeys(keys, object))
    table = _by_setup(found, "difficulty", "main").merge(spread, on=keys, how="left")
    printed = {"success_rate": "paper", "std": "paper_std"}
    return add_paper(table, papers.table("how2_table10"), keys, printed)


def seeds(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: what drawing the answers anew changes; solvable tasks of the main variant.

    Returns:
        One row a split and set-up, for all teachers together, if there are two ``draws`` (seeds) or more: the
        ``lowest`` and the ``highest`` success rate among them; of all ``pairs`` of episodes of one task and
        teacher with two seeds the share that ends the ``same`` way, and what that would be if ``any`` two
        episodes with that teacher were paired. A seed is an order of the tasks, too: a memory depends on it.
    """
    solvable = episodes.query("variant == 'main' and solvable > 0")
    rows = []
    for (split, setup), some in solvable.groupby(["split", "setup"], observed=True):
        rates = some.groupby("seed")["solved"].mean()
        pairs, same = _pairs(some, ["teacher", "task"])
        of_teacher, alike = _pairs(some, ["teacher"])
        if pairs.sum():
            weights = pairs.groupby("teacher", observed=True).sum()
            rows.append(
                {"split": split, "setup": setup, "draws": len(rates), "episodes": len(some)}
                | {"lowest": rates.min(), "highest": rates.max(), "pairs": int(pairs.sum())}
                | {"same": same.sum() / pairs.sum()}
                | {"any": (alike / of_teacher * weights).sum() / weights.sum()}
            )
    return pd.DataFrame(rows, columns=SEEDS)


def _pairs(episodes: pd.DataFrame, by: list[str]) -> tuple[pd.Series, pd.Series]:
    """How many pairs the episodes of each group make, and how many of these end in the same way."""
    groups = episodes.groupby(by, observed=True)["solved"]
    won, count = groups.sum(), groups.size()
    lost = count - won
    return count * (count - 1) / 2, (won * (won - 1) + lost * (lost - 1)) / 2


def table5(judged: pd.DataFrame) -> pd.DataFrame:
    """Share of a model teacher's answers that the judge calls valid; ``judged``: records of that study."""
    targets = [example(task).target for task in judged["task"]]
    answers = judged.assign(valid=judged["success"].astype(float), target=targets)
    found = stats.cells(answers, stats.rate("valid"), by=("teacher",), cluster="target")
    ours = grid(found, ("teacher",), [(teacher,) for teacher in TEACHERS])
    return add_paper(ours, papers.table("how2_table5"), ("teacher",), {"llm_judge_validation": "paper"})


def table6(episodes: pd.DataFrame) -> pd.DataFrame:
    """Ablations of How2, high split, mean over teachers, and the ``change`` that each one makes.

    The paper's own row has a curriculum order, which the second removes (caption; C.2: a curriculum improves
    success slightly). It is Table 1's, whose runs of ours are in random order: the second row, too, and what
    is asked first is a change of that.
    """
    rows = []
    for metric in ("success_rate", "avg_intervention_rate"):
        found = measures.cells(episodes, metric)
        for label, (variant, base) in VARIANTS.items():
            keys: list[Key] = [(variant, "how2", teacher, "high") for teacher in TEACHERS]
            change = found.estimate(difference(keys, [(base, *key[1:]) for key in keys]))
            rows.append(
                {"variant": variant, "metric": metric, "paper_row": label}
                | numbers(found.mean(keys))
                | {"change": change.value, "change_low": change.low, "change_high": change.high}
            )
    paper = papers.table("how2_table6").rename(columns={"variant": "paper_row"})
    return add_paper(pd.DataFrame(rows), paper, ("paper_row", "metric"), {"value": "paper"})


def statuses(episodes: pd.DataFrame) -> pd.DataFrame:
    """How the episodes of every condition ended."""
    by = list(measures.CELL)
    return estimates.statuses(episodes, by).astype(dict.fromkeys(by, object)).sort_values(by)


def success_by_first_read(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 4: success (solvable examples) by when read_memory was first called; Just Ask, both splits."""
    episodes = episodes.query("variant == 'main' and setup == 'just_ask'")
    labels = ("No call", "1st", "2nd", ">=3rd")
    position = episodes["first_read"].fillna(0).clip(0, 3).astype(int)
    episodes = episodes.assign(first_read=[labels[i] for i in position])
    by = ("teacher", "first_read")
    return grid(
        measures.cells(episodes, "overall_sr", by), by, [(t, name) for t in TEACHERS for name in labels]
    )


def _capped(counts: pd.Series) -> pd.Series:
    return counts.clip(0, 2).astype(int).map({0: "0", 1: "1", 2: ">1"})


def by_misses_and_hits(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figures 5 and 8, high split: success (a correct "impossible" counts) by cache misses and hits."""
    episodes = episodes.query("variant == 'main' and split == 'high'")
    episodes = episodes.assign(**{name: _capped(episodes[name]) for name in ("cache_misses", "cache_hits")})
    by, counts = ("teacher", "setup", "cache_misses", "cache_hits"), ("0", "1", ">1")
    keys = [(t, s, m, h) for t in TEACHERS for s in SETUPS[1:] for m in counts for h in counts]
    keys = [key for key in keys if key[1] != "just_ask" or key[3] == "0"]
    paper = papers.table("how2_fig8").assign(success_rate_pct=lambda p: p["success_rate_pct"] / 100)
    renamed = {"success_rate_pct": "paper", "count": "paper_n", "reading": "paper_reading"}
    return add_paper(grid(measures.cells(episodes, "success_all", by), by, keys), paper, by, renamed)


def learning(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: success and interventions as a stream goes on, high split, mean over teachers.

    ``axis`` "episodes" is the position in the stream (:data:`BINS` equal parts, ``x`` the middle of each,
    counted in episodes); "encounters" is how often the target had been met before (the last bin: so often or
    more).
    """
    episodes = episodes.query("variant == 'main' and split == 'high'")
    length = episodes["index"].max() + 1 if len(episodes) else 1
    seen = (episodes["index"] * BINS // length + 0.5) * length / BINS
    met = episodes.sort_values("index").groupby(["condition", "seed", "target"], observed=True).cumcount()
    rows = []
    for axis, x in {"episodes": seen, "encounters": met.clip(upper=BINS - 1).astype(float)}.items():
        for metric in ("success_rate", "avg_intervention_rate"):
            found = measures.cells(episodes.assign(x=x), metric, by=("setup", "teacher", "x"))
            rows += [
                {"axis": axis, "metric": metric, "setup": setup, "x": point}
                | numbers(found.mean([(setup, t, point) for t in ("none", *TEACHERS)]))
                for setup in SETUPS
                for point in sorted(x.unique())
            ]
    floats = dict.fromkeys(("x", *estimates.NUMBERS), float)
    return pd.DataFrame(rows, columns=["axis", "metric", "setup", *floats]).astype(floats)
