"""What notebook 01 found, in sentences made from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import nan

import pandas as pd

from mnemocraft import stats
from mnemocraft.figstyle import is_surrogate
from mnemocraft.stats import Estimate
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import over_clusters, text
from mnemocraft.studies.findings import Played, effect
from mnemocraft.studies.how2 import facts, judged
from mnemocraft.studies.how2.compare import in_order
from mnemocraft.studies.how2.load import SPLITS

Tables = Mapping[str, pd.DataFrame]
_effect = partial(effect, unit="targets")
ALONE = (("just_ask", "executable"), ("just_ask", "non-executable"), ("base", "none"))
"""Whose success a language model's first line tells: told every move, told in prose, told nothing."""


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; what was not run says nothing."""
    return [
        line
        for model, tables in in_order(played).items()
        for line in (_standin if is_surrogate(model) else _language_model)(model, tables)
        if line
    ]


def _language_model(model: str, tables: Tables) -> list[str]:
    return [
        _success(model, tables),
        *facts.of_relevance(model, tables),
        *judged.told(model, tables),
        _drawn_anew(model, tables),
        _judged(model, tables),
        _rests(model, tables),
    ]


def _success(model: str, tables: Tables) -> str:
    """What a model solves alone and with an answer, in every split that it played."""
    said = [line for split in SPLITS if (line := _solved(tables, split))]
    return f"**{model}** solves {'; '.join(said)}." if said else ""


def _solved(tables: Tables, split: str) -> str:
    if "table1" not in tables:
        return ""
    table = tables["table1"]
    rows = table[(table["metric"] == "overall_sr") & (table["split"] == split) & (table["n"] > 0)]
    cells = [rows[(rows["setup"] == setup) & (rows["teacher"] == teacher)] for setup, teacher in ALONE]
    if any(cell.empty for cell in cells):
        return ""
    claim = _claim(tables, "H1a", split)
    targets = 0 if claim is None else claim["targets"]
    told, prose, alone = (_rate(cell.iloc[0], targets) for cell in cells)
    on = f" on {targets} targets" if targets else ""
    return (
        f"{told} of the solvable tasks of the `{split}` split when it is told every move, {prose} when it is "
        f"told in prose, and {alone} without a teacher (n = {cells[0].iloc[0]['n']} episodes each{on})"
    )


def _rate(row: pd.Series, targets: int) -> str:
    """A rate for reading; where all of few targets agree, with Wilson's interval over them."""
    if pd.isna(row["low"]) and targets:
        found = Estimate(row["value"], nan, nan, nan, row["n"], targets, effective=targets)
        row = pd.Series(over_clusters(found, "targets"))
    return text(row)


def _claim(tables: Tables, hypothesis: str, part: str = ALL) -> pd.Series | None:
    """The first row of a hypothesis that was measured."""
    if "hypotheses" not in tables:
        return None
    table = tables["hypotheses"]
    rows = table[(table["hypothesis"] == hypothesis) & (table["part"] == part) & table["effect"].notna()]
    return None if rows.empty else rows.iloc[0]


def _judged(model: str, tables: Tables) -> str:
    """How many of a language model's claims ended how, and which could not be decided."""
    if "hypotheses" not in tables:
        return ""
    whole = tables["hypotheses"].query(f"part == '{ALL}' and effect.notna()")
    if whole.empty:
        return ""
    most = whole["targets"].max()
    if most < stats.MIN_CLUSTERS:
        return (
            f"None of the {len(whole)} claims can be decided with **{model}**: its tasks have {most} "
            f"targets, {_high(tables)} of them in `high`, and below {stats.MIN_CLUSTERS} nothing is tested."
        )
    ended = [
        f"{name}: {', '.join(row['hypothesis'] + ' ' + _effect(row) for _, row in rows.iterrows())}"
        for name, rows in whole.groupby("verdict", sort=False)
    ]
    return f"Of {len(whole)} claims with **{model}**: {'; '.join(ended)}."


def _high(tables: Tables) -> int:
    rows = tables["hypotheses"].query("part == 'high'")
    return int(rows["targets"].max())


def _rests(model: str, tables: Tables) -> str:
    """H1b in the split where it changes most without one target."""
    table = tables.get("one_target", pd.DataFrame(columns=["hypothesis", "part"]))
    rows = table[(table["hypothesis"] == "H1b") & (table["part"] != ALL)]
    if rows.empty:
        return ""
    row = rows.iloc[(rows["effect"] - rows["without"]).abs().argmax()]
    return (
        f"H1b (executable answers lose most when they are remembered) is {row['effect']:+.3f} in "
        f"`{row['part']}` with **{model}**, and {row['without']:+.3f} without one of the "
        f"{row['targets']} targets there, `{row['target']}`."
    )


def _drawn_anew(model: str, tables: Tables) -> str:
    """What other draws of the answers change, in a set-up that the order of the tasks cannot change."""
    table = tables.get("seeds", pd.DataFrame(columns=["setup"]))
    rows = table[table["setup"] == "just_ask"]
    if rows.empty:
        return ""
    said = [
        f"in `{row['split']}`, drawn {row['draws']} times, between {row['lowest']:.3f} and "
        f"{row['highest']:.3f}, and of {row['pairs']} pairs of draws of one task {row['same']:.2f} end the "
        f"same way ({row['any']:.2f} of any two episodes with one teacher)"
        for _, row in rows.iterrows()
    ]
    return f"The success of **{model}** with Just Ask over all teachers is {'; '.join(said)}."


NAMED = {
    "H1b": "remembered instead of fresh, executable answers lose more than the others",
    "relevance": "the relevance check raises success over memory-only",
}
"""The claims that a stand-in's first line tells."""


def _standin(model: str, tables: Tables) -> list[str]:
    return [_assumed(model, tables), _parse(model, tables), _undecidable(model, tables)]


def _assumed(model: str, tables: Tables) -> str:
    """Effects of a stand-in, and what they follow from."""
    rows = {said: _claim(tables, hypothesis) for hypothesis, said in NAMED.items()}
    effects = [f"{said}, {_effect(row)}, {row['verdict']}" for said, row in rows.items() if row is not None]
    if not effects:
        return ""
    return f"**{model}** is a stand-in; its effects follow from what it assumes: {'; '.join(effects)}."


def _parse(model: str, tables: Tables) -> str:
    parts = {part: _claim(tables, "parse", part) for part in ("low", "high", ALL)}
    if any(row is None for row in parts.values()):
        return ""
    low, high, both = (_effect(row) for row in parts.values() if row is not None)
    return (
        f"Parsing executable answers changes the success of **{model}** by {low} in `low` and by {high} in "
        f"`high`; pooled, by {both}."
    )


def _undecidable(model: str, tables: Tables) -> str:
    row = _claim(tables, "H2")
    if row is None:
        return ""
    found = f"**{model}** {_effect(row)}, {row['verdict']}"
    return f"A stand-in decides nothing about H2, that {row['claim']}: {found}."
