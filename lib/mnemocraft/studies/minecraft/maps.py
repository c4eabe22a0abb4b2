"""Maps of a seed: which biome lies where, how high the land is, and how much of the land each biome has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from mnemocraft.envs.overworld.biomes import NAMES
from mnemocraft.studies.minecraft.load import STEP

NATURAL = -1
"""No biome is forced on the land."""


@dataclass(frozen=True)
class Map:
    """A square of a world, the origin in its middle.

    Attributes:
        seed: Seed of the world.
        start: x and z in blocks of the first row and column.
        step: Blocks between two of them.
        heights: By x and z, y of the highest block of the ground; trees and water stand on it.
        biomes: By x and z, place of the biome in :data:`mnemocraft.envs.overworld.biomes.NAMES`.
    """

    seed: int
    start: int
    step: int
    heights: npt.NDArray[np.uint8]
    biomes: npt.NDArray[np.uint8]

    @property
    def extent(self) -> tuple[int, int, int, int]:
        """Left, right, bottom and top in blocks of a picture with north (negative z) at its top."""
        end = self.start + self.step * len(self.heights)
        return self.start, end, end, self.start


def survey_map(seed: int, side: int, step: int = STEP) -> Map:
    """The map of a seed, ``side`` columns wide, ``step`` blocks apart."""
    from mnemocraft.envs.overworld.setting import survey  # loads the compiler, which may not be installed

    start = -(side * step) // 2
    heights, biomes = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)
    survey(seed, NATURAL, start, start, step, heights, biomes)
    return Map(seed, start, step, heights, biomes)


def table(maps: Sequence[Map]) -> pd.DataFrame:
    """Share of each biome in each map, and how high its ground lies."""
    rows = []
    for land in maps:
        for number, name in enumerate(NAMES):
            heights = land.heights[land.biomes == number]
            row = {"seed": land.seed, "biome": name, "columns": heights.size}
            row |= {"share": heights.size / land.heights.size}
            spread = (heights.min(), np.median(heights), heights.max()) if heights.size else (np.nan,) * 3
            rows.append(row | dict(zip(("lowest", "median", "highest"), map(float, spread), strict=True)))
    return pd.DataFrame(rows)
