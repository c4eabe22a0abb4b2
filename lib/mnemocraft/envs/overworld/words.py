"""Observations and shortages in words, the same for the overworld and for MineDojo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mnemocraft.envs.overworld.items import recipes_of

COMPASS = ("south", "south-west", "west", "north-west", "north", "north-east", "east", "south-east")


def describe(
    biome: str,
    place: Sequence[float],
    sun: float,
    condition: tuple[float, float],
    around: str,
    stations: tuple[bool, bool],
    possessions: str,
) -> str:
    """The text of an observation.

    Args:
        biome: Name of the biome.
        place: The player's x, y, z, yaw and pitch.
        sun: Its brightness from 0 to 1.
        condition: Life and food, of 20.
        around: See :func:`surroundings`.
        stations: Whether a table and a furnace are near.
        possessions: See :func:`possessions`.
    """
    x, y, z, yaw, pitch = place
    life, food = condition
    near = " A crafting table is near." * stations[0] + " A furnace is near." * stations[1]
    return (
        f"Biome: {biome}. Position: {x:.1f} {y:.1f} {z:.1f}, facing {COMPASS[round(yaw / 45) % 8]}, "
        f"pitch {pitch:.0f}. Time: {'day' if sun > 0.5 else 'night'}. "
        f"Life {life:g} of 20, food {food:g} of 20. Around: {around}.{near} {possessions}"
    )


def surroundings(blocks: Iterable[str]) -> str:
    """Names of the blocks around the player."""
    return ", ".join(sorted(set(blocks) - {"air"})) or "nothing"


def possessions(hand: str, counts: Mapping[str, int]) -> str:
    """What is in the main hand, and units of each item that is had."""
    held = ", ".join(f"{number} {item}" for item, number in counts.items())
    return f"Main hand: {hand}. Inventory: {held or 'empty'}."


def missing(item: str, station: int, counts: Mapping[str, int]) -> str:
    """What the recipe of an item that lacks least lacks; empty if one lacks nothing."""
    lacks = [
        [(name, units - counts.get(name, 0)) for name, units in parts if counts.get(name, 0) < units]
        for _, parts in recipes_of(item, station)
    ]
    least = min(lacks, key=lambda gaps: sum(gap for _, gap in gaps))
    return ", ".join(f"{gap} {name.replace('_', ' ')}" for name, gap in least)
