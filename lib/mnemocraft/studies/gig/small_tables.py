"""Tables, claims and goals of the small real model in the kitchen (study: :mod:`.small`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd

from mnemocraft.studies import estimates
from mnemocraft.studies.claims import NOT_ASKED
from mnemocraft.studies.gig.measures import LABELS as METHOD_LABELS
from mnemocraft.studies.gig.measures import per_step
from mnemocraft.studies.gig.small import ADAPTER, ARMS, HELD, KNOWN_LONG, KNOWN_SHORT, MISLED, dishes
from mnemocraft.studies.small_model import alike, claim, judged
from mnemocraft.studies.small_player import KNOWN, UNKNOWN

RECORDED = ARMS[:13]
"""The arms whose recording is complete: notebook 09 has them played."""
LABELS = (
    METHOD_LABELS
    | {held: f"{METHOD_LABELS[method]}, held" for held, method in HELD.items()}
    | {MISLED: "GiG(+LD+wrong Exp)"}
    | {"gig": "GiG, lookahead (hardly taught)", "recap": "ReCAP (hardly taught)"}
)
LEAST = 0.5
"""The design's goal for all five known dishes with GiG or ReAct, set before anything was recorded."""
CELL = ("method", "items")
SHORT = "short"
"""All short dishes, known and unknown."""
SUMS = {KNOWN: (KNOWN_SHORT, KNOWN_LONG), SHORT: (KNOWN_SHORT, UNKNOWN)}
"""Two kinds of dishes together, in the layouts in which a method made all dishes of both."""
UNLIKE = {KNOWN_SHORT: "known_short_unlike", KNOWN: "known_unlike", SHORT: "short_unlike"}
"""Kinds of dishes, or two together, without kitchens like those that the model was shown; of all short ones,
with which experience is judged, without those like the bank's either. A kitchen (``task``, ``seed``) is like
another if it begins as that does, but for names (:func:`~mnemocraft.studies.small_model.alike`)."""
TABLE_10 = "holds without lookahead, by 15 points on Qwen3-30B (Table 10, no test)"
REACT = "against it on Qwen3-30B, 27 to 28 (Table 10), for it on Qwen3-235B, 90 to 74 (Tables 12, 7)"
RECAP = "holds, 27 to 17 on Qwen3-30B (Table 10), 90 to 71 on Qwen3-235B (Tables 12, 7; no test)"
LOOPS, LOOKAHEAD = "holds, with lookahead (Table 5, no test)", "holds (Table 5, no test)"
"""What the paper says of a claim."""


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from the study's records."""
    episodes = records.assign(passed=records["success"].astype(float))
    found = success(episodes)
    return {
        "known_dishes": found,
        "by_dish": by_dish(episodes),
        "goals_of_the_design": goals(found),
        "hypotheses": judged(CLAIMS, _by_items(episodes), CELL, "seed", "layouts"),
        "statuses": estimates.statuses(episodes, CELL),
        "conduct": conduct(episodes),
    }


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Pass@1 by method and kind of dish, :data:`SUMS` and :data:`UNLIKE` too, with Wilson's interval over
    layouts."""
    keys = [*ARMS, *((method, both) for both in (*SUMS, *UNLIKE.values()) for method in LABELS)]
    return estimates.clustered(_by_items(episodes), CELL, "seed", "layouts", keys)


def by_dish(episodes: pd.DataFrame) -> pd.DataFrame:
    """Pass@1 by dish and method, and how many of the ``n`` episodes ended with a full dialogue."""
    by = ["task", "method"]
    order = [dish for kind in (KNOWN_SHORT, KNOWN_LONG, UNKNOWN) for dish in dishes(kind)]
    episodes = episodes.sort_values("task", key=lambda tasks: tasks.map(order.index), kind="stable")
    full = episodes["reason"].eq("dialogue_full").groupby([episodes[name] for name in by], sort=False).sum()
    return estimates.rates(episodes, by).assign(dialogue_full=full.to_numpy())


def _by_items(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes for their kind of dish and, once more, for each of :data:`SUMS` that they are in, and for
    :data:`UNLIKE`."""
    found = [episodes]
    for both, kinds in SUMS.items():
        rows = episodes[episodes["items"].isin(kinds)]
        made = rows.groupby(["method", "seed"])["task"].transform("nunique")
        found.append(rows[made == sum(len(dishes(kind)) for kind in kinds)].assign(items=both))
    every = pd.concat(found, ignore_index=True)
    begun = every.set_index(["task", "seed"]).index
    for kind, name in UNLIKE.items():
        like = alike(ADAPTER) if kind == SHORT else alike(ADAPTER).query("of == 'lesson'")
        unlike = ~begun.isin(pd.MultiIndex.from_frame(like[["task", "seed"]]))
        found.append(every[unlike & (every["items"] == kind)].assign(items=name))
    return pd.concat(found, ignore_index=True)


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """How the arms went about it: means an episode of calls, steps and tokens read, and
    :func:`~mnemocraft.studies.gig.measures.per_step`."""
    means = estimates.conduct(episodes, CELL, ["calls", "steps"])
    return means.join(per_step(episodes, CELL), on=list(CELL))


