"""A progress bar that watches the files, so that it works with every executor."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

_CALLS, _TOKENS = re.compile(rb'"calls": ?(\d+)'), re.compile(rb'"(?:prompt|completion)": ?(\d+)')
"""Of a record; within its texts quotation marks are escaped, so that nothing else looks like these."""


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
        self._open = {path: _Tail(path) for path, total in planned.items() if finished[path] < total}
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
            for tail in self._open.values():
                tail.read()
            took = time.monotonic() - self._started
            calls, tokens = (
                sum(getattr(tail, name) for tail in self._open.values()) for name in ("calls", "tokens")
            )
            self._bar.set_postfix_str(
                f"{calls / took:,.1f} calls/s, {tokens / took:,.0f} tokens/s", refresh=False
            )
            count = self._settled + sum(tail.lines for tail in self._open.values())
            self._bar.update(count - self._bar.n)

    def close(self) -> None:
        """Draw the last state."""
        self.update()
        self._bar.close()


class _Tail:
    """Counts the lines of a growing file, and calls and tokens in those added; reads each byte once."""

    def __init__(self, path: Path) -> None:
        self._path, self._rest = path, b""
        self._offset = path.stat().st_size if path.exists() else 0
        self.lines = path.read_bytes().count(b"\n") if path.exists() else 0
        self.calls = self.tokens = 0

    def read(self) -> None:
        """Take in what was added."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        self._offset += len(data)
        whole, newline, self._rest = (self._rest + data).rpartition(b"\n")
        if newline:
            self.lines += whole.count(b"\n") + 1
            self.calls += sum(map(int, _CALLS.findall(whole)))
            self.tokens += sum(map(int, _TOKENS.findall(whole)))
