"""How much of the worlds a profile shows, and what was measured before and is only read here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.studies.checks import check_seeds

STEM = "02_minecraft_worlds"
MODELS = paths.DATA / "models"
SPEED = paths.ROOT / "benchmarks" / "results" / "overworld.json"
EVALUATE = "python -m training.controller && python -m training.controller.evaluate"
BENCHMARK = "pip install crafter && python benchmarks/bench_overworld.py --save"
RIVAL = "crafter, 64x64 images, random"
"""What the benchmark calls the package beside which it measures."""
SKILL_COLUMNS = (
    "skill", "max_steps", "biome", "controller", "episodes", "successes", "success_rate", "low", "high",
    "mean_steps_of_successes", "mean_steps", "mean_steps_low", "mean_steps_high",
)  # fmt: skip
HORIZON_COLUMNS = ("pairs_of", "order_by", "worlds", "pairs", "accuracy", "low", "high")
SPEED_KEYS = (
    "host", "targets", "without images, random", "with 64x64 images, random", RIVAL,
    "times crafter, with images", "reset with image, ms", "peak memory of 12,000 steps, MB",
)  # fmt: skip


@dataclass(frozen=True)
class Size:
    """What a profile shows.

    Attributes:
        seeds: How many of the given seeds are walked and mapped; None for all.
        ticks: Length of a walk in ticks of 50 ms.
        side: Columns along each side of a map, which are ``STEP`` blocks apart.
    """

    seeds: int | None
    ticks: int
    side: int


STEP = 8
"""Blocks between two columns of a map."""
PROFILES = {
    "smoke": Size(1, 400, 48),
    "quick": Size(2, 4000, 128),
    "full": Size(None, 12_000, 256),
}


def size(profile: str) -> Size:
    """What a profile shows. Raises MnemocraftError for an unknown one."""
    one_of("profile", profile, PROFILES)
    return PROFILES[profile]


def chosen(profile: str, seeds: Sequence[int]) -> list[int]:
    """The seeds that a profile walks and maps. Raises MnemocraftError for an unknown profile or no seed."""
    check_seeds(seeds, 2)
    return list(seeds)[: size(profile).seeds]


def skills(folder: Path = MODELS) -> pd.DataFrame:
    """The controllers' measured skills, as :mod:`training.controller.evaluate` wrote them."""
    return _kept(folder / "controller_skills.csv", _csv, SKILL_COLUMNS, EVALUATE)


def horizons(folder: Path = MODELS) -> pd.DataFrame:
    """How often pairs of goals were put in their true order, as measured."""
    return _kept(folder / "controller_horizons.csv", _csv, HORIZON_COLUMNS, EVALUATE)


def speeds(path: Path = SPEED) -> dict[str, Any]:
    """What the benchmark of the overworld measured beside crafter."""
    return _kept(path, lambda file: json.loads(file.read_text(encoding="utf-8")), SPEED_KEYS, BENCHMARK)


def _csv(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def _kept(path: Path, read: Callable[[Path], Any], wanted: Sequence[str], command: str) -> Any:
    """What a file holds.

    Raises:
        MnemocraftError: it is missing or lacks something wanted; the message names the command that makes it.
    """
    try:
        found = read(path)
        lacking = [name for name in wanted if name not in found]
    except (OSError, ValueError, TypeError) as error:
        reason = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
        raise MnemocraftError(f"{path} {reason}; `{command}` makes it.") from None
    if lacking:
        raise MnemocraftError(f"{path} lacks {lacking[0]!r}; `{command}` makes it anew.")
    return found
