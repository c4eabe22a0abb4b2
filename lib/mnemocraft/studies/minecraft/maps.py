"""Maps of a seed: which biome lies where, how high the land is; tables, and pictures with the walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from scipy import ndimage

from mnemocraft.envs.overworld.biomes import NAMES
from mnemocraft.envs.overworld.world import SEA
from mnemocraft.figstyle import HEAT, MIN_FONT, PAGE, stamp, styled
from mnemocraft.studies.minecraft.load import STEP
from mnemocraft.studies.minecraft.walk import Walk

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


LOOKS = {
    "ocean": ("O", "#1F4E9C"),
    "river": ("R", "#4F9BE0"),
    "beach": ("B", "#FFF3C4"),
    "plains": ("P", "#B5DE77"),
    "forest": ("F", "#3E9140"),
    "birch_forest": ("Bf", "#7FBF8E"),
    "roofed_forest": ("Rf", "#17502B"),
    "taiga": ("T", "#1E7F7C"),
    "ice_plains": ("I", "#EAF4F8"),
    "savanna": ("S", "#C2A23A"),
    "jungle": ("J", "#5FD218"),
    "swampland": ("Sw", "#5B5A35"),
    "desert": ("D", "#F2C879"),
    "extreme_hills": ("E", "#8C8C8C"),
}
"""Letters and colour of each biome: the letters say what the colours alone would not tell everybody."""
REGION = 0.004
"""Least share of the map that a region has to have to be lettered."""
LEVELS = (44, 52, 58, 63, 65, 67, 69, 72, 76, 82, 90, 100, 113)
"""Steps of height, finest where most land lies."""
HALO = [withStroke(linewidth=1.3, foreground="white")]


@styled
def draw(lands: Sequence[Map], walks: Sequence[Walk]) -> Figure:
    """Two columns, a row a seed: biomes and heights; the walk is a line from the cross to the ring."""
    figure, grid = plt.subplots(len(lands), 2, figsize=(PAGE, 3.1 * len(lands) + 0.75), squeeze=False)
    for row, land, walk in zip(grid, lands, walks, strict=True):
        _biomes(row[0], land)
        shown = _heights(row[1], land)
        for axes in row:
            _walk(axes, walk)
            axes.set_xlabel("x, east (blocks)")
        row[0].set_ylabel("z, south (blocks)")
        row[0].set_title(f"Seed {land.seed}: biomes")
        row[1].set_title(f"Seed {land.seed}: height of the ground")
        figure.colorbar(shown, ax=row[1], shrink=0.85, pad=0.02, ticks=LEVELS, label="y (blocks)")
    patches = [
        Patch(facecolor=colour, edgecolor="0.3", lw=0.4, label=f"{letters}  {name.replace('_', ' ')}")
        for name, (letters, colour) in LOOKS.items()
    ]
    figure.legend(handles=patches, loc="outside upper center", ncols=5, handlelength=1.4)
    side = lands[0].step * len(lands[0].heights)
    lines = f"Black line: the walk, from + to o. White line: the shore, y {SEA}."
    stamp(figure, f"{side:,} x {side:,} blocks, one column in {lands[0].step}. {lines}")
    return figure


def _biomes(axes: Axes, land: Map) -> None:
    look: Any = {"vmin": -0.5, "vmax": len(NAMES) - 0.5, "extent": land.extent, "interpolation": "nearest"}
    axes.imshow(land.biomes.T, ListedColormap([LOOKS[name][1] for name in NAMES]), **look)
    for number, name in enumerate(NAMES):
        for x, z in _middles(land.biomes == number):
            at = (land.start + land.step * (x + 0.5), land.start + land.step * (z + 0.5))
            axes.annotate(LOOKS[name][0], at, ha="center", va="center", fontsize=MIN_FONT, path_effects=HALO)


def _middles(there: np.ndarray) -> list[tuple[int, int]]:
    """In each large region, the place farthest from its border."""
    regions, number = ndimage.label(there)
    sizes = ndimage.sum_labels(there, regions, range(1, number + 1))
    found = []
    for region in 1 + np.flatnonzero(sizes >= REGION * there.size):
        inside = ndimage.distance_transform_edt(np.pad(regions == region, 1))[1:-1, 1:-1]
        x, z = np.unravel_index(int(inside.argmax()), inside.shape)
        found.append((int(x), int(z)))
    return found


def _heights(axes: Axes, land: Map) -> AxesImage:
    steps = BoundaryNorm(LEVELS, 256, extend="min")
    shown = axes.imshow(land.heights.T, HEAT, norm=steps, extent=land.extent, interpolation="nearest")
    centres = land.start + land.step * (np.arange(len(land.heights)) + 0.5)
    axes.contour(centres, centres, land.heights.T, [SEA + 0.5], colors="white", linewidths=0.5)
    return shown


def _walk(axes: Axes, walk: Walk) -> None:
    """The path, over a light halo, so that it is seen on any land."""
    path = walk.path
    style: Any = {"color": "black", "path_effects": [withStroke(linewidth=2.2, foreground="white")]}
    axes.plot(path["x"], path["z"], linewidth=1.0, **style)
    for row, mark in ((0, "+"), (-1, "o")):
        axes.plot(*path[["x", "z"]].iloc[row], mark, ms=4, mfc="white", **style)
