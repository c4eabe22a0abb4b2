"""Every numbered table and figure of the five papers, and where it is here.

``python -m mnemocraft.studies.coverage`` writes ``COVERAGE.md`` from ``data/papers/coverage.csv``.
A row is an item with a notebook and the files that it leaves (tables in ``data/results``, figures in
``figures``), or with the reason why there is nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError, unreadable

COVERAGE = paths.ROOT / "COVERAGE.md"
PAPERS = ("How2", "M2PA", "DEPS", "GiG", "MindStores")
HEAD = """# Tables and figures of the papers

Every numbered table and figure of the five papers: the notebook that has its counterpart and the files that
it leaves, or the reason why there is none. `python -m mnemocraft.studies.coverage` makes this page from
`data/papers/coverage.csv`.
"""


def table() -> pd.DataFrame:
    """The list: ``paper``, ``item``, ``what``, ``notebook``, ``artefact`` (names with spaces), ``reason``.

    Raises:
        MnemocraftError: A row has neither a place nor a reason, or a file that it names is not there.
    """
    path = paths.DATA / "papers" / "coverage.csv"
    with unreadable(path):
        rows = pd.read_csv(path, keep_default_na=False)
    for row in rows.itertuples():
        if bool(row.notebook) != bool(row.artefact) or not (row.notebook or row.reason):
            raise MnemocraftError(
                f"{row.paper}'s {row.item} needs a notebook and its artefacts, or a reason, in coverage.csv."
            )
        for name in str(row.artefact).split():
            if not files(str(row.notebook), name):
                raise MnemocraftError(
                    f"{row.paper}'s {row.item} names {name}, which notebook {row.notebook} did not leave."
                )
    return rows


def files(notebook: str, name: str) -> list[Path]:
    """The committed files of a notebook that have a name: figures, or the tables of any model and profile."""
    if name.endswith(".csv"):
        found = (paths.DATA / "results" / notebook).glob(f"*/*/{name}")
        return [path for path in found if path.parent.name != paths.PROFILES[0]]
    return list((paths.ROOT / "figures" / notebook).glob(name))


def markdown(rows: pd.DataFrame) -> str:
    """The page: a section a paper, a row an item."""
    return (
        "\n\n".join([HEAD.strip(), *(_section(paper, rows[rows["paper"] == paper]) for paper in PAPERS)])
        + "\n"
    )


def _section(paper: str, rows: pd.DataFrame) -> str:
    lines = ["| item | what | where | reason if nowhere |", "|---|---|---|---|"]
    for row in rows.itertuples():
        names = ", ".join(f"`{name}`" for name in str(row.artefact).split())
        where = f"[{str(row.notebook)[:2]}](book/{row.notebook!s}.md): {names}" if row.notebook else ""
        lines.append(f"| {row.item} | {row.what} | {where} | {row.reason} |")
    return f"## {paper}\n\n" + "\n".join(lines)


def main() -> None:
    """Write ``COVERAGE.md``; takes no argument."""
    argparse.ArgumentParser(
        prog="python -m mnemocraft.studies.coverage", description=main.__doc__
    ).parse_args()
    rows = table()
    COVERAGE.write_text(markdown(rows), encoding="utf-8")
    placed = int((rows["notebook"] != "").sum())
    print(f"{COVERAGE.name}: {len(rows)} items, {placed} with a notebook")


if __name__ == "__main__":
    try:
        main()
    except MnemocraftError as error:
        sys.exit(str(error))
