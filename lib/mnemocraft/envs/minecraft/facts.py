"""What a rules file says, as small immutable values.

Names are the version's, without ``minecraft:``; 1.11.2 has none for variants (``planks`` is any of six).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mnemocraft.errors import MnemocraftError

SMELTING_TICKS = 200
"""Ticks that a furnace needs for one item; a tick is 50 ms."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item: how many fit in a slot, uses before it breaks (0 = never), food points and saturation."""

    name: str
    stack: int
    durability: int = 0
    food: int = 0
    saturation: float = 0.0


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool can do: ``kind`` (pickaxe, axe ...), ``tier``, mining speed and attack (half hearts)."""

    kind: str
    tier: str
    speed: float
    attack: float


@dataclass(frozen=True, slots=True)
class CraftingRecipe:
    """One way to craft ``count`` times ``result``.

    Attributes:
        result: Item made.
        count: How many of it one craft makes.
        table: True if it does not fit the player's own 2 x 2 grid.
        ingredients: Pairs of an ingredient and how many units it asks; units may be different members. An
            ingredient is an item, a tag (``#planks``), or several of these joined by ``|``: see
            :meth:`Rules.members`.
        rows: Ingredients by cell, ``""`` for an empty one; ``()`` for a shapeless recipe and where the layout
            is not known (all of 1.11.2, whose source counts ingredients only).
        shaped: False if the places do not matter.
    """

    result: str
    count: int
    table: bool
    ingredients: tuple[tuple[str, int], ...]
    rows: tuple[tuple[str, ...], ...] = ()
    shaped: bool = True


@dataclass(frozen=True, slots=True)
class Smelting:
    """A furnace turns one unit of ``ingredient`` (as in :class:`CraftingRecipe`) into one ``result``."""

    result: str
    ingredient: str


@dataclass(frozen=True, slots=True)
class Drop:
    """``low`` to ``high`` units of ``item`` (``""`` = nothing) with probability ``chance``.

    ``tools`` not empty: only if one of these is in the hand.
    """

    item: str
    low: int = 1
    high: int = 1
    chance: float = 1.0
    tools: tuple[str, ...] = ()


Loot = tuple[tuple[Drop, ...], ...]
"""Pools, each rolled once; of a pool, the first drop whose tool and chance allow it is given."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block.

    Attributes:
        name: Its name, often that of an item.
        hardness: Seconds-like measure of the break time; None if it cannot be broken.
        tool: Kind of tool that is fast on it, ``""`` if none.
        group: ``leaves``, ``wool``, ``web``, ``plant`` or ``""``: what shears and swords are good at.
        harvest: Tools of which one must be in the hand to get drops; empty if anything will do.
        drops: What it leaves.
        solid: False if one can walk through it.
        light: Light it gives, 0 to 15.
        transparent: True if light passes.
        found: Dimension in which it occurs by nature, ``""`` if nowhere.
    """

    name: str
    hardness: float | None
    tool: str
    group: str
    harvest: tuple[str, ...]
    drops: Loot
    solid: bool
    light: int
    transparent: bool
    found: str


@dataclass(frozen=True, slots=True)
class Mob:
    """A mob: health and attack (half hearts), drops when killed, ``sheared`` drops, ``found`` as in Block."""

    name: str
    health: float
    attack: float
    hostile: bool
    drops: Loot
    sheared: Loot
    found: str


@dataclass(frozen=True, slots=True)
class Gather:
    """An item got otherwise than by breaking or killing: ``source`` says from what (water, cow, fishing ...).

    ``uses`` is used up (an ingredient or ``""``); one of ``tools`` must be had unless the tuple is empty.
    """

    item: str
    source: str
    uses: str
    tools: tuple[str, ...]
    found: str


@dataclass(frozen=True, slots=True)
class Ore:
    """``veins`` veins a chunk of about ``size`` blocks, at heights ``low`` to ``high`` (inclusive).

    ``shape``: ``uniform`` or ``triangle`` (most in the middle). ``biomes``: only there, unless empty.
    """

    block: str
    low: int
    high: int
    veins: float
    size: int
    shape: str
    biomes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """Blocks of a tree species; ``variant`` is 1.11.2's number of the kind within the block's name."""

    log: str
    leaves: str
    sapling: str
    variant: int


@dataclass(frozen=True, slots=True)
class Biome:
    """A biome: trees as (species, trees a chunk), animals as (mob, spawn weight, group low, group high)."""

    name: str
    id: int
    temperature: float
    rainfall: float
    dimension: str
    trees: tuple[tuple[str, float], ...]
    animals: tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Rules:
    """All rules of one version. Treat the dictionaries as read-only; most are keyed by name.

    Attributes:
        version: ``1.11.2``, ``1.16.5`` or ``1.19.2``.
        items: Every item.
        tools: Items with a tool's properties.
        recipes: Crafting recipes in a fixed order.
        smelting: Furnace recipes in a fixed order.
        tags: Families of items, in the game's order, nested ones spelt out.
        blocks: Every block.
        mobs: Mobs that drop something or that biomes name.
        gathers: Other ways to get items.
        fuels: Ticks that one unit burns, in the order in which a sparing player would burn them.
        remains: What stays when an item is used up (milk bucket: bucket).
        ores: Where ores lie, in the version's overworld.
        trees: Blocks of each species.
        biomes: Every biome.
        gates: Items that one must have to reach a dimension other than the overworld.
    """

    version: str
    items: dict[str, Item]
    tools: dict[str, Tool]
    recipes: tuple[CraftingRecipe, ...]
    smelting: tuple[Smelting, ...]
    tags: dict[str, tuple[str, ...]]
    blocks: dict[str, Block]
    mobs: dict[str, Mob]
    gathers: tuple[Gather, ...]
    fuels: dict[str, int]
    remains: dict[str, str]
    ores: tuple[Ore, ...]
    trees: dict[str, Tree]
    biomes: dict[str, Biome]
    gates: dict[str, dict[str, int]]
    _members: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __hash__(self) -> int:
        return hash(self.version)

    def members(self, ingredient: str) -> tuple[str, ...]:
        """Items that an ingredient accepts, e.g. ``members("#coals")`` or ``members("coal|charcoal")``."""
        found = self._members.get(ingredient)
        if found is None:
            parts = ingredient.split("|")
            names = [n for p in parts for n in (self._tag(p[1:]) if p.startswith("#") else (p,))]
            found = self._members[ingredient] = tuple(dict.fromkeys(names))
        return found

    def _tag(self, name: str) -> tuple[str, ...]:
        if name not in self.tags:
            raise MnemocraftError(f"Minecraft {self.version} has no tag #{name}; see Rules.tags.")
        return self.tags[name]

    def can_harvest(self, block: Block, tool: str | None) -> bool:
        """True if breaking ``block`` with ``tool`` (None = bare hand) gives its drops."""
        return not block.harvest or tool in block.harvest

    def speed(self, block: Block, tool: str | None) -> float:
        """Mining speed of ``tool`` (None or no tool = 1) on ``block``."""
        known = self.tools.get(tool) if tool else None
        if known is None:
            return 1.0
        if known.kind == "shears":
            return {"web": 15.0, "leaves": 15.0, "wool": 5.0}.get(block.group, 1.0)
        if known.kind == "sword":
            return {"web": 15.0, "leaves": 1.5, "plant": 1.5}.get(block.group, 1.0)
        return known.speed if known.kind == block.tool else 1.0

    def break_ticks(self, block: Block, tool: str | None) -> int | None:
        """Ticks to break ``block`` with ``tool``: at least 1; None if it cannot be broken."""
        if block.hardness is None:
            return None
        if block.hardness == 0:
            return 1
        effort = self.speed(block, tool) / block.hardness / (30 if self.can_harvest(block, tool) else 100)
        return 1 if effort >= 1 else math.ceil(1 / effort - 1e-9)
