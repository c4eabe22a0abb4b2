"""Episodes in a worker process: one worker for each process of ours, replaced when it dies, hangs or leaks.

The engine is not safe for threads, keeps some memory of every game, and evaluates game files as code; so it
gets a process of its own (:mod:`.worker`). An episode is its game and its commands: as the engine is
deterministic, it goes on in another worker where the first one left off.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mnemocraft.envs.alfworld.games import Game
from mnemocraft.errors import MissingExtra, MnemocraftError

NEEDS = ("alfworld", "textworld", "fast_downward", "tatsu")
HOW = "run `./run_all.sh alfworld`, or pip install 'mnemocraft[alfworld]'"
MAX_MIB = 256.0
"""A worker that has grown beyond this is replaced before the next episode."""
START = 300.0
"""Seconds in which a worker must have started."""
ATTEMPTS = 2
"""How often a request is tried, each time in a new worker."""

_lock = threading.RLock()
_numbers = itertools.count()


class WorkerEnded(Exception):
    """The worker is gone; the argument says why, as the end of a sentence."""


class Worker:
    """A process in which games are played.

    Args:
        plain: Leave the engine as it is, slow; for comparisons.

    Attributes:
        mib: Memory that it has used at most so far, in MiB.
        pid: Of the process.

    Raises:
        MissingExtra: The engine is not installed.
        WorkerEnded: It does not start.
    """

    def __init__(self, plain: bool = False) -> None:
        missing = [name for name in NEEDS if find_spec(name) is None]
        if missing:
            raise MissingExtra(f"ALFWorld needs {missing[0]}, which is not installed: {HOW}.")
        ours, theirs = socket.socketpair()
        with theirs:
            script = str(Path(__file__).with_name("worker.py"))
            more = ["--plain"] if plain else []
            self._process = subprocess.Popen(
                [sys.executable, "-P", script, str(theirs.fileno()), *more],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Importing alfworld makes its data folder, of which it needs nothing here.
                env={**os.environ, "ALFWORLD_DATA": tempfile.gettempdir()},
                start_new_session=True,  # Ctrl-C is for us
            )
        self._socket, self._pipe = ours, ours.makefile("rwb")
        self.pid, self.mib, self._owner = self._process.pid, 0.0, os.getpid()
        self._receive(START)

    @property
    def usable(self) -> bool:
        """Whether it runs, and was started by this very process, not by one that was forked into it."""
        return not self._pipe.closed and self._owner == os.getpid()

    def ask(self, timeout: float, **request: Any) -> dict[str, Any]:
        """Its answer to a request, see :mod:`.worker`.

        Raises:
            WorkerEnded: It died, or took longer than ``timeout`` seconds and was stopped.
            MnemocraftError: The engine refused the game or the command.
        """
        try:
            self._pipe.write(json.dumps(request).encode() + b"\n")
            self._pipe.flush()
            answer = self._receive(timeout)
        except OSError:
            self._end("died")
        except BaseException:  # an interrupt: its answer would be taken for that to the next request
            self.close()
            raise
        if "error" in answer:
            raise MnemocraftError(f"ALFWorld's engine cannot {request['do']} ({answer['error']}).")
        self.mib = answer["mib"]
        return answer

    def _receive(self, timeout: float) -> dict[str, Any]:
        self._socket.settimeout(timeout)
        try:
            line = self._pipe.readline()
        except TimeoutError:
            self._end(f"gave no answer within {timeout:g} s")
        except OSError:
            self._end("died")
        if not line.endswith(b"\n"):
            self._end("died")
        return json.loads(line)

    def _end(self, why: str) -> Any:
        self.close()
        raise WorkerEnded(why) from None

    def close(self) -> None:
        """Stop it."""
        self._process.kill()
        self._process.wait()
        self._socket.close()
        with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
            self._pipe.close()


class _Workers:
    """The worker of this process."""

    now: Worker | None = None

    def get(self, begins: bool) -> Worker:
        """The worker, or a new one if there is none, or if an episode begins and it has grown too large."""
        if self.now is not None and self.now.usable and begins and self.now.mib > MAX_MIB:
            self.now.close()
        if self.now is None or not self.now.usable:
            self.now = Worker()
        return self.now


workers = _Workers()


class Session:
    """An episode of a game.

    Args:
        game: The game.
        timeout: Seconds to wait for each answer of the engine.

    Attributes:
        text: The engine's last reply.
        commands: The admissible commands, sorted.
        won: Whether the goal is reached.

    Raises:
        MissingExtra: The engine is not installed.
        MnemocraftError: The engine cannot play the game, or worker after worker dies of it.
    """

    def __init__(self, game: Game, timeout: float) -> None:
        self._game, self._timeout = game, timeout
        self._number = next(_numbers)
        self._worker: Worker | None = None
        self._done: list[str] = []
        self._seen: dict[str, Any] = {}
        self._try("begin the game", begins=True)

    @property
    def text(self) -> str:
        return self._seen["text"]

    @property
    def commands(self) -> list[str]:
        return self._seen["commands"]

    @property
    def won(self) -> bool:
        return self._seen["won"]

    def step(self, command: str) -> None:
        """Give a command, one that is admissible.

        Raises:
            MnemocraftError: Worker after worker dies of it, or the game cannot be continued.
        """
        self._try(f"do {command!r}", command=command)
        self._done.append(command)

    def _try(self, what: str, begins: bool = False, command: str = "") -> None:
        why = ""
        for _ in range(ATTEMPTS):
            try:
                with _lock:
                    self._once(begins, command)
                return
            except WorkerEnded as ended:
                why = str(ended)
        raise MnemocraftError(f"ALFWorld's worker {why} when asked to {what}, {ATTEMPTS} times in a row.")

    def _once(self, begins: bool, command: str) -> None:
        worker = workers.get(begins)
        ask = {"timeout": self._timeout, "episode": self._number}
        seen = {"lost": True}
        if worker is self._worker:
            seen = worker.ask(do="step", command=command, **ask)
        if "lost" in seen:
            self._worker = worker
            seen = worker.ask(do="begin", sha256=self._game.sha256, game=self._game.content, **ask)
            for done in self._done:
                seen = worker.ask(do="step", command=done, **ask)
            self._same(seen)
            if not begins:
                seen = worker.ask(do="step", command=command, **ask)
        self._seen = {key: seen[key] for key in ("text", "commands", "won")}

    def _same(self, seen: dict[str, Any]) -> None:
        if any(seen[key] != value for key, value in self._seen.items()):
            raise MnemocraftError(
                f"The game {self._game.name} went another way when its {len(self._done)} commands were "
                "repeated in a new worker."
            )

    def end(self) -> None:
        """Let the worker forget the episode; nothing can be done in it any more."""
        with _lock:
            if self._worker is not None and self._worker.usable:
                with contextlib.suppress(WorkerEnded):  # then it has forgotten everything
                    self._worker.ask(self._timeout, do="end", episode=self._number)
            self._worker = None
