"""Reading a run back: one table of records for every analysis, trajectories for a viewer, one CSV writer."""

from __future__ import annotations

import json
import logging
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemocraft.errors import MnemocraftError
from mnemocraft.files import replace_file
from mnemocraft.runs.events import Event, read_event
from mnemocraft.runs.identity import chain
from mnemocraft.runs.store import Record, read_lines, read_member, stream_path, trajectory_path

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
_MISSING = object()
_CODES = {int: "q", float: "d"}


log = logging.getLogger(__name__)


def load_records(out: str | Path) -> pd.DataFrame:
    """Read the records of the latest run in a folder, also while it is running or after it was killed.

    Failed episodes (status ``error``, ``timeout``, ``crash``, ``budget``) are rows like the others, with
    ``success`` False, so that they stay in every denominator. Results of earlier settings that still lie in
    the folder are not read; damaged records are left out and told in the log.

    Returns:
        One row per finished episode, sorted by condition, seed and index. Columns: :data:`COLUMNS`, then
        the settings, then the metrics (missing where an episode failed), then ``tokens_<role>_<kind>``
        (0 where a role was not used); each group in alphabetical order.
    """
    rows, out = Rows(), Path(out)
    for stream, identities in _plan(out).items():
        rows.add(_planned(stream_path(out, stream), identities))
    return rows.frame()


class Rows:
    """Records as columns: what a table of a million episodes needs, and no more."""

    def __init__(self) -> None:
        self._count = 0
        self._base, self._settings, self._metrics, self._tokens = (_Columns() for _ in range(4))

    def add(self, records: Iterable[Record]) -> None:
        """Append the rows of some records."""
        found = list(records)
        for name in COLUMNS[:-2]:
            self._base.extend(name, self._count, [record.get(name) for record in found])
        for name, place in zip(COLUMNS[-2:], ("offset", "length"), strict=True):
            self._base.extend(name, self._count, [record["trajectory"][place] for record in found])
        self._settings.add(self._count, _settings(found))
        self._metrics.add(self._count, [record["metrics"] for record in found])
        self._tokens.add(self._count, [_tokens(record) for record in found])
        self._count += len(found)

    def frame(self) -> pd.DataFrame:
        """The table, see :func:`load_records`; the columns are given away."""
        import pandas as pd

        columns = {name: pd.Series(self._base.take(name, self._count, nan)) for name in COLUMNS}
        for group in (self._settings, self._metrics):
            columns |= {name: pd.Series(group.take(name, self._count, nan)) for name in group.names}
        for name in self._tokens.names:
            columns[name] = pd.Series(self._tokens.take(name, self._count, 0), dtype=int)
        frame = pd.DataFrame(columns, copy=False)
        return frame.sort_values(["condition", "seed", "index"], ignore_index=True)


class _Columns:
    """Columns by name, each as far as there was something to add; numbers alone take eight bytes each."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any] | array[Any]] = {}
        self._texts: dict[str, str] = {}

    @property
    def names(self) -> list[str]:
        return sorted(self._columns)

    def add(self, before: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows after ``before`` others."""
        for name in dict.fromkeys(name for names in {tuple(row): None for row in rows} for name in names):
            self.extend(name, before, [row.get(name, _MISSING) for row in rows])

    def extend(self, name: str, before: int, values: list[Any]) -> None:
        """Append the values of a column after ``before`` rows, equal texts as one object."""
        column = self._columns.setdefault(name, [])
        if len(column) < before:
            column = self._columns[name] = [*column, *[_MISSING] * (before - len(column))]
        kinds = set(map(type, values))
        if str in kinds:
            texts = self._texts
            values = [texts.setdefault(v, v) if type(v) is str else v for v in values]
        code = _CODES.get(kinds.pop()) if len(kinds) == 1 else None
        if code and not column:
            self._columns[name] = array(code, values)
        elif isinstance(column, array) and column.typecode != code:
            self._columns[name] = [*column, *values]
        else:
            column.extend(values)

    def take(self, name: str, length: int, missing: Any) -> Any:
        """A column, filled up to a length, which is kept no longer."""
        import numpy as np

        column = self._columns.pop(name, [])
        if isinstance(column, array) and len(column) == length:
            return np.asarray(column)
        whole = (*column, *[_MISSING] * (length - len(column)))
        return [missing if value is _MISSING else value for value in whole]


def read_trajectory(out: str | Path, record: Mapping[str, Any] | pd.Series) -> list[dict[str, Any]]:
    """Read the trajectory of one episode.

    Args:
        out: The run folder.
        record: A row of :func:`load_records`.
    """
    path = trajectory_path(Path(out), record["stream"])
    return read_member(path, int(record["trajectory_offset"]), int(record["trajectory_length"]))


def read_events(out: str | Path, record: Mapping[str, Any] | pd.Series) -> list[Event]:
    """:func:`read_trajectory` as events. Raises ValueError if one is none of the schema."""
    return [read_event(entry) for entry in read_trajectory(out, record)]


def read_memory(out: str | Path, episodes: pd.DataFrame) -> list[Any]:
    """What episodes of a stream wrote to the memory, in their order; None where one wrote nothing.

    Args:
        out: The run folder.
        episodes: Rows of :func:`load_records`, all of one stream.
    """
    rows = episodes.sort_values("index")
    lines = read_lines(stream_path(Path(out), rows["stream"].iloc[0]))
    wrote = {record["identity"]: record.get("memory") for _, record in lines if record}
    return [wrote.get(identity) for identity in rows["identity"]]


def write_table(frame: pd.DataFrame, path: str | Path, predicted: Collection[str] = ()) -> None:
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
    replace_file(Path(path), frame.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def _predicted(value: float) -> float:
    return float(f"{value:.{PREDICTED_DIGITS}g}")


def _plan(out: Path) -> dict[str, list[str]]:
    """The streams of the latest run by name, with their episodes' identities."""
    try:
        plan = json.loads((out / "run.json").read_text(encoding="utf-8"))
        lists = plan["tasks"]
        return {each["stream"]: chain(each["root"], lists[each["tasks"]]) for each in plan["streams"]}
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise MnemocraftError(f"{out} holds no run (there is no run.json in it)") from None
    except (ValueError, LookupError, TypeError):  # not JSON, or of an earlier version
        raise MnemocraftError(f"{out / 'run.json'} is damaged; running again writes it anew") from None


def _planned(path: Path, identities: Sequence[str]) -> Iterator[Record]:
    """A stream's records of the planned episodes, as they lie in the file; what is damaged is told."""
    damaged = []
    for number, (_, record) in enumerate(read_lines(path), 1):
        if record is None:
            damaged.append(number)
        elif record["identity"] in identities[record["index"] : record["index"] + 1]:
            yield record
    if damaged:
        lines = ", ".join(map(str, damaged))
        log.warning("%s is damaged in line %s; running again plays those episodes again", path, lines)


def _settings(records: Iterable[Record]) -> list[Record]:
    """The settings of records as columns, a list or a mapping as its JSON; those of a stream are equal."""
    rows: list[Record] = []
    last = None
    for record in records:
        if record["settings"] != last:
            last = record["settings"]
            row = {
                key: json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else value
                for key, value in last.items()
            }
        rows.append(row)
    return rows


def _tokens(record: Record) -> dict[str, int]:
    return {
        f"tokens_{role}_{kind}": count
        for role, counts in record["tokens"].items()
        for kind, count in counts.items()
    }
