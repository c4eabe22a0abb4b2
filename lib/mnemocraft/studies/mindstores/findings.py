"""What notebook 06 found and what it can decide, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from IPython.display import Markdown

from mnemocraft.figstyle import is_surrogate
from mnemocraft.stats import UNDECIDED
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import text
from mnemocraft.studies.findings import Played, gather
from mnemocraft.studies.markup import listed
from mnemocraft.studies.mindstores import small_tables
from mnemocraft.studies.mindstores.load import FRESH, FULL, LABELS, SIZES, STEM, chosen
from mnemocraft.studies.mindstores.tables import AVERAGE

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """Some lines a model; what was not run is named in the last one."""
    of_the_small = (_small, _mended, _foresight, _revised)
    of_all = (_fresh, _shared, _overworld, _skills, _orders, _calls, _undecided)
    return gather(played, (*of_the_small, *of_all))


def planned(model: str, profile: str) -> pd.DataFrame | Markdown:
    """What a run can decide, from the tables of this model that came with the project, or of the surrogate.

    They have 30 episodes a task; a run with fewer can decide less than this says.
    """
    return shipped.planned(STEM, model, "tasks", len(chosen(FRESH, SIZES[profile][FRESH])))


def _rows(found: Tables, hypothesis: str, table: str = "hypotheses") -> pd.DataFrame:
    """The claims of a hypothesis over all tasks, those that were run."""
    rows = found[table]
    chosen_rows = rows[(rows["part"] == ALL) & (rows["hypothesis"] == hypothesis)]
    return chosen_rows.dropna(subset=["effect"])


def _of(model: str, found: Tables, hypothesis: str) -> str:
    rows = _rows(found, hypothesis)
    size = f"{rows['pairs'].iloc[0]:,} pairs in {rows['tasks'].iloc[0]} tasks"
    return f"`{model}`, {hypothesis} ({size}):{shipped.each(rows)}"


def _each(rows: pd.DataFrame) -> list[pd.Series]:
    return [row for _, row in rows.iterrows()]


def _small(model: str, found: Tables) -> str:
    """Of the small model's study, which alone tells known from unknown items."""
    if "known_items" not in found:
        return ""
    table = found["hypotheses"]
    size = f"{table['pairs'].iloc[0]:,} pairs in {table['tasks'].iloc[0]} tasks"
    conduct = found["conduct"].set_index("player").loc[FULL]
    revised = f"{conduct['revisions']:.1f} revisions" if conduct["revisions"] else "no revision in any"
    foresight = f"{conduct['predictions']:.1f} predictions an episode, {revised}"
    lead = f"`{model}`, one memory for all tasks, each met twice ({size}); {foresight}"
    return f"{lead}. {shipped.power_and_signs(table)}{shipped.each(table)}"


def _mended(model: str, found: Tables) -> str:
    """Where the players of the small model's study part; it has no claim about that."""
    rates = found["mended"].query("items == @ALL").set_index(["plan", "player"])
    named = small_tables.LABELS
    said = [
        f"\n    - {plan}: " + listed([f"{named[player]} {text(rates.loc[(plan, player)])}" for player in who])
        for plan, who in ((plan, rates.loc[plan].index) for plan in rates.index.unique("plan"))
    ]
    return f"`{model}`, success by plan, looked at afterwards:{''.join(said)}"


def _foresight(model: str, found: Tables) -> str:
    """Whether the small model's predictions were right; it has no claim about that."""
    rows = found["foresight"].query("items == @ALL").set_index(["player", "foreseen"])
    named = small_tables.LABELS
    said = [
        f"\n    - {named[player]}: "
        + listed([f"of {row['n']} {foreseen} {text(row)}" for foreseen, row in rows.loc[player].iterrows()])
        for player in rows.index.unique("player")
    ]
    lead = "plans that would do the task, by what was foreseen of them, looked at afterwards"
    return f"`{model}`, {lead}:{''.join(said)}"


def _revised(model: str, found: Tables) -> str:
    """Whether the small model's planner took a prediction up."""
    rows = _each(found["revised"].query("revised > 0"))
    again = [f"{small_tables.LABELS[row['player']]} {row['repeat']} of {row['revised']}" for row in rows]
    return (
        f"`{model}`, revised plans that are word for word the plan before: {listed(again)}" if again else ""
    )


def _fresh(model: str, found: Tables) -> str:
    return _of(model, found, "fresh memory")


def _shared(model: str, found: Tables) -> str:
    return _of(model, found, "shared memory")


def _overworld(model: str, found: Tables) -> str:
    """The claim, and the rates of all players: one is a control that no claim is about."""
    claim, table = _of(model, found, "overworld memory"), found["overworld"]
    rates = [f"{row['label']} {text(row)}" for row in _each(table[table["task"] == AVERAGE])]
    return f"{claim}\n    - success: {listed(rates)}"


def _skills(model: str, found: Tables) -> str:
    table = found["table3"].query("n > 0")
    shares = table.groupby("label", sort=False)["learnt"].mean()
    last = table[table["item"] == table["item"].iloc[-1]]
    told = [f"{row['label']} {row['value']:.0f} (the paper: {row['paper']:.0f})" for row in _each(last)]
    learnt = ", ".join(f"{label} {share:.0%}" for label, share in shares.items())
    vain = table.loc[table["learnt"] < 1, "most"]
    allowed = f"; without success all those allowed, here {vain.max():.0f} and in the paper 500"
    return (
        f"`{model}`: share of Table 3's skills that were learnt: {learnt}. Median iterations to "
        f"{last['task'].iloc[0]}: {listed(told)}{allowed if len(vain) else ''}."
    )


def _orders(model: str, found: Tables) -> str:
    table = found["orders"]
    told = [f"{row['label']} {row['value']:.1f}" for row in _each(table)]
    rows = _each(_rows(found, "ten tasks", "order_claims"))
    effects = [
        f"\n    - {row['claim']}: {row['effect']:+.2f} plans a task: {shipped.verdict(row)}" for row in rows
    ]
    if table.empty:
        return ""
    return (
        f"`{model}`: ten tasks without reset, plans a task over {table['orders'].max()} orders: "
        f"{listed(told)}.{''.join(effects)}"
    )


def _calls(model: str, found: Tables) -> str:
    conduct = found["conduct"].query("part == @FRESH")
    shown = [f"{LABELS[row['player']]} {row['calls']:.1f}" for row in _each(conduct)]
    return f"`{model}`: calls of the model an episode: {listed(shown)}." if shown else ""


def _undecided(model: str, found: Tables) -> str:
    rows = found["hypotheses"].query("part == @ALL")
    lacking = rows.loc[rows["effect"].isna(), "claim"]
    lead = "with a stand-in nothing is decided about language models" if is_surrogate(model) else (
        f"{(rows['verdict'] == UNDECIDED).sum()} of {len(rows) - len(lacking)} claims are undecided"
    )  # fmt: skip
    return f"`{model}`: {lead}" + (f"; not run: {'; '.join(lacking)}." if len(lacking) else ".")
