"""Reads GGUF files, llama.cpp's format, with the package ``gguf`` at several times its own speed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mnemocraft.errors import MissingExtra


def read_gguf(path: Path) -> Any:
    """The package's ``GGUFReader`` of a file. Raises MissingExtra without the package."""
    return reader()(path)


def reader() -> Any:
    """The package's ``GGUFReader``, over an array in the place of a mapped file.

    It takes a slice for every token of a vocabulary, and a slice of a ``memmap`` costs ten of an array:
    Gemma's file is read in 3 seconds instead of 12.

    Raises:
        MissingExtra: ``gguf`` is not installed.
    """
    try:
        import gguf
    except ImportError:
        raise MissingExtra("To read a model's file: pip install 'mnemocraft[local]'.") from None

    class Reader(gguf.GGUFReader):
        @property
        def data(self) -> np.ndarray:
            return self._array

        @data.setter
        def data(self, mapped: np.memmap) -> None:
            self._array = mapped.view(np.ndarray)  # of the same memory, which the view keeps mapped

    return Reader
