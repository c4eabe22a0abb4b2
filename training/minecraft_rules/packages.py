"""The three packages that the rules come from, read from their archives without installing them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from mnemocraft.envs.plancraft.recipes import package_file
from mnemocraft.errors import MnemocraftError

ARCHIVES = {
    "minedojo==0.1": (
        "minedojo-0.1-py3-none-any.whl",
        "aca370d9cbcfc79557a067955bebd4e6112d7be873e7c44818793fa92db17afe",
    ),
    "minecraft-data==3.20.0": (
        "minecraft_data-3.20.0.tar.gz",
        "930274c08ba7d8451922e74a717f850278277723a15137295d369267e3d5a56f",
    ),
}
"""Requirement, name and SHA-256 of each archive; the third package, plancraft, is a dependency of ours."""

_MINEDOJO = "minedojo/sim/mc_meta/mc_constants.json"
_WANTED = {"biomes", "blockLoot", "blocks", "dataPaths", "entities", "foods", "items", "recipes"}


class Packages:
    """JSON files of the source packages.

    Args:
        folder: Where the archives lie; missing ones are downloaded into it with pip.

    Raises:
        MnemocraftError: An archive cannot be had, or is not the one that was pinned.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for requirement, (name, digest) in ARCHIVES.items():
            if not (folder / name).exists():
                _download(requirement, folder)
            found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
            if found != digest:
                raise MnemocraftError(f"{folder / name} is not the pinned archive (SHA-256 {found}).")

    @cached_property
    def minedojo(self) -> dict[str, Any]:
        """MineDojo's constants of Minecraft 1.11.2: items, crafting and smelting recipes."""
        with zipfile.ZipFile(self.folder / ARCHIVES["minedojo==0.1"][0]) as archive:
            return json.loads(archive.read(_MINEDOJO))

    def minecraft_data(self, version: str, name: str) -> Any:
        """A file of minecraft-data (``items``, ``blocks``, ``recipes`` ...), as the version uses it."""
        paths = self._read("dataPaths.json")["pc"][version]
        return self._read(f"{paths[name]}/{name}.json")

    def plancraft(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Name and content of plancraft's ``recipes`` or ``tags`` (Minecraft 1.16.5), by name."""
        for path in sorted(package_file("environment", kind).glob("*.json")):
            yield path.stem, json.loads(path.read_text(encoding="utf-8"))

    def _read(self, path: str) -> Any:
        if path not in self._texts:
            raise MnemocraftError(f"minecraft-data has no file {path}.")
        return json.loads(self._texts[path])

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        """The files that are wanted, in one pass: going back in a compressed archive is slow."""
        found = {}
        with tarfile.open(self.folder / ARCHIVES["minecraft-data==3.20.0"][0]) as archive:
            for member in archive:
                folder, _, path = member.name.partition("/data/data/")
                if (
                    folder
                    and Path(path).stem in _WANTED
                    and path.endswith(".json")
                    and path.startswith(("pc/1.1", "dataPaths"))
                ):
                    content = archive.extractfile(member)
                    found[path] = content.read() if content else b""
        return found


def _download(requirement: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    done = subprocess.run([*command, requirement], capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise MnemocraftError(f"pip could not download {requirement}: {why}")
