"""A small real model in the kitchen (notebook 09): what is each part of GiG worth to it?

The model was shown half of the dishes, in layouts made for that (:mod:`mnemocraft.studies.gig.known`). Of the
others it has only seen that one does what an experience in the prompt did. Its answers are recorded; ``python
-m training.recording 09`` asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs.kitchen import HORIZONS
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.paths import PROFILES
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.stats import Key, difference, rate
from mnemocraft.studies import claims, estimates
from mnemocraft.studies.checks import check
from mnemocraft.studies.claims import ALL, Claim
from mnemocraft.studies.gig import sweep
from mnemocraft.studies.gig.known import known_dishes
from mnemocraft.studies.gig.load import memory_bank, task_facts, tasks
from mnemocraft.studies.gig.measures import COUNTS
from mnemocraft.studies.gig.measures import LABELS as METHOD_LABELS
from mnemocraft.studies.small_model import KNOWN, NOT_ASKED, UNKNOWN, brief

ADAPTER = "kitchen_gemma-3-270m"
"""Name of the model's adapter and of its recording."""
MODE = "sync"
"""What takes time makes prompts longer than the model is taught on."""
SHORT, LONG = "known_short", "known_long"
"""Known dishes of two kinds. A ReAct conversation about a long one does not fit into the model's context,
and a prompt with lookahead has more tokens than the model is taught on."""
SHORTEST_LONG = 50
"""Listed steps from which a dish is a long one; no unknown dish has so many."""
HELD = {"gig_ld_held": "gig_ld", "react_held": "react"}
"""Whose answers are held to the valid actions. ReCAP's are sub-tasks, which nothing lists."""
LABELS = METHOD_LABELS | {held: f"{METHOD_LABELS[method]}, held" for held, method in HELD.items()}
ARMS = (
    *((method, SHORT) for method in ("gig_ld", "react", *HELD, "gig_plain", "gig_ld_exp")),
    *((method, UNKNOWN) for method in ("gig_ld_exp", "gig_ld")),
    *((method, SHORT) for method in ("recap", "gig")),
    *((method, LONG) for method in ("gig_ld", "react")),
)
"""Who makes which dishes, in the order in which they are recorded."""
LAYOUTS = sweep.LAYOUTS[:24]
"""Four more than a test takes, by the rule of the paper's ten."""
LONGEST = 300
"""Tokens of an answer; the expert's longest in the first 18 lessons has 111."""
LEAST = 0.5
"""The design's goal for known dishes, short and long, with GiG or ReAct, set before anything was recorded."""
CELL = ("method", "items")
SUMS = {KNOWN: (SHORT, LONG), ALL: (SHORT, UNKNOWN)}
"""Two kinds of dishes together, where a method makes both."""
TABLE_1, TABLE_5 = "holds (Table 1, no test)", "holds (Table 5, no test)"
"""What the paper says of a claim."""


def dishes(items: str) -> tuple[str, ...]:
    """The synchronous tasks of a kind, in the benchmark's order."""
    return tuple(task for task in tasks(MODE) if _kind(task) == items)


def _kind(task: str) -> str:
    if task not in known_dishes():
        return UNKNOWN
    return SHORT if HORIZONS[task] < SHORTEST_LONG else LONG


def study(profile: str) -> Study:
    """A stream an arm and layout, of all dishes of the arm's kind; ``smoke`` has one of them in one layout.

    Raises:
        MnemocraftError: There is no such profile.
    """
    check("profile", profile, PROFILES)
    layouts, length = (LAYOUTS[:1], 1) if profile == "smoke" else (LAYOUTS, None)
    streams = tuple(
        Stream(condition(method, items), layout, dishes(items)[:length])
        for method, items in ARMS
        for layout in layouts
    )
    return Study(sweep.STEM, streams, start, fingerprint(start, sweep.DATA))


