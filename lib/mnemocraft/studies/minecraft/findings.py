"""What notebook 02 found, made from its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mnemocraft.studies.estimates import span
from mnemocraft.studies.findings import Played, gather
from mnemocraft.studies.minecraft.tables import SPEEDS, better_than_random, ordered

Tables = Mapping[str, pd.DataFrame]


def findings(played: Played) -> list[str]:
    """About five lines."""
    return gather(played, (_skills, _random, _order, _speed, _seen))


def _skills(_: str, found: Tables) -> str:
    table = found["skills"].dropna(subset=["paper"])
    learned = table[table["controller"] == "learned"]
    above, below = (learned["low"] > learned["paper"]).sum(), (learned["high"] < learned["paper"]).sum()
    return (
        f"Of the paper's {len(learned)} skills ({span(learned['n'])} worlds each) the learned controller's "
        f"95 % interval lies above the paper's rate on {above}, below it on {below} and around it on "
        f"{len(learned) - above - below}. Our world is simpler than the game, so this compares two "
        "environments as much as two controllers."
    )


def _random(_: str, found: Tables) -> str:
    return better_than_random(found["against_random"])


def _order(_: str, found: Tables) -> str:
    lines = ordered(found["horizons"]).splitlines()
    return "How often two goals are put in their true order:" + "".join(f"\n    {line}" for line in lines)


def _speed(_: str, found: Tables) -> str:
    times = found["speed"].set_index("world")["times_crafter"]
    seen = times[SPEEDS["with 64x64 images, random"]]
    return (
        f"With images the overworld makes {seen:.1f} times as many steps a second as crafter, recorded once "
        "on one machine: there is no interval, and it says nothing about other machines."
    )


def _seen(_: str, found: Tables) -> str:
    walk, biomes = found["walk"], found["biomes"]
    met = biomes[biomes["share"] > 0].groupby("seed")["biome"].nunique()
    return (
        f"Walked and mapped here: {walk['seed'].nunique()} worlds, {span(met)} biomes a map. Whether the "
        "world behaves like the Java game was not tested against the game."
    )
