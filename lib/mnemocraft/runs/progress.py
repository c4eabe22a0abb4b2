"""A progress bar that watches the files, so that it works with every executor."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm


class Progress:
    """Counts finished episodes by the lines that were appended to the stream files.

    Args:
        title: What is running.
        planned: Number of episodes by stream file.
        finished: Number of episodes that need no work, by the same files.
        show: False draws nothing.
    """

    def __init__(
        self, title: str, planned: Mapping[Path, int], finished: Mapping[Path, int], show: bool
    ) -> None:
        self._open = {
            path: _Tail(path, finished[path]) for path, total in planned.items() if finished[path] < total
        }
        self._planned = planned
        self._settled = sum(planned[path] for path in planned if path not in self._open)
        self._bar = tqdm(
            desc=title,
            total=sum(planned.values()),
            initial=sum(finished.values()),
            unit="episode",
            file=sys.stderr,
            disable=not show,
            ncols=100,
            mininterval=0.5 if sys.stderr.isatty() else 5,  # each refresh is a line in a notebook's log
            smoothing=0.1,
        )

    def update(self) -> None:
        """Look at the files once."""
        if not self._bar.disable:
            count = self._settled + sum(
                min(tail.lines(), self._planned[path]) for path, tail in self._open.items()
            )
            self._bar.update(count - self._bar.n)

    def close(self) -> None:
        """Draw the last state."""
        self.update()
        self._bar.close()


class _Tail:
    """Counts the lines of a growing file, reading each byte once; a file in its place is counted anew.

    Until the stream's writer has put its copy in the place of the file that was there, ``finished`` counts.
    """

    def __init__(self, path: Path, finished: int) -> None:
        self._path, self._count, self._offset = path, finished, 0
        self._file, self._taken = self._number(), False

    def _number(self) -> int:
        return self._path.stat().st_ino if self._path.exists() else 0

    def lines(self) -> int:
        if (number := self._number()) != self._file:
            self._file, self._taken, self._count, self._offset = number, True, 0, 0
        if self._taken and number:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
            self._offset += len(data)
            self._count += data.count(b"\n")
        return self._count
