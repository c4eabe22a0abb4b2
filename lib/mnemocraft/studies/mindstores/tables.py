"""Tables and claims of notebook 06: ours beside the paper's.

A *game* is a trial of a task with a seed; every player of a part plays the same games. Rates are fractions,
with Wilson's intervals; claims are clustered by task.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mnemocraft import stats
from mnemocraft.runs.study import FAILURES
from mnemocraft.stats import Key, difference, rate
from mnemocraft.studies import claims, papers
from mnemocraft.studies.claims import AGAINST, ALL, NOT_ASKED, Claim
from mnemocraft.studies.deps.load import GROUPS, LEVEL_OF, LEVELS
from mnemocraft.studies.deps.measures import AVERAGE, with_average
from mnemocraft.studies.estimates import NUMBERS, in_order, means, rates
from mnemocraft.studies.mindstores.load import (
    CONTROLS,
    DEPS,
    FRESH,
    FULL,
    NEIGHBOURS,
    OVERWORLD,
    PLAYERS,
    SHARED,
)
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks

CELL = ("part", "player")
COUNTS = (
    "calls", "rounds", "recalled", "insights", "predictions", "revisions", "goals", "failed_goals", "entries"
)  # fmt: skip
PRINTED = {"MINDSTORES": "mindstores", "DEPS": DEPS}
"""Our player by the name in ``data/papers/``."""


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with ``item``, ``trial``, ``group``, ``passed``, ``plans``, ``prompt`` and counts.

    ``plans`` are those carried out: a dialogue that became too long ends before another one. ``group`` is NaN
    for skills that are no task.
    """
    episodes = records.reindex(columns=list(dict.fromkeys([*records.columns, *COUNTS])))
    item = episodes["task"].str.partition("/")[0]
    prompt = episodes.filter(regex=r"^tokens_.*_prompt$").sum(axis=1).astype(float)
    group_of = {task.key: task.group for task in minecraft_tasks()}
    counts = {name: episodes[name].astype(float).fillna(0) for name in COUNTS}
    return episodes.assign(
        item=item,
        trial=episodes["task"].str.partition("/")[2].astype(int),
        group=item.map(group_of),
        passed=episodes["success"].astype(float),
        prompt=prompt,
        plans=counts["rounds"] + ~episodes["reason"].isin(("dialogue_full", "no_answers", *FAILURES)),
        **counts,
    )


def _part(episodes: pd.DataFrame, part: str) -> pd.DataFrame:
    return episodes[episodes["part"] == part]


