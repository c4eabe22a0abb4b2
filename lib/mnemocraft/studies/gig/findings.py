"""What notebook 09 found, in sentences made from its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
from IPython.display import Markdown

from mnemocraft import stats
from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import text
from mnemocraft.studies.findings import Played
from mnemocraft.studies.gig import small, small_tables, sweep
from mnemocraft.studies.gig.measures import LABELS
from mnemocraft.studies.gig.tables import UNIT
from mnemocraft.studies.small_player import KNOWN

Tables = Mapping[str, pd.DataFrame]
_effect = partial(shipped.effect, unit=UNIT)
CEILING = 0.95
"""Above it a success rate leaves no room for a difference."""


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; what was not run says nothing."""
    lines = []
    for model, tables in played.items():
        if "known_dishes" in tables:
            lines += _small(model, tables)
            continue
        claimed = tables.get("hypotheses", pd.DataFrame())
        if {"part", "pairs"} <= set(claimed):
            whole = claimed[(claimed["part"] == ALL) & claimed["effect"].notna()]
            lines += [*_leads(model, whole), _ceiling(model, tables), _experience(model, whole)]
            lines += [_undecided(model, whole)]
    return [line for line in lines if line]


def planned(model: str, profile: str, seeds: Sequence[int]) -> pd.DataFrame | Markdown:
    """What a profile can decide, from this model's tables that came with the project, or the surrogate's."""
    streams = sweep.study(profile, seeds).streams
    kitchens = {(task, stream.seed) for stream in streams for task in stream.tasks}
    return shipped.planned(sweep.STEM, model, UNIT, len(kitchens))


def _small(model: str, tables: Tables) -> list[str]:
    """Of the small model's study, which alone tells known from unknown dishes."""
    claims = tables["hypotheses"]
    return [
        _short_dishes(model, tables["known_dishes"], tables["statuses"]),
        _goal(model, tables["goals_of_the_design"]),
        f"`{model}`: {shipped.power_and_signs(claims)}{shipped.each(claims)}",
    ]


def _short_dishes(model: str, found: pd.DataFrame, ends: pd.DataFrame) -> str:
    """Success with short known dishes, a line a method, and where the kitchen is like none that was shown."""
    rows = found[found["items"] == small.KNOWN_SHORT]
    unlike = found[found["items"] == small_tables.UNLIKE[small.KNOWN_SHORT]].set_index("method")
    short_ends = ends[ends["items"] == small.KNOWN_SHORT].set_index("method")
    full = short_ends.get("ended_dialogue_full", pd.Series(dtype=int))
    told = []
    for _, row in rows.iterrows():
        method = row["method"]
        line = f"\n    - {small_tables.LABELS[method]} {text(row)}"
        line += f"; {text(unlike.loc[method])}" if method in unlike.index else ""
        number = int(full.get(method, 0))
        told.append(line + f"; {number} conversations outgrew the model's context" * (number > 0))
    where = f"{rows['n'].max()} kitchens ({rows['layouts'].max()} layouts, which the intervals count)"
    beside = f"; then in the {unlike['n'].max()} that do not begin like one it was shown" * (not unlike.empty)
    return f"`{model}`, Pass@1 with a short known dish in {where}{beside}:{''.join(told)}"


def _goal(model: str, goals: pd.DataFrame) -> str:
    known = goals[goals["items"] == KNOWN]
    told = "; ".join(
        f"{small_tables.LABELS[row['method']]} {row['met']}" + f", {text(row)}" * bool(row["n"])
        for _, row in known.iterrows()
    )
    return f"`{model}`, the goal ({known['goal'].iloc[0]}): {told}."


def _leads(model: str, whole: pd.DataFrame) -> list[str]:
    """GiG's leads, a line a mode; with a stand-in, what they follow from."""
    lines = []
    for hypothesis, rows in whole[whole["hypothesis"].isin(["GiG, sync", "GiG, async"])].groupby(
        "hypothesis", sort=False
    ):
        told = "; ".join(
            f"{row['claim'].split(' than ')[1].split(' in ')[0]} {_effect(row)}, {row['verdict']}"
            for _, row in rows.iterrows()
        )
        mode = str(hypothesis).split(", ")[1]
        lines.append(f"`{model}`: GiG's Pass@1 in {mode} kitchens minus that of {told}.")
    return lines


def _ceiling(model: str, tables: Tables) -> str:
    """Which methods solve nearly everything, so that nothing can be told apart."""
    table = tables.get("table1", pd.DataFrame(columns=["method", "value", "n"]))
    rows = table[table["value"] >= CEILING].drop_duplicates("method")
    if len(rows) < 2:
        return ""
    named = shipped.rates(rows, "method", LABELS)
    return (
        f"`{model}`: synchronous kitchens are at their ceiling (Pass@1: {named}; n = {rows['n'].min()} "
        "each), so that these methods cannot be told apart there."
    )


def _experience(model: str, whole: pd.DataFrame) -> str:
    rows = whole[whole["hypothesis"].isin(["experience", "plug-in"]) & (whole["metric"] == "pass_at_1")]
    told = "; ".join(f"{row['claim']}: {_effect(row)}, {row['verdict']}" for _, row in rows.iterrows())
    return f"`{model}`: {told}." if told else ""


def _undecided(model: str, whole: pd.DataFrame) -> str:
    """Which of the paper's effects these data could not have found; of a stand-in nothing is decided."""
    if whole.empty or is_surrogate(model):
        return ""
    asked = whole[whole["paper_effect"].abs() > 0]
    hidden = asked[asked["paper_effect"].abs() < asked["detectable"]]
    if whole[UNIT].max() < stats.MIN_CLUSTERS:
        return f"`{model}`: nothing can be decided below {stats.MIN_CLUSTERS} {UNIT}."
    if hidden.empty:
        known = asked["detectable"].notna().sum()
        told = f"{known} of the paper's {len(asked)} effects can be found in these {UNIT}"
        return f"`{model}`: {told}." if known else ""
    named = "; ".join(
        f"{row['claim']} (paper {row['paper_effect']:+.2f}, detectable {row['detectable']:.2f})"
        for _, row in hidden.iterrows()
    )
    return f"`{model}`: too small to be decided here: {named}."
