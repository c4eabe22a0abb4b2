"""What notebook 10 found, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from IPython.display import Markdown

from mnemocraft.studies import findings as shipped
from mnemocraft.studies.estimates import text
from mnemocraft.studies.findings import Played
from mnemocraft.studies.household import small_tables
from mnemocraft.studies.household.load import NAMES, STEM, games, task_of
from mnemocraft.studies.household.tables import AVERAGE

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; a table that is missing gives none."""
    return shipped.gather(played, (_small, _totals, _planners, _controllers, _claims, shipped.of_standin))


def planned(model: str, profile: str) -> pd.DataFrame | Markdown:
    """What a profile can decide about GiG, by the tables that came with the repository."""
    tasks = {task_of(game) for names in games(profile).values() for game in names}
    return shipped.planned(STEM, model, "tasks", len(tasks))


def _rates(table: pd.DataFrame) -> str:
    rows = table[table["n"] > 0].drop_duplicates("player")
    return shipped.rates(rows, "player", NAMES, "; ")


def _small(model: str, tables: Tables) -> str:
    """Of the small model's study, which alone tells known from unknown types."""
    met, ends = tables["goals_of_the_design"], tables["statuses"]
    rates = "; ".join(
        f"{small_tables.LABELS[row['player']]} {text(row)} (goal of {small_tables.LEAST}: {row['met']})"
        for _, row in met.iterrows()
    )
    where = f"success in {met['n'].max()} games ({met['tasks'].max()} tasks, which the intervals count)"
    refused = "; ".join(
        f"{small_tables.LABELS[row['player']]} {row.get('ended_invalid_actions', 0)} of {row['episodes']}"
        for _, row in ends[ends["player"].isin(met["player"])].iterrows()
    )
    claims = shipped.each(tables["hypotheses"])
    players = list(met["player"])
    split = _by_rules(tables["known_types"], players) + _apart(tables["by_type"], players)
    told = f"`{model}`, {where}: {rates}.{split}"
    able = shipped.power_and_signs(tables["hypotheses"])
    return f"{told} Ended by answers that are no command: {refused}. {able}{claims}"


def _by_rules(table: pd.DataFrame, players: Sequence[str]) -> str:
    """The rates where all rules were shown and where not; their mean is that of no game."""
    said = []
    shown = "games whose rules, if any, were all shown in training"
    for items, what in (("known", shown), ("unknown", "others")):
        rows = table[(table["items"] == items) & table["player"].isin(players) & (table["n"] > 0)]
        said += [f"in the {rows['n'].max()} {what} {_by_player(rows)}"] if len(rows) else []
    return f" That is, {'; '.join(said)}." if said else ""


def _apart(table: pd.DataFrame, players: Sequence[str]) -> str:
    """The types of task that not all players do equally often; looked at afterwards, no claim is on them."""
    mine = table[table["player"].isin(players) & (table["what"] != AVERAGE)]
    said = [
        f"{what} ({_by_player(rows)})"
        for what, rows in mine.groupby("what", sort=False)
        if rows["value"].nunique() > 1
    ]
    return f" They do as many of every type but {'; '.join(said)}." if said else ""


def _by_player(rows: pd.DataFrame) -> str:
    return shipped.rates(rows, "player", small_tables.LABELS)


def _totals(model: str, tables: Tables) -> str:
    table = tables["table3"]
    told = _rates(table)
    return (
        f"`{model}`, Pass@1 over {table['n'].max()} games ({table['tasks'].max()} tasks): {told}."
        if told
        else ""
    )


def _planners(model: str, tables: Tables) -> str:
    table = tables["table6"].query("group == 'Average'")
    episodes = f"{table['tasks'].max():.0f} tasks, {table['n'].max():.0f} episodes a planner"
    told = _rates(table)
    return f"`{model}`, DEPS's planners in its kinds of tasks ({episodes}): {told}." if told else ""


def _controllers(model: str, tables: Tables) -> str:
    bars = {row["controller"]: text(row) for _, row in tables["figure1"].iterrows()}
    if len(bars) < 2:
        return ""
    script, itself = bars["oracle"], bars["learned"]
    return (
        f"`{model}`: Inner Monologue succeeds in {script} of the episodes when a script carries out its "
        f"sub-goals, and in {itself} when it names the commands itself."
    )


def _claims(model: str, tables: Tables) -> str:
    if "known_types" in tables:  # _small has said them
        return ""
    told = shipped.each(tables["hypotheses"])
    return f"`{model}`, the papers' claims:{told}" if told else ""
