"""Safetensors files, read and written, with sentences for what can be wrong with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MissingExtra, MnemocraftError, unreadable
from mnemocraft.files import replace_file

Array = npt.NDArray[np.generic]

_KEY = "mnemocraft"
"""The only key of the file's metadata: safetensors writes several in random order."""


class BadWeights(MnemocraftError):
    """A file of weights is missing, damaged, or made for something else."""


def read(path: Path, command: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """The tensors of a file and what :func:`write` was told about them.

    Args:
        path: The file.
        command: What makes it anew, as a module: ``training.scene_encoder``.

    Raises:
        MissingExtra: safetensors is not installed.
        BadWeights: there is no such file, it is damaged, or something else wrote it.
    """
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise MissingExtra(
            "Weights need safetensors, which is not installed: pip install 'mnemocraft[graph]'."
        ) from None
    if not path.is_file():
        raise BadWeights(f"{path} does not exist; `python -m {command}` makes it anew.")
    try:
        with safe_open(path, framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
            about = (file.metadata() or {}).get(_KEY)
    except (SafetensorError, OSError) as damage:
        raise BadWeights(f"{path} is not a whole safetensors file: {damage}") from None
    if about is None:
        raise BadWeights(f"{path} was not written by mnemocraft: its metadata has no {_KEY!r}.")
    with unreadable(path):
        return tensors, json.loads(about)


def write(path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Write tensors, and JSON-able facts about them, so that equal contents are equal bytes."""
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    replace_file(path, save(whole, {_KEY: json.dumps(about, sort_keys=True)}))


def sha256(path: Path) -> str:
    """Hash of a file, as the card states it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
