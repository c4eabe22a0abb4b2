"""What notebook 04 found and what it can decide, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from IPython.display import Markdown

from mnemocraft.paths import NO_MODEL
from mnemocraft.stats import UNDECIDED
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.deps.selectors.sweep import LABELS, STEM
from mnemocraft.studies.deps.selectors.tables import REGISTERED, TESTED, printed_gains
from mnemocraft.studies.findings import Played, gather, points

Tables = Mapping[str, pd.DataFrame]
CONFIRMED, FIRST = 400, 5000
"""Worlds of the registered run, and the first of them; the sighted controller plays."""


def findings(played: Played) -> list[str]:
    """About five lines on the first controller that acted."""
    return gather(played, (_most, _fewer, _growth, _lengths, _oracle, _undecided))


def planned(worlds: int) -> pd.DataFrame | Markdown:
    """What a run of so many worlds can decide, from the tables that came with the project.

    A claim whose gain in the paper is more than what the rival leaves cannot be decided either.
    """
    plan = shipped.planned(STEM, NO_MODEL, "worlds", worlds)
    pilot = shipped.shipped(STEM)[1].get(NO_MODEL, {})
    if isinstance(plan, Markdown) or "figure4" not in pilot:
        return plan
    room = _room(pilot).to_list()
    asked = plan["paper_effect"][: len(room)]  # the first claims are the gains over fixed order
    too_much = (asked > room) & plan["this run"].str.startswith("can ")
    told = [f"cannot be decided here: fixed order leaves {100 * left:.0f} points" for left in room]
    plan.loc[too_much[too_much].index, "this run"] = [
        t for t, much in zip(told, too_much, strict=False) if much
    ]
    return plan


def _room(found: Tables) -> pd.Series:
    """The most that can be gained over fixed order, by number of goals."""
    table = found["figure4"].query("selector == 'fixed' and length == @most", local_dict={"most": TESTED})
    return 1 - table.drop_duplicates("number").set_index("number")["value"]


def _judged(found: Tables) -> pd.DataFrame:
    """The claims on the first controller, in the order of their registration."""
    table = found["hypotheses"]
    return table[table["hypothesis"].str.endswith(table["hypothesis"].str.split(", ").str[-1].iloc[0])]


def _versus(found: Tables, goals: int) -> pd.DataFrame:
    """The claims with so many goals, over fixed and random order."""
    judged = _judged(found)
    return judged[judged["claim"].str.startswith(f"with {goals} ")]


def _over(rows: pd.DataFrame) -> str:
    told = (
        f"{points(row)} over {LABELS[name]} (**{row['verdict']}**)"
        for name, (_, row) in zip(REGISTERED, rows.iterrows(), strict=True)
    )
    return " and ".join(told)


def _most(_: str, found: Tables) -> str:
    rows = _versus(found, 4)
    worlds = int(rows["worlds"].iloc[0])
    return (
        f"With four goals and {TESTED:,} steps the horizon head gains {_over(rows)}, in {worlds} pairs of "
        f"episodes, one in each of {worlds} worlds."
    )


def _fewer(_: str, found: Tables) -> str:
    room = 100 * _room(found)[2]
    return (
        f"With three goals it gains {_over(_versus(found, 3))}, with two {_over(_versus(found, 2))}; "
        f"fixed order already solves {100 - room:.0f} % with two, so that no gain above {room:.0f} "
        "points is possible."
    )


def _growth(_: str, found: Tables) -> str:
    row = _judged(found).iloc[-1]
    over_fixed = _judged(found).iloc[: len(printed_gains())]
    possible = over_fixed["paper_effect"].to_numpy() <= _room(found).to_numpy()
    outside = int((over_fixed["size"][possible] == "excludes").sum())
    inside = {"contains": "lies inside", "excludes": "lies outside"}.get(row["size"], "is not tested against")
    return (
        f"The gain over fixed order is {points(row)} larger with four goals than with two "
        f"(**{row['verdict']}**); the paper's {100 * row['paper_effect']:.1f} {inside} this interval. Of "
        f"the paper's gains over fixed order that are possible here {outside} of {possible.sum()} lie "
        "outside ours."
    )


def _lengths(_: str, found: Tables) -> str:
    """At which length the gain is largest; claims are about one length alone."""
    gains = found["gains"].query("one == 'horizon' and other == 'fixed'")
    gains = gains[gains["controller"] == gains["controller"].iloc[0]]
    best = gains.loc[gains.groupby("number")["value"].idxmax()]
    told = ", ".join(
        f"{row['number']} goals {points(row, 'value')} after {row['length']:,} steps"
        for _, row in best.iterrows()
    )
    apart = best["length"].is_unique
    where = "another length for each number of goals" if apart else "these lengths"
    return (
        f"The gain over fixed order is largest at {where} ({told}; looked at afterwards, not tested), so "
        f"that what holds at {TESTED:,} steps need not hold at others."
    )


def _oracle(_: str, found: Tables) -> str:
    gains = found["gains"]
    row = gains[(gains["length"] == TESTED) & (gains["one"] == "nearest") & (gains["other"] == "fixed")]
    row = row[row["number"] == row["number"].max()].iloc[0]
    return (
        f"An oracle that takes the goal with the shortest way gains {points(row, 'value')} over fixed order "
        "with four goals."
    )


def _undecided(_: str, found: Tables) -> str:
    judged = _judged(found)
    open_ones, worlds = judged[judged["verdict"] == UNDECIDED], int(judged["worlds"].max())
    least, who = 100 * judged["detectable"], judged["hypothesis"].str.endswith(", sighted").all()
    run = (
        f"These are the {CONFIRMED} worlds of the registered run"
        if who and (worlds, found["sights"]["world"].min()) == (CONFIRMED, FIRST)
        else f"This is no confirmation, which takes the {CONFIRMED} registered worlds"
    )
    power = (
        f"To show in four of five runs of {worlds} worlds a difference must be at least {least.min():.0f} to "
        f"{least.max():.0f} points, by claim. "
    )
    power = power if least.notna().any() else ""
    return f"Undecided: {len(open_ones)} of {len(judged)} claims. {power}{run}."
