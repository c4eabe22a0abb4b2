"""The figures of notebook 02, from its tables and from what was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.studies import boxes
from mnemocraft.studies.minecraft import figures, maps, recipes, sights, walk
from mnemocraft.studies.minecraft.views import View


def draw(
    found: Mapping[str, pd.DataFrame],
    item: str,
    sheet: Sequence[View],
    walks: list[walk.Walk],
    lands: Sequence[maps.Map],
    host: str,
) -> dict[str, Figure]:
    """All figures by the name of their file.

    Args:
        found: The tables ``skills`` and ``speed``.
        item: Whose rules are drawn.
        sheet: Arranged views.
        walks: Walks, with the views on the way.
        lands: Maps of the same worlds.
        host: The machine on which the speed was measured.
    """
    met = [view for way in walks for view in way.views]
    arranged = f"World of seed {sights.SEED}, arranged for the picture. No model plays."
    return {
        "method": boxes.diagram("minecraft"),
        "item": recipes.item_figure(recipes.item_graph(item), item, recipes.VERSION),
        "sights": figures.sheet(sheet, arranged),
        "walk": figures.sheet(met, walk.note(walks)),
        "maps": maps.draw(lands, walks),
        "skills": figures.skills(found["skills"]),
        "speed": figures.speed(found["speed"], host),
    }
