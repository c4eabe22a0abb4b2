"""What notebook 11 found and what it can decide, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from IPython.display import Markdown

from mnemocraft.envs.tabletop.tasks import TASKS
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.findings import Line, Played, gather, of_standin, told_in
from mnemocraft.studies.tabletop import load
from mnemocraft.studies.tabletop.tables import AVERAGE

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """About five lines a model."""
    return gather(played, (_rates, *(_claim(place) for place in range(4)), _calls, of_standin))


def planned(model: str, profile: str, seeds: Sequence[int]) -> pd.DataFrame | Markdown:
    """What a run can decide, from the shipped tables of this model, else the surrogate's."""
    games = len(load.seeds_of(profile, seeds)) * load.SCENES[profile] * len(TASKS)
    return shipped.planned(load.STEM, model, "games", games)


def _rates(model: str, found: Tables) -> str:
    table = found["table8"].query("label == @AVERAGE", local_dict={"AVERAGE": AVERAGE})
    told = []
    for controller, rows in table.groupby("controller", sort=False):
        each = ", ".join(f"{p} {v:.0%}" for p, v in zip(rows["planner"], rows["value"], strict=True))
        told.append(f"{'perfect' if controller == 'oracle' else 'failing'} controller: {each}")
    return f"`{model}`, mean of five tasks, {table['n'].max():,} games: {'; '.join(told)}." if told else ""


def _claim(place: int) -> Line:
    def line(model: str, found: Tables) -> str:
        row = found["hypotheses"].query("part == @ALL", local_dict={"ALL": ALL}).iloc[place]
        return "" if pd.isna(row["effect"]) else f"`{model}`: {told_in(row, 'games')}."

    return line


def _calls(model: str, found: Tables) -> str:
    table = found["conduct"].query("controller == 'learned'").set_index("method")["calls"]
    each = ", ".join(
        f"{load.METHODS[m]} {n:.1f}" for m, n in zip(table.index.astype(str), table, strict=True)
    )
    return f"`{model}`: calls of the model an episode with a failing controller: {each}." if each else ""
