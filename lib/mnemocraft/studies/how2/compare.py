"""Tables to read in which several models stand beside each other and the paper.

``played`` is, here and in :mod:`~mnemocraft.studies.how2.analysis`, what was measured on the episodes of
each model: tables by name, by the model's name; first the model that played the whole study, then, if there
is one, the small model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mnemocraft import figstyle, paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies.estimates import number, span, text, wide
from mnemocraft.studies.how2.known import GROUPS

Played = Mapping[str, Mapping[str, pd.DataFrame]]
PAPER = "paper"


def check_models(model: str, small_model: str | None) -> None:
    """Raise MnemocraftError if the two models would write to the same folder."""
    if small_model and paths.slug(small_model) == paths.slug(model):
        raise MnemocraftError(
            f"model and small_model are both {model!r}: name another small_model, or None to leave it out."
        )


def columns(played: Played, name: str, by: str, split: str) -> pd.DataFrame:
    """One of the paper's tables for reading: by set-up and teacher, a column for each model and the paper.

    Values of the column ``by``, e.g. ``metric``, become groups of columns.
    """
    tables = {model: t[name][t[name]["split"] == split] for model, t in played.items()}
    first = next(iter(tables.values()))
    texts = [t.assign(source=model, text=t.apply(text, axis=1)) for model, t in tables.items()]
    long = pd.concat([*texts, first.assign(source=PAPER, text=first["paper"].map(number))])
    order = pd.MultiIndex.from_product([first[by].unique(), [*tables, PAPER]], names=[by, None])
    return wide(long, ["setup", "teacher"], [by, "source"]).reindex(columns=order)


def sizes(played: Played, name: str, split: str) -> str:
    """How many episodes stand behind a number of a table, for each model; means over teachers aside."""
    said = []
    for model, found in played.items():
        rows = found[name].query("split == @split and teacher != 'avg'")
        said.append(f"{model}: n = {span(rows['n'])}")
    return "Episodes behind a number: " + "; ".join(said) + "."


def hypotheses(played: Played) -> pd.DataFrame:
    """Every claim: the paper's effect, then each model's with interval and verdict.

    A language model's also says whether its evidence agrees with the paper's; a surrogate's is no evidence.
    """
    first = next(iter(played.values()))["hypotheses"]
    shown = {("", "claim"): first["claim"], (PAPER, "effect"): first["paper_effect"].map("{:+.2f}".format)}
    for model, found in played.items():
        table = found["hypotheses"]
        shown[model, "effect"] = table.apply(text, axis=1, value="effect", digits="+.2f")
        shown[model, "n"] = table["n"]
        shown[model, "verdict"] = table["verdict"]
        if not figstyle.is_surrogate(model):
            shown[model, "evidence"] = table["evidence"]
    table = pd.DataFrame(shown).set_axis(first["hypothesis"])
    return table.set_axis(pd.MultiIndex.from_tuples(shown), axis=1)


def evidence(played: Played) -> str:
    """One sentence a language model: on how many claims its evidence agrees with the paper's."""
    said = []
    for model, found in played.items():
        counts = found["hypotheses"]["evidence"].value_counts()
        if not figstyle.is_surrogate(model):
            agrees, disagrees, open_ = (counts.get(k, 0) for k in ("agrees", "disagrees", "undecided"))
            said.append(
                f"**{model}** agrees with the paper on {agrees} of {counts.sum()} claims, "
                f"disagrees on {disagrees}, and leaves {open_} undecided."
            )
    return "\n\n".join(said) or "Only surrogates played: there is no evidence to compare with the paper's."


def known_targets(table: pd.DataFrame, setups: Sequence[str]) -> pd.DataFrame:
    """Success [interval] and n on known and unknown targets, by set-up, teacher and difficulty."""
    rows = table[table["setup"].isin(setups) & (table["n"] > 0)]
    shown = rows.apply(text, axis=1) + ", n = " + rows["n"].astype(int).astype(str)
    index = ["setup", "teacher", "difficulty"]
    return wide(rows.assign(text=shown), index, ["targets"]).reindex(columns=GROUPS).fillna("-")