def condition(method: str, items: str) -> Condition:
    """One condition; its id reads ``small/method/items``."""
    settings = sweep.condition(HELD.get(method, method), MODE).settings
    own = {"method": method, "held": method in HELD, "items": items}
    return Condition(f"small/{method}/{items}", settings | own)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; with experience its memory holds the bank, and grows on success."""
    choice, layout = stream.condition.settings, stream.seed
    method = choice["method"]
    return EpisodeStream(
        brief(METHODS[HELD.get(method, method)], LONGEST, choice["held"]),
        memory_bank(MODE) if choice["experience"] else NoMemory(),
        model,
        partial(sweep.begin, choice, layout),
        lambda task: task_facts(task, layout),
    )


# --- tables -----------------------------------------------------------------------------------------------


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from records of :func:`study`."""
    episodes = records.assign(passed=records["success"].astype(float))
    found = success(episodes)
    return {
        "known_dishes": found,
        "by_dish": estimates.rates(episodes, ["task", "method"]),
        "goals_of_the_design": goals(found),
        "hypotheses": hypotheses(episodes),
        "statuses": estimates.statuses(episodes, CELL),
        "conduct": conduct(episodes),
    }


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Pass@1 by method and kind of dish, with Wilson's interval over layouts; see :data:`SUMS`."""
    cells = _cells(_by_items(episodes))
    played = set(episodes[list(CELL)].itertuples(index=False, name=None))
    keys = [arm for arm in ARMS if arm in played]
    keys += [
        (method, both)
        for both, kinds in SUMS.items()
        for method in LABELS
        if {(method, kind) for kind in kinds} <= played
    ]
    return estimates.clustered(cells, CELL, keys, "layouts")


def _by_items(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes for their kind of dish and, once more, for each sum that it is in."""
    sums = [episodes[episodes["items"].isin(kinds)].assign(items=both) for both, kinds in SUMS.items()]
    return pd.concat([episodes, *sums], ignore_index=True)


def _cells(episodes: pd.DataFrame) -> stats.Cells:
    return stats.cells(episodes, rate("passed"), CELL, cluster="seed")


def goals(found: pd.DataFrame) -> pd.DataFrame:
    """Rows of :func:`success` for the known dishes with GiG and ReAct, and if they reach :data:`LEAST`."""
    rows = found[found["method"].isin(["gig_ld", "react"]) & found["items"].isin([SHORT, LONG, KNOWN])]
    met = rows["value"].ge(LEAST).map({True: "yes", False: "no"})
    return rows.assign(goal=f"at least {LEAST:.0%} of the dishes", met=met).reset_index(drop=True)


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Means an episode: steps, invalid answers, loops, experiences shown and followed, calls, tokens read."""
    prompt = episodes.filter(regex=r"^tokens_.*_prompt$").sum(axis=1)
    counts = episodes.reindex(columns=[*CELL, "steps", *COUNTS]).assign(prompt_tokens=prompt)
    return counts.groupby(list(CELL), sort=False).mean(numeric_only=True).round(2).reset_index()


def reading(found: pd.DataFrame) -> pd.DataFrame:
    """:func:`success` for reading: a row a method, a column a kind of dish."""
    named = found.assign(text=found.apply(estimates.counted, axis=1), method=found["method"].map(LABELS))
    return estimates.wide(named, ["method"], ["items"]).fillna("not played")


def _claim(
    hypothesis: str, text: str, one: str, other: str, paper: str, kinds: tuple[str, ...] = (SHORT,)
) -> Claim:
    """``one`` makes more dishes than ``other``: of one kind, or of both and of each as a part."""
    over: Mapping[str, dict[Key, float]] = {
        items: difference([(one, items)], [(other, items)]) for items in kinds
    }
    whole, *parts = kinds
    return Claim(
        hypothesis,
        text,
        "success",
        over[whole],
        paper,
        rates=True,
        parts={part: over[part] for part in parts},
    )


BOTH = (ALL, SHORT, UNKNOWN)
CLAIMS = (
    _claim("state", "GiG(+LD) makes more dishes than ReAct", "gig_ld", "react", NOT_ASKED),
    _claim("state", "GiG(+LD) makes more dishes than ReCAP", "gig_ld", "recap", NOT_ASKED),
    _claim("decoding", "GiG(+LD) makes more dishes held to the actions", "gig_ld_held", "gig_ld", NOT_ASKED),
    _claim("decoding", "ReAct makes more dishes held to the actions", "react_held", "react", NOT_ASKED),
    _claim("loops", "GiG makes more dishes with loop detection", "gig_ld", "gig_plain", NOT_ASKED),
    _claim("experience", "GiG(+LD) makes more dishes with experience", "gig_ld_exp", "gig_ld", TABLE_1, BOTH),
    _claim("lookahead", "GiG(+LD) makes more dishes with lookahead", "gig", "gig_ld", TABLE_5),
)
"""Written down before anything was trained or recorded, like the arms. Only the last asks a simulator. The
paper adds loop detection and experience to lookahead; here they are added where there is none."""


def hypotheses(episodes: pd.DataFrame) -> pd.DataFrame:
    """:data:`CLAIMS`, resampled by layout; NaN for what was not played."""
    cells = {"success": _cells(_by_items(episodes))}
    return claims.judge(CLAIMS, cells, "layouts", {}, claims.players(episodes)).drop(columns="metric")
