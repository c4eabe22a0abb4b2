"""*What we found*: the lines at the head of a notebook, made from its tables.

A notebook opens with the findings that came with the repository and replaces them by its own at the end of
its run, so that whoever opens it reads the result first. A study says its findings by a function from what
was played (by model, the tables by name) to sentences; every number in them is read from a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd
from IPython.display import DisplayHandle, Markdown

from mnemocraft import paths, stats
from mnemocraft.errors import unreadable
from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies import claims, report
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import text
from mnemocraft.studies.markup import escaped

pd.set_option("display.max_colwidth", None)  # a claim cut short says nothing
pd.set_option("display.html.use_mathjax", False)  # a name or an answer with dollars in it is no mathematics

Played = Mapping[str, Mapping[str, pd.DataFrame]]
"""By model, the tables by name."""
Findings = Callable[[Played], Sequence[str]]

Line = Callable[[str, Mapping[str, pd.DataFrame]], str]
"""From a model and its tables to a sentence, or to "" if there is nothing to say."""


def gather(played: Played, lines: Sequence[Line]) -> list[str]:
    """What the lines say of every model; one whose table, column or row is not there says nothing."""
    said = []
    for model, tables in played.items():
        for line in lines:
            with suppress(KeyError, IndexError):
                said.append(line(model, tables))
    return list(filter(None, said))


def of_standin(model: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """The line on what a stand-in's tables do not show."""
    return "With a stand-in nothing is decided about language models." if is_surrogate(model) else ""


def rates(rows: pd.DataFrame, who: str, names: Mapping[str, str], between: str = ", ") -> str:
    """Rates with their intervals for reading; the column ``who`` says whose, ``names`` how to write it."""
    return between.join(f"{names[row[who]]} {text(row)}" for _, row in rows.iterrows())


def points(row: pd.Series, value: str = "effect") -> str:
    """A difference of rates for reading: ``+16.2 points [+9.5, +22.8]``; the interval only if it has one."""
    known = "" if pd.isna(row["low"]) else f" [{100 * row['low']:+.1f}, {100 * row['high']:+.1f}]"
    return f"{100 * row[value]:+.1f} points{known}"


def per_cent(row: pd.Series) -> str:
    """A rate with its interval for reading: ``16 % [9, 26]``."""
    return f"{100 * row['value']:.0f} % [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"


def verdict(row: pd.Series) -> str:
    """A claim's verdict; with its p where the interval alone would say otherwise, or why there is no test."""
    if row["verdict"] == stats.NOT_TESTED:
        return f"**{stats.NOT_TESTED}**, {row['finding'].rpartition(f'{stats.NOT_TESTED}: ')[2]}"
    return f"**{row['verdict']}**{_p(row)}"


def _p(row: pd.Series) -> str:
    if row["verdict"] == stats.UNDECIDED and row["low"] * row["high"] > 0:
        return f", p = {row['p']} and {row['p_holm']} corrected for all claims"
    return ""


def power(table: pd.DataFrame) -> str:
    """What runs as large as that of a table of claims can find, as a sentence."""
    least = 100 * table.loc[table["part"] == ALL, "detectable"].dropna()
    if least.empty:
        return "No claim could be tested."
    low, high = (f"{end:.0f}" for end in (least.min(), least.max()))
    span = f"{low} points" if low == high else f"{low} to {high} points, depending on the claim"
    return f"If there were a true difference of {span}, four of five such runs would find it."


def power_and_signs(table: pd.DataFrame) -> str:
    """:func:`power`, and how many tested effects are below 0, where each claim is that it is above."""
    tested = (table["part"] == ALL) & (table["verdict"] != stats.NOT_TESTED)
    effects = table.loc[tested, "effect"].dropna()
    signs = f" Point estimates against their claims: {(effects < 0).sum()} of {len(effects)} tested."
    return power(table) + signs * (not effects.empty)


def told(row: pd.Series) -> str:
    """A claim with its effect and its verdict."""
    return f"{row['claim']}: {points(row)}: {verdict(row)}"


def told_in(row: pd.Series, unit: str) -> str:
    """A claim with its effect, the pairs and the clusters (a column of that name), and its verdict."""
    where = f"{row['pairs']:,} pairs of episodes in {row[unit]} {unit}"
    return f"{row['claim']}: {points(row)}, {where}: {verdict(row)}"


def effect(row: pd.Series, unit: str) -> str:
    """An effect with its interval, the pairs and the clusters (a column of that name)."""
    return f"{text(row, 'effect', '+.3f')} ({row['pairs']} pairs in {row[unit]} {unit})"


