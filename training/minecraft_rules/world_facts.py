"""Items, blocks, drops, mobs, fuels and biomes of a version: packages first, then the table by hand."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from training.minecraft_rules.crafting_facts import Tags
from training.minecraft_rules.packages import Packages

_TIERS = ("wooden", "stone", "iron", "diamond", "netherite", "golden")
_TOOL_OF = {"rock": "pickaxe", "wood": "axe", "dirt": "shovel", "plant": "axe"}
"""Kind of tool by minecraft-data's older names of materials; newer ones are written ``mineable/axe``."""


class World:
    """What a version's rules file says besides recipes.

    Args:
        packages: The source packages.
        version: Minecraft's version.
        hand: The table written by hand.
        families: The version's tags.
    """

    def __init__(self, packages: Packages, version: str, hand: dict[str, Any], families: Tags) -> None:
        self.packages, self.version, self.hand, self.families = packages, version, hand, families
        self.old = version == "1.11.2"

    def name(self, name: str) -> str:
        """The version's own name for a block, item or mob of 1.16.5."""
        return self.hand["rename"].get(name, name) if self.old else name

    def items(self) -> dict[str, list[float]]:
        """Stack size, durability, food points and saturation by name, without trailing zeros."""
        foods = {food["name"]: food for food in self.packages.minecraft_data(self.version, "foods")}
        if self.old:
            foods = {self.hand["foods_renamed"].get(name, name): food for name, food in foods.items()}
        found = {}
        for name, (stack, durability) in self._sizes.items():
            food = foods.get(name, {})
            values = [stack, durability, int(food.get("foodPoints", 0)), round(food.get("saturation", 0), 3)]
            while not values[-1]:
                values.pop()
            found[name] = values
        return found

    @cached_property
    def _sizes(self) -> dict[str, tuple[int, int]]:
        if self.old:
            every = sorted(self.packages.minedojo["items"], key=lambda item: item["type"])
            return {i["type"]: (i["stackSize"], i["maxDamage"]) for i in every if i["type"] != "air"}
        every = self.packages.minecraft_data(self.version, "items")
        return {i["name"]: (i["stackSize"], i.get("maxDurability", 0)) for i in every if i["name"] != "air"}

    @cached_property
    def _raw_blocks(self) -> list[dict[str, Any]]:
        return self.packages.minecraft_data(self.version, "blocks")

    def tools(self) -> dict[str, list[Any]]:
        """Kind, tier, speed and attack of each tool."""
        hand, found = self.hand["tools"], {}
        for kind in hand["kinds"]:
            for tier in _TIERS:
                speed = hand["speed"][tier] if kind != "sword" else 1.5
                if f"{tier}_{kind}" in self._sizes:
                    found[f"{tier}_{kind}"] = [kind, tier, speed, hand["attack"][kind][tier]]
        return found | {"shears": ["shears", "iron", 5, 1]}

    def existing_tags(self) -> Tags:
        """Tags without members that the version lacks."""
        kept = {tag: [name for name in names if self._exists(name)] for tag, names in self.families.items()}
        return {tag: names for tag, names in kept.items() if names}

    def _exists(self, name: str) -> bool:
        return name in self._sizes or name in self._block_names

    @cached_property
    def _block_names(self) -> set[str]:
        return {raw["name"] for raw in self._raw_blocks}

    def blocks(self, toolsets: list[list[str]]) -> dict[str, list[Any]]:
        """Properties and drops by name; sets of tools are put into ``toolsets`` and named by their place."""
        return {raw["name"]: self._block(raw, toolsets) for raw in self._raw_blocks}

    def _block(self, raw: dict[str, Any], toolsets: list[list[str]]) -> list[Any]:
        name, hand = raw["name"], self.hand["blocks"]
        harvest = self._harvest(raw)
        if harvest and harvest not in toolsets:
            toolsets.append(harvest)
        solid = raw["boundingBox"] == "block"
        return [
            None if name in hand["unbreakable"] else round(raw["hardness"] or 0, 3),
            self._tool(raw, harvest),
            self._group(raw),
            toolsets.index(harvest) if harvest else None,
            self._drops(raw),
            int(solid),
            raw["emitLight"],
            int(raw["transparent"] or not solid),
            self._found.get(name, ""),
        ]

    def _harvest(self, raw: dict[str, Any]) -> list[str]:
        names = [self._item_names[int(number)] for number in raw.get("harvestTools", ())]
        return sorted(names, key=lambda n: next((i for i, t in enumerate(_TIERS) if n.startswith(t)), 9))

    @cached_property
    def _item_names(self) -> dict[int, str]:
        blocks = {raw["id"]: raw["name"] for raw in self._raw_blocks} if self.old else {}
        items = self.packages.minecraft_data(self.version, "items")
        return blocks | {item["id"]: item["name"] for item in items}

    def _tool(self, raw: dict[str, Any], harvest: list[str]) -> str:
        """The kind of tool that is fast on a block."""
        name, material = raw["name"], raw.get("material") or ""
        if name in {self.name(n) for n in self.hand["blocks"]["shovel"]}:
            return "shovel"
        if self._group(raw) == "leaves":
            return "" if self.old else "hoe"
        kinds = {tool.rpartition("_")[2] for tool in harvest}
        if len(kinds) == 1:
            return kinds.pop()
        for part in material.split(";"):
            if part.startswith("mineable/"):
                return part.removeprefix("mineable/")
        return _TOOL_OF.get(material, "")

    def _group(self, raw: dict[str, Any]) -> str:
        """What shears and swords are good at."""
        name, material = raw["name"], raw.get("material") or ""
        if name in {self.name("cobweb"), "cobweb"}:
            return "web"
        if "leaves" in name:
            return "leaves"
        if material == "wool":
            return "wool"
        soft = {self.name(n) for n in self.hand["blocks"]["plants"]}
        flora = raw["boundingBox"] == "empty" and "plant" in material
        return "plant" if flora or name in soft else ""

    def _drops(self, raw: dict[str, Any]) -> list[list[list[Any]]] | None:
        """Pools of drops; None for the block itself."""
        name = raw["name"]
        for table in (f"drops {self.version}", "drops"):
            named = {self.name(block): pools for block, pools in reversed(self.hand.get(table, {}).items())}
            if name.removeprefix("lit_") in named:
                return self._loot(named[name.removeprefix("lit_")])
        if "leaves" in name:
            return self._leaves(name)
        entries = self._old_drops(raw) if self.old else self._new_drops(name)
        return None if entries == [[[name, 1, 1, 1.0]]] else entries

    def _leaves(self, name: str) -> list[list[list[Any]]]:
        """Shears take the leaves; otherwise saplings, apples and, since 1.14, sticks by chance."""
        kinds = [t for t in self.hand["trees"].values() if self.name(t[1]) == name]
        sapling, seeds, apples = (kinds[0][2], kinds[0][4], kinds[0][5]) if kinds else ("azalea", 0.05, 0.0)
        sheared = [name, 1, 1, 1.0, ["shears"]]
        nothing = ["", 1, 1, 1.0, ["shears"]]
        pools = [[sheared, [self.name(sapling), 1, 1, seeds]]] if seeds else [[sheared]]
        if not self.old:
            pools.append([nothing, ["stick", 1, 2, 0.02]])
        return pools + ([[nothing, ["apple", 1, 1, apples]]] if apples else [])

    def _old_drops(self, raw: dict[str, Any]) -> list[list[list[Any]]]:
        """minecraft-data before 1.13: ids, with a range where it is not one."""
        found = []
        for entry in raw["drops"]:
            drop = entry["drop"]
            number = drop["id"] if isinstance(drop, dict) else drop
            low = int(entry.get("minCount", 1))
            if self._item_names[number] in self._sizes:
                found.append([[self._item_names[number], low, int(entry.get("maxCount", max(low, 1))), 1.0]])
        return found

    def _new_drops(self, name: str) -> list[list[list[Any]]]:
        """minecraft-data's loot: which items; its numbers are trusted where they are not a chance."""
        if name not in self._loot_tables:
            stand = name.replace("_wall_", "_").replace("wall_", "")
            return self._new_drops(stand) if stand != name and stand in self._loot_tables else []
        found: dict[str, list[list[Any]]] = {}
        for entry in self._loot_tables[name]:
            low, high = (max(1, n or 1) for n in entry["stackSizeRange"])
            if not entry.get("silkTouch") and entry["item"] in self._sizes:
                found.setdefault(entry["item"], [[entry["item"], low, max(low, high), 1.0]])
        return list(found.values())

    @cached_property
    def _loot_tables(self) -> dict[str, list[dict[str, Any]]]:
        loot = self.packages.minecraft_data(self.version, "blockLoot")
        return {entry["block"]: entry["drops"] for entry in loot}

    def _loot(self, pools: Iterable[Iterable[list[Any]]]) -> list[list[list[Any]]]:
        """Pools under the version's names, without items and tools that it lacks."""
        found = []
        for pool in pools:
            drops = []
            for item, low, high, chance, *tools in pool:
                own = [tool for tool in tools[0] if tool in self._sizes] if tools else []
                if self.name(item) in self._sizes and bool(tools) == bool(own):
                    drops.append([self.name(item), low, high, chance, *([own] if own else [])])
            if drops:
                found.append(drops)
        return found

    @cached_property
    def _found(self) -> dict[str, str]:
        places = {self.name(n): place for place, names in self.hand["found"].items() for n in names}
        trees = (self.name(block) for tree in self.hand["trees"].values() for block in tree[:2])
        return places | dict.fromkeys(trees, "overworld")

    def mobs(self) -> dict[str, list[Any]]:
        """Health, attack, hostility, drops, drops of shears and dimension."""
        living = {entity["name"] for entity in self.packages.minecraft_data(self.version, "entities")}
        renamed = {
            self.name(mob): values
            for mob, values in self.hand["mobs"].items()
            if mob not in ("cod", "salmon")
        }
        if not self.old:
            renamed |= {mob: self.hand["mobs"][mob] for mob in ("cod", "salmon")}
        return {
            mob: [health, attack, int(hostile), self._loot(drops), self._loot(sheared), found]
            for mob, (health, attack, hostile, found, drops, sheared) in renamed.items()
            if mob in living
        }

    def gathers(self) -> list[list[Any]]:
        """Other ways to an item: item, source, what is used up, tools, dimension."""
        every: dict[str, list[Any]] = {}
        for item, (source, uses, tools, found) in self.hand["gathers"].items():
            own = [tool for tool in tools if tool in self._sizes]
            known = self.name(item) in self._sizes and (not uses or uses in self._sizes)
            if known and self.name(item) not in self._found and not (source == "bee nest" and self.old):
                every.setdefault(self.name(item), [self.name(item), source, uses, own, found])
        for log in self.families["logs"]:
            if f"stripped_{log}" in self._sizes:
                axes = [f"{tier}_axe" for tier in _TIERS]
                every[f"stripped_{log}"] = [f"stripped_{log}", "log", log, axes, "overworld"]
        return list(every.values())

    def fuels(self) -> dict[str, int]:
        """Ticks by item, families spelt out; the nether's wood does not burn."""
        fireproof = set(self.families.get("non_flammable_wood", ()))
        found: dict[str, int] = {}
        for name, ticks in self.hand["fuels"]["order"]:
            members = self.families.get(name[1:], ()) if name.startswith("#") else (self.name(name),)
            for member in members:
                if member in self._sizes and member not in fireproof:
                    found.setdefault(member, ticks)
        return found | self.hand.get(f"fuels {self.version}", {})

    def remains(self) -> dict[str, str]:
        """What stays of an item that is used up."""
        return {item: left for item, left in self.hand["remains"].items() if item in self._sizes}

    def ores(self) -> list[list[Any]]:
        """Veins of the overworld."""
        every = self.hand["ores"]["new" if self.version == "1.19.2" else "old"]
        names = {b: self.name(b) for b, *_ in every}
        return [
            [names[block], *numbers, [self._biome(biome) for biome in biomes]]
            for block, *numbers, biomes in every
            if names[block] in self._block_names
        ]

    def trees(self) -> dict[str, list[Any]]:
        """Log, leaves, sapling and number of the kind in 1.11.2, by species."""
        return {
            species: [self.name(log), self.name(leaves), self.name(sapling), variant]
            for species, (log, leaves, sapling, variant, *_) in self.hand["trees"].items()
            if self.name(log) in self._block_names
        }

    def biomes(self) -> dict[str, list[Any]]:
        """Id, climate, dimension, trees and animals, under the version's names."""
        life = {name: entry for entry in self.hand["biomes"] for name in entry["names"]}
        mobs, found = self.mobs(), {}
        for raw in self.packages.minecraft_data(self.version, "biomes"):
            entry = life.get(raw["name"], {})
            herds = (self.hand["farm"]["animals"] if entry.get("farm") else []) + entry.get("animals", [])
            herds = [[self.name(mob), *numbers] for mob, *numbers in herds if self.name(mob) in mobs]
            climate = [raw["temperature"], raw["rainfall"], raw["dimension"]]
            found[self._biome(raw["name"])] = [raw["id"], *climate, entry.get("trees", []), herds]
        return found

    def _biome(self, name: str) -> str:
        return self.hand["biome_names"].get(name, name) if self.old else name
