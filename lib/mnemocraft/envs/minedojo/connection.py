"""A worker process and the pipe to it: requests, time limits, and what to say when it fails."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, BinaryIO, NoReturn, cast

from mnemocraft.envs.minedojo.launch import HOW
from mnemocraft.envs.minedojo.minedojo_worker.protocol import VERSION, Arrays, Body, Garbage, receive, send
from mnemocraft.errors import MnemocraftError

MINEDOJO = "0.1"
"""The version of the package that the worker knows."""
GRACE = 10.0
"""Seconds that the game gets to close."""


class Connection:
    """A worker that runs.

    Args:
        command: How to start it.
        variables: Its environment variables.
        timeout: Seconds to wait for each answer.

    Raises:
        MnemocraftError: It does not start, or speaks another version of the protocol.
    """

    def __init__(self, command: list[str], variables: dict[str, str], timeout: float) -> None:
        self._timeout, self._number = timeout, 0
        with tempfile.NamedTemporaryFile(prefix="minedojo-", suffix=".log", delete=False) as log:
            self.log = Path(log.name)
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=variables,
                    start_new_session=True,  # Ctrl-C is for us; the worker finishes its answer
                )
            except OSError as error:
                self.log.unlink()
                raise MnemocraftError(
                    f"The MineDojo worker cannot be started ({error}); {HOW} anew."
                ) from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests = cast(BinaryIO, self._process.stdin)
        self._answers: Queue[tuple[Body, Arrays] | Exception] = Queue()
        Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()
        self._greet()

    def _greet(self) -> None:
        hello, _ = self._next("start")
        if hello.get("protocol") != VERSION:
            self._fail(
                f"The MineDojo worker speaks version {hello.get('protocol')} of the protocol, not {VERSION}; "
                "it belongs to another version of Mnemocraft."
            )
        if hello.get("minedojo") != MINEDOJO:
            found = f"minedojo {hello['minedojo']}" if hello.get("minedojo") else "no package minedojo"
            self._fail(f"MineDojo's environment has {found}, but {MINEDOJO} is needed; {HOW} anew.")

    def ask(self, what: str, **arguments: Any) -> tuple[Body, Arrays]:
        """Send a request and wait for its answer.

        Args:
            what: What to do, see :meth:`Simulator.do`.
            arguments: What JSON can say.

        Raises:
            MnemocraftError: MineDojo refused, or the worker died, sent garbage or took too long. After the
                latter three the connection is closed.
        """
        self._number += 1
        try:
            send(self._requests, {"number": self._number, "what": what, "arguments": arguments})
        except OSError:
            self._died(what)
        while True:
            body, arrays = self._next(what)
            if body.get("number") == self._number:
                break  # others answer a request whose sender was interrupted
        if "error" in body:
            more = f" (Log: {self.log})" if what == "reset" else ""  # where the game is built and started
            raise MnemocraftError(f"MineDojo cannot {what}: {str(body['error']).rstrip('.')}.{more}")
        return body, arrays

    def _next(self, what: str) -> tuple[Body, Arrays]:
        try:
            answer = self._answers.get(timeout=self._timeout)
        except Empty:
            self._fail(f"The MineDojo worker did not {what} within {self._timeout:g} s and was stopped.")
        if isinstance(answer, EOFError):
            self._died(what)
        if isinstance(answer, Exception):
            self._fail(f"The MineDojo worker sent something that is no answer to {what}: {answer}.")
        return answer

    def _died(self, what: str) -> NoReturn:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        lines = self.log.read_text(errors="replace").strip().splitlines()
        last = f"; its last words: {lines[-1].strip()[:300]}" if lines else ""
        status = self._process.returncode
        self._fail(f"The MineDojo worker ended (exit status {status}) when asked to {what}{last}.")

    def _fail(self, sentence: str) -> NoReturn:
        self._stop(0)
        raise MnemocraftError(f"{sentence} (Log: {self.log})")

    @property
    def closed(self) -> bool:
        """Whether the worker has been stopped."""
        return self._requests.closed

    def close(self) -> None:
        """Stop the worker and forget its log; MineDojo's own watchdog ends the game with it."""
        if not self.closed:
            self._stop(GRACE)
            self.log.unlink(missing_ok=True)

    def _stop(self, grace: float) -> None:
        with contextlib.suppress(OSError):
            self._requests.close()  # its input ends, so it ends
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _listen(stream: BinaryIO, answers: Queue[tuple[Body, Arrays] | Exception]) -> None:
    """Put everything that arrives into a queue, so that waiting for it can end."""
    with stream:
        while True:
            try:
                answers.put(receive(stream))
            except (EOFError, Garbage) as error:
                answers.put(error)
                return
