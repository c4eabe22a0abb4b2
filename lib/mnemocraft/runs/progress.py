"""A progress bar that watches the files, so that it works with every executor."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

_ROLES = re.compile(rb'"tokens": ?\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}')
"""A record's tokens by role; within its texts quotation marks are escaped, so that nothing else looks so."""
_CALLS, _TOKENS = re.compile(rb'"calls": ?(\d+)'), re.compile(rb'"(?:prompt|completion)": ?(\d+)')


class Progress:
    """Counts finished episodes, calls and tokens in what was appended to the stream files.

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
        self._started = time.monotonic()

    def update(self) -> None:
        """Look at the files once."""
        if not self._bar.disable:
            count = self._settled + sum(
                min(tail.lines(), self._planned[path]) for path, tail in self._open.items()
            )
            took = time.monotonic() - self._started
            calls = sum(tail.calls for tail in self._open.values()) / took
            tokens = sum(tail.tokens for tail in self._open.values()) / took
            self._bar.set_postfix_str(f"{calls:,.1f} calls/s, {tokens:,.0f} tokens/s", refresh=False)
            self._bar.update(count - self._bar.n)

    def close(self) -> None:
        """Draw the last state."""
        self.update()
        self._bar.close()


class _Tail:
    """Counts the lines of a growing file, reading each byte once; a file in its place is counted anew.

    Until the stream's writer has put its copy in the place of the file that was there, ``finished`` counts.
    ``calls`` and ``tokens`` are those of the lines after the ``finished`` ones.
    """

    def __init__(self, path: Path, finished: int) -> None:
        self._path, self._count, self._offset = path, finished, 0
        self._finished, self._rest = finished, b""
        self.calls = self.tokens = 0
        self._file, self._taken = self._number(), False

    def _number(self) -> int:
        return self._path.stat().st_ino if self._path.exists() else 0

    def lines(self) -> int:
        if (number := self._number()) != self._file:
            self._file, self._taken = number, True
            self._count, self._offset, self._rest = 0, 0, b""
        if self._taken and number:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
            self._offset += len(data)
            *whole, self._rest = (self._rest + data).split(b"\n")
            new = b"\n".join(_ROLES.findall(b"\n".join(whole[max(0, self._finished - self._count) :])))
            self.calls += sum(map(int, _CALLS.findall(new)))
            self.tokens += sum(map(int, _TOKENS.findall(new)))
            self._count += len(whole)
        return self._count
