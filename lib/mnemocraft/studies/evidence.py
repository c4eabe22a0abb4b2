"""The claims of all notebooks in one table, as an artefact's reviewer asks for them.

``python -m mnemocraft.studies.evidence`` writes it to ``CLAIMS.md`` from the committed tables
(``data/results/<notebook>/<model>/<profile>/hypotheses.csv``, and ``*_claims.csv`` beside it, of the runs in
``data/runs.csv``), and its first lines into ``README.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError, unreadable
from mnemocraft.figstyle import is_surrogate
from mnemocraft.files import replace_file
from mnemocraft.stats import MIN_CLUSTERS, NOT_TESTED
from mnemocraft.studies.claims import ALL, unit, within

RESULTS = paths.DATA / "results"
RUNS = paths.DATA / "runs.csv"
"""The committed runs that count, one a notebook and model: the command, and its minutes on two cores (after
the set-up). Runs that it does not list, such as those with a model of your own, change nothing here."""
CLAIMS = paths.ROOT / "CLAIMS.md"
README = paths.ROOT / "README.md"
BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"
"""What stands between them in the README is generated."""
FIRST = 8
"""Claims shown in the README if there are fewer of real models that have a test."""
RUN = ["notebook", "model", "profile"]
SAME_BYTES = "byte-identical tables"
WITHIN = "effect within its interval"
HEAD = """# Claims

What the papers claim, and what the committed tables say about it: of each notebook and model, those of its
largest profile. `python -m mnemocraft.studies.evidence` makes this page from them.

- **effect** with its 95 % interval, from many random splits of the **clusters** (tasks, kitchens ... whose
  episodes go together) into two halves (notebook 90); **paper** is the paper's own effect.
- **detectable**: the smallest effect that these data would find in 80 % of runs after Holm's correction.
- **verdict**: `holds`, `fails` or `undecided` by the corrected p; `reverses` if parts have opposite effects;
  `cannot be decided here` if the paper's effect is smaller than the detectable one (but in notebook 04, whose
  rule was registered before its run: there sign and corrected p alone decide); `not tested` below 20
  clusters, where all of them agree, or where its arms do not measure what the claim says
  (its notebook says why). A stand-in for a language model gets no verdict: what it does is a
  `consequence of` an assumption that notebook 00 lists, or there is `no effect seen` of it,
  or it is `not built in`.
- **beside the paper**: is the direction the paper's, and does our interval contain or exclude its size?
- **tolerance**: what a rerun with the versions of `constraints.txt` has to reproduce, with any `--workers`.

