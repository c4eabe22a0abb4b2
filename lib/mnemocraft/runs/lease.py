"""Who may write to a run folder: one run at a time, also where workers are on other machines.

A run holds ``flock`` on ``.lock``, which tells runs of one machine apart at once, and writes ``.lease``: a
token and who it is. On a network file system ``flock`` may mean nothing on another machine, so the lease is
renewed every two seconds: a run that finds another machine's lease watches for that before it takes over.
Every worker has the token of its run, and neither begins an episode nor writes one under another.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from mnemocraft.errors import MnemocraftError, RunLocked
from mnemocraft.files import replace_file, sweep, unwritable

RENEWED_S = 2.0
PATIENCE_S = 4 * RENEWED_S
"""How long a lease of another machine must stay as it is to count as left behind."""


@dataclass(frozen=True)
class Lease:
    """A run's right to write to a folder; picklable, so that workers have it too.

    Attributes:
        out: The run folder, which must exist.
        token: Tells this run from every other.
    """

    out: Path
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def file(self) -> Path:
        """Names the run that holds the folder."""
        return self.out / ".lease"

    @property
    def stop_flag(self) -> Path:
        """While this file exists no new episode of this run begins."""
        return self.out / f".stop-{self.token}"

    def write(self) -> None:
        """Take the folder, from whoever had it."""
        holder = {"token": self.token, "machine": machine(), "process": os.getpid()}
        replace_file(self.file, json.dumps(holder) + "\n")

    def holder(self) -> dict[str, str]:
        """Who holds the folder: ``token``, ``machine`` and ``process``; empty if nobody does."""
        return _read(self.file)

    def check(self) -> None:
        """Refuse a writer of another run than the one that holds the folder.

        Raises:
            RunLocked: The run has ended, or another has taken over.
        """
        if self.holder().get("token") != self.token:
            raise RunLocked(
                f"the run has ended or another has taken over {self.out}: nothing more is written"
            )

    def stop(self) -> None:
        """Let no further episode begin; those in flight may end and be kept."""
        self.stop_flag.touch()

    def count_budget(self, job: str) -> None:
        """Become the only worker that counts a job's budget: what one has counted dies with it.

        Raises:
            MnemocraftError: Another worker has begun to.
        """
        try:
            (self.out / f".budget-{self.token}-{job}").touch(exist_ok=False)
        except FileExistsError:
            raise MnemocraftError(
                "the worker that counted the budget died, and its count with it; what is finished is kept, "
                "and the next run goes on with the whole budget"
            ) from None

    @property
    def stopped(self) -> bool:
        """Whether no further episode may begin."""
        return self.stop_flag.exists() or self.holder().get("token") != self.token


@contextmanager
def hold(out: Path) -> Iterator[Lease]:
    """Hold a run folder.

    Raises:
        RunLocked: Another run holds it.
        MnemocraftError: It cannot be written.
    """
    with unwritable(out):
        out.mkdir(parents=True, exist_ok=True)
        lock_file = (out / ".lock").open("a")
    with lock_file:
        exact = _lock(lock_file.fileno(), out)
        lease = Lease(out)
        holder = lease.holder()
        if holder and not (exact and holder.get("machine") == machine()):
            _watch(lease.file, holder)
        for folder in (out, out / "streams", out / "trajectories"):
            sweep(folder)
        for flag in (*out.glob(".stop-*"), *out.glob(".budget-*")):
            flag.unlink(missing_ok=True)
        lease.write()
        ended = threading.Event()
        renewing = threading.Thread(target=_renew, args=(lease, ended), daemon=True)
        renewing.start()
        try:
            yield lease
        finally:
            ended.set()
            renewing.join()
            if lease.holder().get("token") == lease.token:
                lease.file.unlink(missing_ok=True)
            for flag in (lease.stop_flag, *out.glob(f".budget-{lease.token}-*")):
                flag.unlink(missing_ok=True)


def machine() -> str:
    """Names this machine, and its containers one by one, until it is started anew."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{platform.node()} {boot.read_text().strip() if boot.exists() else ''}".strip()


def _lock(descriptor: int, out: Path) -> bool:
    """Lock the folder against runs of this machine; False where the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunLocked(f"another run is writing to {out}: wait for it, or choose another folder") from None
    except OSError:
        return False
    return True


def _watch(file: Path, holder: dict[str, str]) -> None:
    """Wait until a lease has not been renewed for a while. By its changes: clocks of machines differ."""
    seen, deadline = _state(file), time.monotonic() + PATIENCE_S
    while seen is not None and time.monotonic() < deadline:
        time.sleep(RENEWED_S / 8)
        if _state(file) not in (seen, None):
            where = str(holder.get("machine", "?")).partition(" ")[0]
            raise RunLocked(
                f"another run (process {holder.get('process', '?')} on {where}) is writing to {file.parent}: "
                "wait for it, or choose another folder"
            )


def _state(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def _read(file: Path) -> dict[str, str]:
    """Who holds the folder; empty if nobody does, or the file is damaged."""
    try:
        holder = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _renew(lease: Lease, ended: threading.Event) -> None:
    while not ended.wait(RENEWED_S):
        if lease.holder().get("token", lease.token) != lease.token:  # nobody's is one that cannot be read now
            return
        with suppress(OSError):  # the folder is out of reach: whoever writes next is told
            os.utime(lease.file)