def goals(found: pd.DataFrame) -> pd.DataFrame:
    """Rows of :func:`success` for all known dishes with GiG and ReAct, and whether each has ``met`` the goal.

    The goal asks for one of the two. What is not played has NaN and n = 0.
    """
    cells = [(method, items) for items in (KNOWN, UNLIKE[KNOWN]) for method in ("gig_ld", "react")]
    rows = found.set_index([*CELL]).reindex(pd.MultiIndex.from_tuples(cells, names=CELL)).reset_index()
    rows = rows.fillna({"n": 0, "layouts": 0}).astype({"n": int, "layouts": int})
    asked = f"at least {LEAST:.0%} of the known dishes with GiG(+LD) or ReAct"
    told = asked + rows["items"].map({KNOWN: "", UNLIKE[KNOWN]: ", without kitchens like those it was shown"})
    return rows.assign(goal=told, met=[estimates.met(row, LEAST) for _, row in rows.iterrows()])


def full_dialogues(found: pd.DataFrame) -> str:
    """A sentence on dishes that did not fit into a dialogue, from :func:`by_dish`."""
    rows = found[found["dialogue_full"] > 0]
    if rows.empty:
        return "No episode ended because its dialogue was full."
    told = (
        f"{LABELS[row['method']]} {row['dialogue_full']} of {row['n']} ({row['task']})"
        for _, row in rows.iterrows()
    )
    return f"Episodes that ended because the dialogue was full, by dish: {', '.join(told)}."


def named(table: pd.DataFrame) -> pd.DataFrame:
    """A table for reading: methods by their names, kinds of dishes in words, numbers with three digits."""
    words = {"^short_unlike": "short, unlike lessons and bank", "_unlike": ", unlike lessons", "_": " "}
    return table.replace({"method": LABELS}).replace({"items": words}, regex=True).round(3)


def reading(found: pd.DataFrame, column: str = "items") -> pd.DataFrame:
    """:func:`success` for reading: a row a method, a column a kind of dish; or :func:`by_dish`, a column a
    ``task``."""
    told = named(found.assign(text=found.apply(estimates.counted, axis=1)))
    return estimates.wide(told, ["method"], [column]).fillna("not played")


_claim = partial(claim, whole=KNOWN_SHORT, parts={})
"""Of short known dishes."""
HELD_TO = "makes more short known dishes if held to the valid actions than if free"
CLAIMS = (
    _claim("state", "GiG(+LD) makes more short known dishes than ReAct", "gig_ld", "react", REACT),
    replace(
        _claim("state", "GiG(+LD) makes more short known dishes than ReCAP", "gig_ld", "recap", RECAP),
        unfit="the model was hardly taught to write ReCAP's answers",
    ),
    _claim("decoding", f"GiG(+LD) {HELD_TO}", "gig_ld_held", "gig_ld", NOT_ASKED),
    _claim("decoding", f"ReAct {HELD_TO}", "react_held", "react", NOT_ASKED),
    _claim(
        "loops",
        "GiG without lookahead makes more short known dishes with loop detection",
        "gig_ld",
        "gig_plain",
        LOOPS,
    ),
    claim(
        "experience",
        "GiG(+LD) makes more short dishes with experience",
        "gig_ld_exp",
        "gig_ld",
        TABLE_10,
        SHORT,
        {KNOWN: KNOWN_SHORT, UNKNOWN: UNKNOWN},
    ),
    claim(
        "experience",
        "GiG(+LD) makes more short dishes with experience than with another dish's",
        "gig_ld_exp",
        MISLED,
        NOT_ASKED,
        SHORT,
        {KNOWN: KNOWN_SHORT, UNKNOWN: UNKNOWN},
    ),
    replace(
        _claim(
            "lookahead", "GiG(+LD) makes more short known dishes with lookahead", "gig", "gig_ld", LOOKAHEAD
        ),
        unfit="the model was hardly taught with lookahead",
    ),
)
"""Written down before anything was recorded, like the arms; all but that about another dish's experience
before anything was trained. Some were worded anew afterwards. Only the last asks a simulator. Experience is
added to loop detection, as in the paper's Table 10; loop detection, which the paper adds to lookahead
(Table 5), to neither."""