CI runs every notebook in profile `smoke`, and checks that this page is what the committed tables say.
"""


def table(results: Path = RESULTS, runs: Path = RUNS) -> pd.DataFrame:
    """One row a claim and part, those of language models first.

    Returns:
        ``notebook``, ``model``, ``profile``, ``command``, ``minutes``, ``tolerance``, and of its claims'
        tables (``hypotheses.csv`` and any ``*_claims.csv``): ``claim``, ``part``, ``metric``, ``effect``,
        ``low``, ``high``, ``clusters`` with their ``unit``, ``detectable``, ``paper_effect``, ``verdict``,
        ``direction`` and ``size``.

    Raises:
        MnemocraftError: a table is missing, or of an older form.
    """
    with unreadable(runs):
        listed = [*pd.read_csv(runs)[[*RUN, "command", "minutes"]].itertuples()]
    claims = pd.concat([_read(run, results) for run in listed], ignore_index=True)
    standin = claims["model"].map(is_surrogate)
    return claims.iloc[standin.argsort(kind="stable")].reset_index(drop=True)


def _read(run: Any, results: Path) -> pd.DataFrame:
    """The claims of one row of ``data/runs.csv``."""
    path = results / run.notebook / paths.slug(run.model) / run.profile / "hypotheses.csv"
    if not path.exists():
        raise MnemocraftError(f"{path} is missing, and data/runs.csv lists its run.")
    return pd.concat([_claims(table, run) for table in (path, *sorted(path.parent.glob("*_claims.csv")))])


def _claims(path: Path, run: Any) -> pd.DataFrame:
    """The claims of one table of a run."""
    with unreadable(path):
        claims = pd.read_csv(path)
    if not {"part", "pairs", "detectable"} <= set(claims):
        raise MnemocraftError(f"{path} is of an older form: run its notebook again.")
    exact = run.model in paths.SHIPPED or run.model.startswith("replay:")
    what = unit(claims)
    return claims.rename(columns={what: "clusters"}).assign(
        **{name: getattr(run, name) for name in (*RUN, "command", "minutes")},
        unit=what,
        tolerance=SAME_BYTES if exact else WITHIN,
    )


def markdown(claims: pd.DataFrame) -> str:
    """The page: one section a run, one row a claim and part."""
    return "\n\n".join([HEAD.strip(), *(_section(run) for _, run in claims.groupby(RUN, sort=False))]) + "\n"


def _section(run: pd.DataFrame) -> str:
    first = run.iloc[0]
    asked = "no language model" if first["model"] == paths.NO_MODEL else f"`{first['model']}`"
    asked += " (a stand-in, no language model)" if is_surrogate(first["model"]) else ""
    title = f"## {first['notebook']}: {asked}, profile `{first['profile']}`"
    takes = (
        f"`{first['command']}`: {first['minutes']:g} minutes on two cores; tolerance: {first['tolerance']}."
    )
    return f"{title}\n\n{takes}\n\n{_rows(run)}"


def _rows(claims: pd.DataFrame) -> str:
    """Claims for reading; a part of a claim follows it, set off by an arrow."""
    whole = claims["part"] == ALL
    effects = [_effect(row) for _, row in claims.iterrows()]
    beside = [_beside(row) for _, row in claims.iterrows()]
    shown = {
        "claim": claims["claim"].where(whole, "→ " + claims["part"].map(within)),
        "effect": effects,
        "paper": claims["paper_effect"].map(_number),
        "clusters": claims["clusters"].astype(str) + " " + claims["unit"],
        "detectable": claims["detectable"].map(lambda value: _number(value, "")),
        "verdict": claims["verdict"],
        "beside the paper": beside,
    }
    return _table(pd.DataFrame(shown))


def _table(shown: pd.DataFrame) -> str:
    rows = shown.itertuples(index=False, name=None)
    lines: list[Iterable[object]] = [list(shown), ["---"] * len(shown.columns), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |" for line in lines)


def _number(value: float, sign: str = "+") -> str:
    return "-" if pd.isna(value) else f"{value:{sign}.3f}"


def _effect(row: pd.Series) -> str:
    reach = "" if pd.isna(row["low"]) else f" [{_number(row['low'])}, {_number(row['high'])}]"
    return _number(row["effect"]) + reach


def _beside(row: pd.Series) -> str:
    said = [row["direction"], f"{row['size']} its size" if isinstance(row["size"], str) else None]
    return ", ".join(part for part in said if isinstance(part, str)) or "-"


def excerpt(claims: pd.DataFrame) -> str:
    """The claims for the README: all of real models that have a test; if these are few, others after them.

    A claim is told over all its cells.
    """
    whole = claims[claims["part"] == ALL]
    nobody = whole["model"].map(is_surrogate) | (whole["model"] == paths.NO_MODEL)
    untested = (whole["clusters"] < MIN_CLUSTERS) | (whole["verdict"] == NOT_TESTED)
    rank = 2 * nobody + untested
    first = whole.iloc[rank.argsort(kind="stable")].head(max(FIRST, int((rank == 0).sum())))
    shown = {
        "claim": first["claim"],
        "notebook": first["notebook"].str[:2],
        "model": first["model"].replace(paths.NO_MODEL, "no language model"),
        "effect": [_effect(row) for _, row in first.iterrows()],
        "clusters": first["clusters"].astype(str) + " " + first["unit"],
        "verdict": first["verdict"],
    }
    return _table(pd.DataFrame(shown))


def in_readme(readme: str, claims: pd.DataFrame) -> str:
    """The README with the first claims in their place. Raises MnemocraftError if the place is not marked."""
    before, _, rest = readme.partition(BEGIN)
    if END not in rest:  # else all that follows would be lost
        raise MnemocraftError(f"{README.name} must have {BEGIN} and, after it, {END}.")
    return f"{before}{BEGIN}\n{excerpt(claims)}\n{END}{rest.partition(END)[2]}"


def main() -> None:
    """Write ``CLAIMS.md`` and the README's excerpt; takes no argument."""
    argparse.ArgumentParser(
        prog="python -m mnemocraft.studies.evidence", description=main.__doc__
    ).parse_args()
    claims = table()
    readme = in_readme(README.read_text(encoding="utf-8"), claims)
    for path, text in ((CLAIMS, markdown(claims)), (README, readme)):
        replace_file(path, text)
    print(f"{CLAIMS.name}: {len(claims)} rows of {claims.groupby(RUN).ngroups} runs")


if __name__ == "__main__":
    try:
        main()
    except MnemocraftError as error:
        sys.exit(str(error))
