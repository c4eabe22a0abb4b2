"""Reading a run back: one table of records for every analysis, trajectories for a viewer, one CSV writer."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemocraft.errors import MnemocraftError
from mnemocraft.runs.store import (
    Record,
    read_member,
    read_records,
    replace_file,
    stream_path,
    trajectory_path,
)

if TYPE_CHECKING:
    import pandas as pd

# pandas is imported inside the functions: worker processes write records and never read tables.

COLUMNS = (
    "study", "condition", "model", "seed", "index", "task", "status", "success", "reason", "steps", "wall_s",
    "commit", "config", "identity", "stream", "trajectory_offset", "trajectory_length",
)  # fmt: skip
"""Columns that every table of records has; settings and metrics may not take these names."""
PREDICTED_DIGITS = 4
"""Significant digits of a network's predictions that are equal on any machine."""
NOISE = 1e-12
"""Share of a column's scale below which a number says nothing."""


def load_records(out: Path) -> pd.DataFrame:
    """Read the records of the latest run in a folder, also while it is running or after it was killed.

    Failed episodes (status ``error``, ``timeout``, ``crash``, ``budget``) are rows like the others, with
    ``success`` False, so that they stay in every denominator. Results of earlier settings that still lie in
    the folder are not read.

    Returns:
        One row per finished episode, sorted by condition, seed and index. Columns: :data:`COLUMNS`, then
        the settings, then the metrics (missing where an episode failed), then ``tokens_<role>_<kind>``
        (0 where a role was not used); each group in alphabetical order.
    """
    import pandas as pd

    records = list(_planned_records(out))
    settings, metrics, tokens = (
        [_settings(record) for record in records],
        [record["metrics"] for record in records],
        [_tokens(record) for record in records],
    )
    base = pd.DataFrame([_base(record) for record in records], columns=list(COLUMNS))
    groups = [pd.DataFrame(rows, index=base.index).sort_index(axis=1) for rows in (settings, metrics, tokens)]
    groups[2] = groups[2].fillna(0).astype(int)
    frame = pd.concat([base, *groups], axis=1)
    return frame.sort_values(["condition", "seed", "index"], ignore_index=True)


def read_trajectory(out: Path, record: Mapping[str, Any] | pd.Series) -> list[dict[str, Any]]:
    """Read the trajectory of one episode.

    Args:
        out: The run folder.
        record: A row of :func:`load_records`.
    """
    path = trajectory_path(out, record["stream"])
    return read_member(path, int(record["trajectory_offset"]), int(record["trajectory_length"]))


def write_table(frame: pd.DataFrame, path: Path, predicted: Collection[str] = ()) -> None:
    """Write a result table as CSV so that equal tables are equal bytes, on any machine.

    Six significant digits, four of what a network predicted (float32 sums differ between processors in their
    fifth or sixth). What is below 1e-12 of the largest number of its column, or of 1, is rounding noise and
    becomes 0, but for p-values, which may be small (columns ``p`` and ``p_...``, and rows whose ``statistic``
    is ``p_value``). ``\\n`` line ends, rows and columns as given, no index; the file is replaced as a whole.

    Args:
        frame: The table.
        path: Its file.
        predicted: Columns that a network predicted.
    """
    frame = frame.infer_objects()
    for name in frame.columns[[dtype.kind == "f" for dtype in frame.dtypes]]:
        column = frame[name]
        scale = column.abs().where(column.abs() < inf, 0).max()
        noise = column.abs() < NOISE * max(1.0, scale)
        if str(name).partition("_")[0] == "p":
            noise[:] = False
        elif "statistic" in frame:
            noise &= frame["statistic"] != "p_value"
        column = column.mask(noise, 0.0)
        frame = frame.assign(**{name: column.map(_predicted) if name in predicted else column})
    replace_file(path, frame.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def _predicted(value: float) -> float:
    return float(f"{value:.{PREDICTED_DIGITS}g}")


def _planned_records(out: Path) -> itertools.chain[Record]:
    try:
        plan = json.loads((out / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MnemocraftError(f"{out} holds no run (there is no run.json in it)") from None
    return itertools.chain.from_iterable(
        (record for record, _ in itertools.islice(read_records(path), stream["episodes"]))
        for stream in plan["streams"]
        if (path := stream_path(out, stream["stream"])).exists()
    )


def _base(record: Record) -> Record:
    place = record["trajectory"]
    return record | {"trajectory_offset": place["offset"], "trajectory_length": place["length"]}


def _settings(record: Record) -> Record:
    """Settings as columns; a list or a mapping as its JSON."""
    return {
        key: json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else value
        for key, value in record["settings"].items()
    }


def _tokens(record: Record) -> dict[str, int]:
    return {
        f"tokens_{role}_{kind}": count
        for role, counts in record["tokens"].items()
        for kind, count in counts.items()
    }
