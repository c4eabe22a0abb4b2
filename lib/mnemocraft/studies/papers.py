"""The numbers that the papers print (``data/papers/``, see the README there), to put beside our own."""

import pandas as pd

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError, unreadable


def table(name: str) -> pd.DataFrame:
    """A table of a paper in long form, e.g. ``table("how2_table1")``; cells that are not printed are NaN.

    Raises:
        MnemocraftError: there is no such table; the message lists those there are.
    """
    path = paths.DATA / "papers" / f"{name}.csv"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in path.parent.glob("*.csv")))
        raise MnemocraftError(f"No paper table {name!r} in {path.parent}; there are: {known}.")
    with unreadable(path):
        return pd.read_csv(path, keep_default_na=False, na_values=[""])


def fact(paper: str, name: str) -> float:
    """A number from a paper's prose, e.g. ``fact("how2", "t_curriculum")``; NaN if it is only a bound.

    Raises:
        MnemocraftError: the paper's list of facts has no such name.
    """
    facts = table(f"{paper}_facts").set_index("fact")["value"]
    if name not in facts.index:
        raise MnemocraftError(f"No fact {name!r} in data/papers/{paper}_facts.csv.")
    return float(pd.to_numeric(facts[name], errors="coerce"))
