"""What notebook 08 computed, in facts made from its tables, none of them tested."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies.findings import Played
from mnemocraft.studies.gig.scaling.spending import PAPER_CROSSOVER
from mnemocraft.studies.gig.scaling.tables import BRANCHING, FACTORS, LONGEST, OBSERVATION, SYSTEM

Tables = Mapping[str, pd.DataFrame]
OUTPUTS = (500, 4000)
"""Lengths of answers whose crossings are told."""


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; a table that is missing says nothing."""
    algebra = next((tables for tables in played.values() if "crossovers" in tables), {})
    lines = [_needed(algebra), _crossings(algebra), _orders(algebra)]
    for model, tables in played.items():
        lines += [_lengths(model, tables), _pairs(model, tables)]
    undecided = (
        "Nothing is tested here: how long a language model's answers are decides, and none has answered."
    )
    if not all(map(is_surrogate, played)):
        undecided = "Nothing is tested here: the formulas are given, and the lengths decide."
    return [line for line in (*lines, undecided) if line]


def _needed(tables: Tables) -> str:
    if "paper_crossover" not in tables:
        return ""
    output = tables["paper_crossover"]["output_per_observation"]
    return (
        f"Computed: the paper's {PAPER_CROSSOVER} steps at {BRANCHING} valid actions hold if an answer is "
        f"as long as {output.min():.1f} to {output.max():.1f} observations; with shorter ones GiG pays later."
    )


def _crossings(tables: Tables) -> str:
    """Where formulas say that GiG becomes cheaper, and by how much."""
    if "crossovers" not in tables:
        return ""
    rows = tables["crossovers"].query("branching == @BRANCHING", local_dict={"BRANCHING": BRANCHING})
    steps = ["output", *(f"below_1_{factor}" for factor in FACTORS)]
    told = "; ".join(
        f"from {less:.0f} steps on less, from {tenth:.0f} on a tenth, from {hundredth:.0f} on a hundredth "
        f"with answers of {output:.0f} tokens"
        for output, less, tenth, hundredth in rows[steps].itertuples(index=False, name=None)
        if output in OUTPUTS
    )
    return (
        f"Computed for a system message of {SYSTEM} tokens, observations of {OBSERVATION} and {BRANCHING} "
        f"valid actions, GiG costs, beside ReAct: {told}."
    )


def _orders(tables: Tables) -> str:
    """Whether the paper's orders of magnitude come within an episode of the benchmark."""
    if "crossovers" not in tables:
        return ""
    rows = tables["crossovers"].query("branching == @BRANCHING", local_dict={"BRANCHING": BRANCHING})
    told = []
    for factor, name in zip(FACTORS[1:], ("a tenth", "a hundredth"), strict=True):
        within = rows.loc[rows[f"below_1_{factor}"] <= LONGEST, "output"]
        told.append(
            f"{name} of ReAct's cost with answers of {within.min():,.0f} tokens or more"
            if len(within)
            else f"{name} at none of these lengths, up to {rows['output'].max():,.0f}"
        )
    return (
        f"Computed: within {LONGEST} steps, after which the benchmark's longest task is stopped, GiG comes "
        f"to {', and to '.join(told)}."
    )


def _lengths(model: str, tables: Tables) -> str:
    if "lengths" not in tables:
        return ""
    rows = tables["lengths"]
    told = ", ".join(
        f"{row['output']:.0f} of {row['method']} ({row['mode']}, n = {row['episodes']} episodes)"
        for _, row in rows.iterrows()
    )
    why = "; answers of a fixed form, so that what follows from their length says nothing about models"
    return f"**{model}**: mean tokens of an answer: {told}{why * is_surrogate(model)}."


def _pairs(model: str, tables: Tables) -> str:
    """How often ReAct came to cost more within the episodes."""
    if "pairs" not in tables:
        return ""
    rows = tables["pairs"]
    return (
        f"**{model}**: in {rows['crossover'].notna().sum()} of {len(rows)} kitchens ReAct came to cost more "
        f"than GiG within the calls that both their episodes had, {rows['calls'].median():.0f} in the median."
    )