def table2(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by task of MindStores and DEPS, beside the paper's 53 rows."""
    paper = papers.table("mindstores_table2").assign(paper=lambda table: table["success_rate"] / 100)
    paper["player"] = paper["method"].map(PRINTED)
    ours = rates(_part(episodes, FRESH).assign(task=lambda table: table["item"]), ["task", "player"])
    table = paper.merge(ours, on=["task", "player"], how="left")
    table["n"] = table["n"].fillna(0).astype(int)
    return table[["meta_task", "name", "task", "player", *NUMBERS, "paper", "note"]]


def table4(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by meta-task of every player with a memory for each task, beside the paper's two."""
    ours = rates(with_average(_part(episodes, FRESH)), ["player", "group"])
    paper = papers.table("mindstores_table4").rename(columns={"meta_task": "group"})
    name = paper["method"].str.partition(" ")[0].map(PRINTED)
    paper = paper.assign(player=name, paper=paper["success_rate"] / 100)[["player", "group", "paper"]]
    means = paper.groupby("player", as_index=False)["paper"].mean().assign(group=AVERAGE)
    table = ours.merge(pd.concat([paper, means]), on=["player", "group"], how="left")
    return _labelled(table, FRESH)


def neighbours(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 5: success against k where all tasks share one memory; k = 0 is DEPS."""
    of = {DEPS: 0} | {f"k{k}": k for k in NEIGHBOURS[1:]}
    mine = (
        with_average(_part(episodes, SHARED))
        .assign(k=lambda table: table["player"].map(of))
        .dropna(subset="k")
    )
    table = rates(mine.astype({"k": int}), ["group", "k"])
    return in_order(table, {"group": (*GROUPS, AVERAGE), "k": NEIGHBOURS})


def controls(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by meta-task with other memories, where all tasks share one, and what these handed out.

    ``recalled`` are entries an episode; ``handed`` is the share of episodes with any.
    """
    kept = _part(episodes, SHARED)
    mine = with_average(kept[kept["player"].isin([DEPS, FULL, *CONTROLS])])
    mine["handed"] = (mine["recalled"] > 0).astype(float)
    told = mine.groupby(["player", "group"])[["recalled", "handed"]].mean().reset_index()
    table = rates(mine, ["player", "group"]).merge(told, on=["player", "group"])
    return _labelled(table, SHARED)


def curve(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by trial: what the memory of the trials before is good for."""
    mine = episodes[episodes["part"].isin((FRESH, SHARED))]
    table = rates(mine.assign(trial=mine["trial"] + 1), [*CELL, "trial"])
    return table.sort_values([*CELL, "trial"], ignore_index=True)


def abroad(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: success in the overworld by task, and the mean of its steps of 50 ms."""
    mine = _part(episodes, OVERWORLD).assign(group=lambda table: table["item"])
    both = with_average(mine)
    steps = both.groupby(["player", "group"])["steps"].mean().rename("steps").reset_index()
    table = rates(both, ["player", "group"]).merge(steps, on=["player", "group"])
    labels = table["player"].map({name: player.label for name, player in PLAYERS[OVERWORLD].items()})
    return table.assign(label=labels).rename(columns={"group": "task"})


def table1(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's meta-tasks: tasks that it counts, tasks in its Table 2 and here, and steps allowed."""
    paper = papers.table("mindstores_table1")
    rows = papers.table("mindstores_table2").query("method == 'DEPS'").groupby("meta_task").size()
    played = _part(episodes, FRESH).groupby("group")["item"].nunique()
    steps = {task.group: task.max_steps for task in minecraft_tasks()}
    meta = paper["meta_task"]
    return paper.assign(
        in_table2=meta.map(rows),
        played=meta.map(played).fillna(0).astype(int),
        our_max_steps=meta.map(steps),
    )


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: means an episode of calls, what was recalled and predicted, and tokens read."""
    return means(episodes, CELL, [*COUNTS, "prompt", "steps"])


def _labelled(table: pd.DataFrame, part: str) -> pd.DataFrame:
    names = {name: player.label for name, player in PLAYERS[part].items()}
    table = in_order(table, {"player": list(names), "group": (*GROUPS, AVERAGE)})
    shown = [name for name in (*NUMBERS, "paper", "recalled", "handed") if name in table]
    return table.assign(label=table["player"].map(names))[["player", "label", "group", *shown]]


MENDS, FORESEES = "remembered outcomes mend beliefs", "foresees what is remembered"
EXPLAINS = "an explanation mends a belief"
NO_TEST = "holds (5.1, Table 2, no test)"
NO_RESULT = "announced (4.4, No Experience), no result"


def _over(part: str, one: str, other: str, level: str = ALL) -> dict[Key, float]:
    return difference([(part, one, level)], [(part, other, level)])


def _claim(part: str, one: str, other: str, text: str, said: str = NOT_ASKED, assumed: str = "") -> Claim:
    """A claim on all tasks; ``parts`` are the easy and the hard ones."""
    levels = {level: _over(part, one, other, level) for level in LEVELS} if part != OVERWORLD else {}
    weights = _over(part, one, other)
    return Claim(f"{part} memory", text, "success", weights, said, rates=True, parts=levels, assumed=assumed)


def _against(others: Sequence[str], text: str, assumed: str) -> Claim:
    """A claim on other memories together; ``parts`` are these memories."""
    weights = difference([(SHARED, FULL, ALL)], [(SHARED, other, ALL) for other in others])
    parts = {f"{AGAINST}{other}": _over(SHARED, FULL, other) for other in others}
    return Claim(
        "shared memory", text, "success", weights, NOT_ASKED, rates=True, parts=parts, assumed=assumed
    )


CLAIMS = (
    _claim(FRESH, "mindstores", DEPS, "MindStores solves more than DEPS", NO_TEST, MENDS),
    _claim(FRESH, "mindstores", "unaided", "MindStores solves more than with all its calls but no memory",
           NO_RESULT, MENDS),
    _claim(FRESH, "mindstores", "more_rounds", "MindStores solves more than DEPS with more rounds",
           assumed=MENDS),
    _claim(FRESH, "mindstores", "no_prediction", "predicting outcomes solves more than not predicting them",
           "holds (Table 4, where the other arm is DEPS, without a memory; no test)", FORESEES),
    _claim(FRESH, "mindstores", "single_shot",
           "up to three plans, foreseen and corrected, solve more than one",
           "announced in part (4.4, of what comes before acting), no result", EXPLAINS),
    _claim(SHARED, FULL, DEPS, "one memory for all tasks solves more than none",
           "not in the paper (5.4 carries a memory on and compares steps)", MENDS),
    _against(("shuffled", "random"), "what is nearest solves more than other content of the memory", MENDS),
    _claim(SHARED, FULL, "bm25", "nearness of embeddings solves more than shared words"),
    _claim(SHARED, "k20", "k1", "20 neighbours solve more than one",
           "rises in simple tasks (Figure 5, a picture); 5 is best (4.1)", MENDS),
    _claim(OVERWORLD, "mindstores", DEPS, "in the overworld MindStores solves more than DEPS", assumed=MENDS),
)  # fmt: skip
"""``success`` is by part, player and level."""


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The claims on prepared episodes (:func:`~mnemocraft.studies.claims.judge`), by task."""
    mine = episodes[episodes["part"].isin((FRESH, SHARED, OVERWORLD))]
    both = pd.concat([mine.assign(level=ALL), mine.assign(level=mine["group"].map(LEVEL_OF))])
    measured = {"success": stats.cells(both, rate("passed"), (*CELL, "level"), cluster="item")}
    return claims.judge(CLAIMS, measured, "tasks", _printed_cells(), claims.players(episodes))


def _printed_cells() -> dict[tuple[str, Key], float]:
    """The paper's success by player and level, means over its 53 rows."""
    rows = papers.table("mindstores_table2")
    rows = rows.assign(player=rows["method"].map(PRINTED), rate=rows["success_rate"] / 100)
    return {
        ("success", (FRESH, str(player), level)): float(
            mine.loc[mine["meta_task"].isin(groups), "rate"].mean()
        )
        for level, groups in {ALL: GROUPS, **LEVELS}.items()
        for player, mine in rows.groupby("player")
    }
