"""Tables to read in which several models stand beside each other and the paper.

``played`` is, here and in :mod:`~mnemocraft.studies.how2.analysis`, what was measured on the episodes of
each model: tables by name, by the model's name; first the model that played the whole study, then, if there
is one, the small model. A language model stands before a stand-in when they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pandas as pd
from IPython.display import HTML

from mnemocraft import figstyle
from mnemocraft.envs.plancraft.data import example
from mnemocraft.studies import claims, findings
from mnemocraft.studies.estimates import number, span, text, wide
from mnemocraft.studies.findings import Played
from mnemocraft.studies.how2 import sweep
from mnemocraft.studies.how2.known import GROUPS
from mnemocraft.studies.markup import escaped

PAPER = "paper"
T = TypeVar("T")


def in_order(played: Mapping[str, T]) -> dict[str, T]:
    """Language models before stand-ins."""
    return {model: played[model] for model in sorted(played, key=figstyle.is_surrogate)}


def planned(profile: str, *models: str | None) -> pd.DataFrame:
    """What a profile can decide, from the tables that came with the repository; empty if there are none.

    Args:
        profile: The profile.
        models: The model of the whole study, then the small model or None.
    """
    shipped, sizes = findings.shipped(sweep.STEM)[1], (sweep.study(profile, [0]), sweep.small(profile))
    found = {}
    for model, study in zip(models, sizes, strict=True):
        if model and "hypotheses" in shipped.get(model, {}):
            tasks = {t for s in study.streams if s.condition.settings["setup"] == "how2" for t in s.tasks}
            targets = len({example(task).target for task in tasks})
            found[model] = claims.planned(shipped[model]["hypotheses"], "targets", targets)
    return pd.concat(in_order(found), names=["model", None]) if found else pd.DataFrame()


def folded(title: str, *parts: pd.DataFrame | str) -> HTML:
    """Tables and sentences behind a title, to be opened with a click."""
    shown = [f"<p>{part}</p>" if isinstance(part, str) else part.to_html(na_rep="-") for part in parts]
    return HTML(f"<details><summary>{title}</summary>{''.join(shown)}</details>")


def ended(model: str, statuses: pd.DataFrame) -> pd.DataFrame:
    """How a model's episodes ended, by variant and set-up."""
    numbers = statuses.columns.difference(["variant", "setup", "teacher", "split"], sort=False)
    return statuses.groupby(["variant", "setup"], sort=False)[[*numbers]].sum().rename_axis(columns=model)


def columns(played: Played, name: str, by: str, split: str) -> pd.DataFrame:
    """One of the paper's tables for reading: by set-up and teacher, a column for each model and the paper.

    Values of the column ``by``, e.g. ``metric``, become groups of columns.
    """
    tables = {model: t[name][t[name]["split"] == split] for model, t in in_order(played).items()}
    first = next(iter(tables.values()))
    texts = [t.assign(source=model, text=t.apply(text, axis=1)) for model, t in tables.items()]
    long = pd.concat([*texts, first.assign(source=PAPER, text=first["paper"].map(number))])
    order = pd.MultiIndex.from_product([first[by].unique(), [*tables, PAPER]], names=[by, None])
    return wide(long, ["setup", "teacher"], [by, "source"]).reindex(columns=order)


def sizes(played: Played, name: str, split: str) -> str:
    """How many episodes stand behind a number of a table, for each model; means over teachers aside."""
    said = []
    for model, found in in_order(played).items():
        rows = found[name].query("split == @split and teacher != 'avg'")
        said.append(f"{escaped(model)}: n = {span(rows['n'])}")
    return "Episodes behind a number: " + "; ".join(said) + "."


def hypotheses(played: Played) -> pd.DataFrame:
    """Every claim, pooled and by split: the paper's effect, then each model's with interval and verdict.

    ``detectable`` is the smallest effect that such a study would find; a language model's effect is also set
    beside the paper's (``direction``, ``size``).
    """
    first = next(iter(played.values()))["hypotheses"]
    shown = {(PAPER, "effect"): first["paper_effect"].map("{:+.2f}".format)}
    for model, found in in_order(played).items():
        table = found["hypotheses"]
        shown[model, "effect"] = table.apply(text, axis=1, value="effect", digits="+.2f")
        shown[model, "pairs in targets"] = table["pairs"].astype(str) + " in " + table["targets"].astype(str)
        shown[model, "detectable"] = table["detectable"].map(number)
        told = ["verdict"] + ([] if figstyle.is_surrogate(model) else ["direction", "size"])
        shown |= {(model, name): table[name].fillna("") for name in told}
    index = pd.MultiIndex.from_frame(first[["hypothesis", "claim", "part"]])
    return pd.DataFrame(shown).set_axis(index)


def known_targets(table: pd.DataFrame, setups: Sequence[str]) -> pd.DataFrame:
    """Success [interval] and n on known and unknown targets, by set-up, teacher and difficulty."""
    rows = table[table["setup"].isin(setups) & (table["n"] > 0)]
    shown = rows.apply(text, axis=1) + ", n = " + rows["n"].astype(int).astype(str)
    index = ["setup", "teacher", "difficulty"]
    return wide(rows.assign(text=shown), index, ["targets"]).reindex(columns=GROUPS).fillna("-")
