"""What every study does with its tables and figures: write them, say where they come from, show them."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle, paths
from mnemocraft.errors import unreadable
from mnemocraft.files import replace_file
from mnemocraft.runs import code_version, write_table
from mnemocraft.studies.estimates import number, text, wide
from mnemocraft.studies.markup import escaped

PROVENANCE = "provenance.json"
PACKAGES = (
    "numpy", "pandas", "scipy", "statsmodels", "plancraft", "networkx", "numba", "torch", "torch-geometric",
    "sentence-transformers", "faiss-cpu", "xllamacpp", "matplotlib", "seaborn",
)  # fmt: skip
"""The packages whose versions may decide a number or a picture."""


def source(records: pd.DataFrame) -> dict[str, str]:
    """Where tables come from: model and seeds of the records, and one hash over their configurations."""

    def joined(column: str) -> str:
        return " ".join(str(value) for value in sorted(records[column].unique()))

    config = hashlib.sha256(joined("config").encode()).hexdigest()[:12]
    return {"model": joined("model"), "seeds": joined("seed"), "config": config}


def write(
    found: Mapping[str, pd.DataFrame],
    records: pd.DataFrame | Mapping[str, str],
    folder: Path,
    predicted: Mapping[str, Sequence[str]] | None = None,
) -> list[Path]:
    """Write tables as ``<name>.csv``, and where they come from to the folder's ``provenance.json``.

    A table holds results only, so that a rerun that finds the same numbers changes one file.

    Args:
        found: Tables by name.
        records: What they were measured on; or, where nothing was played, what :func:`source` says of it.
        folder: Where; what its provenance says of other tables in it stays.
        predicted: By table, the columns that a network predicted (:func:`mnemocraft.runs.write_table`).
    """
    origin = source(records) if isinstance(records, pd.DataFrame) else dict(records)
    files = [folder / f"{name}.csv" for name in found]
    for path, (name, table) in zip(files, found.items(), strict=True):
        write_table(table, path, (predicted or {}).get(name, ()))
    _write_provenance(folder, dict.fromkeys(found, origin | {"commit": code_version()}))
    return files


def provenance(folder: Path) -> dict[str, Any]:
    """What a folder's provenance says: ``tables`` (model, seeds, config, commit by name), ``packages`` ...

    Raises:
        MnemocraftError: It is damaged.
    """
    path = folder / PROVENANCE
    with unreadable(path):
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"tables": {}}


def _write_provenance(folder: Path, origins: Mapping[str, Mapping[str, str]]) -> None:
    """The commit is the one that made the tables; their episodes' records say at which they were played."""
    known = provenance(folder)["tables"]
    kept = {name: origin for name, origin in known.items() if (folder / f"{name}.csv").exists()}
    machine = {"architecture": platform.machine(), "processor": platform.processor()}
    facts = {"python": platform.python_version(), "machine": machine, "packages": _versions()}
    told = json.dumps(facts | {"tables": {**kept, **origins}}, indent=1, sort_keys=True)
    replace_file(folder / PROVENANCE, told + "\n")


def _versions() -> dict[str, str]:
    """The versions of those of :data:`PACKAGES` that are installed."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def save_figures(drawn: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Save every figure as PDF and PNG."""
    return [path for name, figure in drawn.items() for path in figstyle.save(figure, folder, name)]


def with_paper(table: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """A long table for reading; in ``0.52 [0.49, 0.55] | 0.59`` the last number is the paper's."""
    texts = table.assign(text=table.apply(text, axis=1) + " | " + table["paper"].map(number))
    return wide(texts, rows, columns)


def not_played(why: str) -> None:
    """Display why nothing is played, so that the runner of notebooks knows it too."""
    from IPython.display import Markdown, display

    told = f"{why} Nothing is played; below are the tables that came with the repository."
    display(Markdown(escaped(told)), metadata={paths.NOT_PLAYED: why})


def show(drawn: Mapping[str, Figure], folder: Path, *names: str) -> None:
    """Display those figures of ``names`` that were drawn, from the ``folder`` they were saved in."""
    from IPython.display import display

    display(*(figstyle.show(folder, name) for name in names if name in drawn))
