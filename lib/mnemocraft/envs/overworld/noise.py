"""Hashes and smooth noise in whole numbers: the only source of chance in the overworld."""

from __future__ import annotations

from mnemocraft.envs.overworld.jit import compiled

ONE = 65536
"""Noise values lie in 0 ... ONE - 1."""


@compiled
def scramble(value: int) -> int:
    """All 64 bits of ``value`` mixed (the finaliser of SplitMix64, on wrapping signed numbers)."""
    value = (value ^ ((value >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    value = (value ^ ((value >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return value ^ ((value >> 31) & 0x1FFFFFFFF)


@compiled
def hash2(seed: int, x: int, z: int) -> int:
    """64 random bits that belong to a place in the plane."""
    return scramble(seed + x * 0x1E3779B97F4A7C15 + z * 0x42B2AE3D27D4EB4F)


@compiled
def hash3(seed: int, x: int, y: int, z: int) -> int:
    """64 random bits that belong to a place in space."""
    return scramble(seed + x * 0x1E3779B97F4A7C15 + y * 0x165667B19E3779F9 + z * 0x42B2AE3D27D4EB4F)


@compiled
def below(bits: int, limit: int) -> int:
    """A number from 0 to ``limit`` - 1 made of random bits."""
    return ((bits >> 20) & 0x7FFFFFFF) * limit >> 31


@compiled
def fade(part: int) -> int:
    """The smooth step 3t² - 2t³ with t in 1/1024."""
    return part * part * (3072 - 2 * part) >> 20


@compiled
def noise2(seed: int, x: int, z: int, shift: int) -> int:
    """Value noise in the plane whose lattice is 2**shift blocks wide; 0 ... ONE - 1."""
    size = 1 << shift
    left, near = x >> shift, z >> shift
    across = fade(((x & (size - 1)) << 10) >> shift)
    along = fade(((z & (size - 1)) << 10) >> shift)
    a, b = hash2(seed, left, near) & 0xFFFF, hash2(seed, left + 1, near) & 0xFFFF
    c, d = hash2(seed, left, near + 1) & 0xFFFF, hash2(seed, left + 1, near + 1) & 0xFFFF
    front = (a << 10) + (b - a) * across
    back = (c << 10) + (d - c) * across
    return ((front << 10) + (back - front) * along) >> 20
