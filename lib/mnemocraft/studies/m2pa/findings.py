"""What notebook 07 found, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from IPython.display import Markdown

from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies import estimates
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.findings import Played, gather, of_standin, per_cent, told_in
from mnemocraft.studies.m2pa.load import STEM, chosen
from mnemocraft.studies.markup import escaped

Tables = Mapping[str, pd.DataFrame]


def planned(model: str, profile: str) -> pd.DataFrame | Markdown:
    """What a run can decide, from the tables of this model that came with the project, or of the surrogate.

    They have 30 episodes a task; a run with fewer can decide less than this says.
    """
    return shipped.planned(STEM, model, "tasks", len(chosen(profile)))


def findings(played: Played) -> list[str]:
    """Some lines a model; a table that is missing gives none."""
    lines = []
    for model, found in played.items():
        if "hypotheses" in found:
            whole = found["hypotheses"].query("part == @ALL", local_dict={"ALL": ALL})
            mine = whole[whole["pairs"] > 0]
            lines += [f"`{model}`: {told_in(row, 'tasks')}." for _, row in mine.iterrows()]
        lines += gather({model: found}, (_conditional, _fragments, _capacity, _sight, _models, of_standin))
    return lines


def _of(row: pd.Series) -> str:
    return f"{per_cent(row)} of {row['n']}"


def _conditional(model: str, found: Tables) -> str:
    """Overall and conditional success at the hardest level, with and without memory."""
    table = found["figure7"]
    rows = table[table["level"] == "Complex"].set_index(["player", "rate"]).T
    pairs = (("with", "m2pa"), ("without", "working"))
    told = [
        f"{word} memory {_of(rows[player, 'overall'])} overall and "
        f"{_of(rows[player, 'conditional'])} conditional"
        for word, player in pairs
        if (player, "conditional") in rows
    ]
    controls = found["table1"].query("level == 'Complex' and player in ['more_calls', 'shuffled']")
    told += [f"{row['label']} {per_cent(row)} overall" for _, row in controls.iterrows()]
    return f"`{model}`, M2PA in complex tasks (equation 5): {'; '.join(told)}." if told else ""


def _fragments(model: str, found: Tables) -> str:
    rows = found["figure8"].set_index("sub_goals")
    told = [f"with {n} {per_cent(row)}" for n, row in rows.iterrows()]
    return (
        f"`{model}`, M2PA, a diamond by sub-goals that are already in the memory (Figure 8): "
        f"{', '.join(told)}; {rows['n'].iloc[0]} episodes each."
    )


def _capacity(model: str, found: Tables) -> str:
    rows = found["figure9"].query("level == 'Complex'").sort_values("capacity")
    told = [f"with {row['capacity']} {per_cent(row)}" for _, row in rows.iterrows()]
    if not told:
        return ""
    return (
        f"`{model}`, M2PA in complex tasks by memories kept at most (Figure 9): {', '.join(told)}; "
        f"{estimates.span(rows['n'])} episodes each."
    )


def _sight(model: str, found: Tables) -> str:
    rows = found["sight"].set_index("player").T
    one, other = rows["controller"], rows["mean_colour"]
    return (
        f"`{model}`, M2PA in the overworld: with the controller's features {per_cent(one)} and "
        f"{one['recalled']:.1f} prompts with a memory an episode, with mean colour {per_cent(other)} and "
        f"{other['recalled']:.1f}; without episodic memory {per_cent(rows['blind'])}, with wrong memories "
        f"{per_cent(rows['shuffled'])} ({one['n']:.0f} episodes each). Neither is the paper's encoder."
    )


def _models(model: str, found: Tables) -> str:
    rows = found["figure5"].query("part == 'Hard and Complex'").sort_values("value")
    told = [f"{escaped(row['model'])} {row['memory']} memory {per_cent(row)}" for _, row in rows.iterrows()]
    if not told:
        return ""
    where = f"{estimates.span(rows['n'])} episodes each"
    alike = len(set(map(is_surrogate, rows["model"]))) == 1
    who = "Two models" if alike else "A model, and a stand-in beside it,"
    return f"{who} on hard and complex tasks (Figure 5), {where}: {', '.join(told)}."
