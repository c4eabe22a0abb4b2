"""Make the rules files of ``data/minecraft/`` again: ``python -m training.minecraft_rules``.

The facts come from three packages with an MIT licence (``packages``) and from ``handwritten.toml``.
``--check`` compares with the files that are there and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mnemocraft.envs.minecraft.rules import VERSIONS
from mnemocraft.errors import MnemocraftError
from mnemocraft.paths import DATA
from training.minecraft_rules import crafting_facts, world_facts
from training.minecraft_rules.packages import Packages

FOLDER = DATA / "minecraft"
_HAND = Path(__file__).parent / "handwritten.toml"


def build(packages: Packages, version: str) -> str:
    """Text of the rules file of a version."""
    hand = tomllib.loads(_HAND.read_text(encoding="utf-8"))
    families = crafting_facts.tags(packages, version, hand)
    world = world_facts.World(packages, version, hand, families)
    toolsets: list[list[str]] = []
    parts = {
        "version": version,
        "items": world.items(),
        "tools": world.tools(),
        "tags": world.existing_tags(),
        "recipes": crafting_facts.recipes(packages, version, hand, families),
        "smelting": crafting_facts.smelting(packages, version, hand),
        "blocks": world.blocks(toolsets),
        "toolsets": toolsets,
        "mobs": world.mobs(),
        "gathers": world.gathers(),
        "fuels": world.fuels(),
        "remains": world.remains(),
        "ores": world.ores(),
        "trees": world.trees(),
        "biomes": world.biomes(),
        "gates": hand["gates"],
    }
    return "\n".join(_lines(parts)) + "\n"


def _lines(parts: dict[str, Any]) -> Iterator[str]:
    """One fact a line: small changes then make small differences."""
    yield "{"
    for i, (name, part) in enumerate(parts.items()):
        end = "," if i + 1 < len(parts) else ""
        if not isinstance(part, dict | list):
            yield f'"{name}": {_json(part)}{end}'
            continue
        if isinstance(part, dict):
            facts, brackets = [f"{_json(key)}: {_json(value)}" for key, value in part.items()], "{}"
        else:
            facts, brackets = [_json(value) for value in part], "[]"
        yield f'"{name}": {brackets[0]}'
        yield from (fact + ("," if j + 1 < len(facts) else "") for j, fact in enumerate(facts))
        yield brackets[1] + end
    yield "}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> int:
    """Build all versions; the exit status is 1 if ``--check`` finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, help="folder with the archives (default: download them)")
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            packages = Packages(options.packages or Path(folder))
        except MnemocraftError as error:
            print(error, file=sys.stderr)
            return 1
        texts = {FOLDER / f"{version}.json": build(packages, version) for version in VERSIONS}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{path.name} differs" if options.check else f"{path.name} written")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    return int(options.check and bool(stale))