def with_parts(rows: pd.DataFrame, told: Callable[[pd.Series], str] = told) -> str:
    """A claim as ``told`` says it, and its effect in each of its parts, which were played."""
    whole = rows[rows["part"] == ALL].iloc[0]
    said = f"{whole['claim']}: **{stats.NOT_MEASURED}**" if pd.isna(whole["effect"]) else told(whole)
    parts = rows[rows["part"] != ALL]
    effects = [
        f"{row['part']} ones {points(row)}{_p(row)}" + ", not tested" * (row["verdict"] == stats.NOT_TESTED)
        for _, row in parts.iterrows()
    ]
    return said + (f" ({'; '.join(effects)})" if effects else "")


def each(table: pd.DataFrame, told: Callable[[pd.Series], str] = told) -> str:
    """The claims of a table of which something was played, with their parts, as a list within a finding."""
    by_claim = claims.begun(table).groupby("claim", sort=False)
    return "".join(f"\n    - {with_parts(rows, told)}" for _, rows in by_claim)


class Opening:
    """The cell that opens a notebook.

    Args:
        stem: The notebook.
        findings: What it has to say.
    """

    def __init__(self, stem: str, findings: Findings) -> None:
        self._findings, self._handle = findings, DisplayHandle()
        profiles, played = shipped(stem)
        said = self._text(played, profiles) if played else "Nothing has been run yet."
        self._handle.display(Markdown(said))

    def close(self, played: Played, profile: str) -> None:
        """Put the findings of this run in the place of those that the notebook opened with."""
        self._handle.update(Markdown(self._text(played, dict.fromkeys(played, profile))))

    def _text(self, played: Played, profiles: Mapping[str, str]) -> str:
        named = {escaped(model): tables for model, tables in played.items()}
        lines = "\n".join(f"- {line}" for line in self._findings(named))
        by_profile: dict[str, list[str]] = {}
        for model in played:
            by_profile.setdefault(profiles[model], []).append(_who(escaped(model)))
        who = "; ".join(f"{', '.join(names)}; profile `{profile}`" for profile, names in by_profile.items())
        return f"**What we found** (played by {who})\n\n{lines}"


def _who(model: str) -> str:
    """Who played, with a word on a stand-in."""
    if model == paths.NO_MODEL:
        return "no language model"
    return f"`{model}`" + " (a stand-in)" * is_surrogate(model)


def shipped(stem: str) -> tuple[dict[str, str], dict[str, dict[str, pd.DataFrame]]]:
    """The tables that came with the repository, by model: its largest profile, and its tables by name."""
    played: dict[str, tuple[str, dict[str, pd.DataFrame]]] = {}
    for folder in sorted((paths.DATA / "results" / stem).glob("*")):
        sizes = [folder / profile for profile in paths.PROFILES[1:] if (folder / profile).is_dir()]
        if sizes:
            played[_model(sizes[-1])] = (sizes[-1].name, read(sizes[-1]))
    profiles = {model: profile for model, (profile, _) in played.items()}
    return profiles, {model: tables for model, (_, tables) in played.items()}


def planned(
    stem: str, model: str, unit: str, count: int, of_claim: Callable[[pd.Series], int] | None = None
) -> pd.DataFrame | Markdown:
    """What a run can decide, from the shipped tables of this model, else the surrogate's.

    Args:
        stem: The notebook.
        model: Who is to play.
        unit: What clusters are, e.g. ``tasks``.
        count: How many of them the run has.
        of_claim: Of how many of the pilot's clusters it has those of a row; without any it is left out.
    """
    pilots = shipped(stem)[1]
    pilot = pilots.get(model, pilots.get("surrogate", {})).get("hypotheses")
    if pilot is None or unit not in pilot or "part" not in pilot:
        return Markdown(f"What this run can decide is unknown: no run that counts {unit} was shipped.")
    most = pilot[unit] if of_claim is None else pilot.apply(of_claim, axis=1)
    least = pilot["detectable"].where(pilot[unit] <= most)
    few = pilot.assign(detectable=least, **{unit: pilot[unit].clip(upper=most)})
    played = (most > 0)[pilot["part"] == claims.ALL].to_numpy()
    return claims.planned(few, unit, count)[played].reset_index(drop=True).round(3)


def read(folder: Path) -> dict[str, pd.DataFrame]:
    """A folder's tables by name; what is empty in them is NaN, in columns of text too.

    Raises:
        MnemocraftError: A table is damaged.
    """
    with unreadable(folder):
        return {path.stem: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}


def _model(folder: Path) -> str:
    """Who played for the tables of a folder, which is named after that model; other players may be beside."""
    tables = report.provenance(folder)["tables"]
    played = {origin["model"] for origin in tables.values()}
    return next((name for name in played if paths.slug(name) == folder.parent.name), folder.parent.name)
