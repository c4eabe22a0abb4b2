"""Runs the notebooks: one process each, parameters checked before, result files checked after.

``run_all.sh`` calls ``python -m mnemocraft.notebooks``. Only the standard library is imported at the
top, so that ``--check`` can judge the flags before anything is installed.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError

SHARED = ("model", "profile", "workers")
"""Parameters that every notebook must have and every run gives."""
STOPPED = 130
"""Exit status of a run that Ctrl-C stopped."""
_JUPYTER = "mnemocraft-jupyter-"
MAX_ERROR = 500
"""Characters of an error that are told."""
STOP_GRACE_S = 15
"""How long a notebook's process may take to shut its kernel down after Ctrl-C before it is killed."""


class NotebookError(MnemocraftError):
    """The notebooks cannot be run as asked; nothing was run."""


@dataclass(frozen=True)
class Job:
    """One notebook to run with its parameters (at least ``model``, ``profile`` and ``workers``).

    Attributes:
        asks_no_model: Its parameter ``model`` is "none" as stored: no model plays, and its tables and figures
            are filed under that name whatever model the run names.
    """

    notebook: Path
    parameters: dict[str, Any]
    asks_no_model: bool = False

    @property
    def stem(self) -> str:
        """The notebook's name without its suffix; it names its results, figures and runs as well."""
        return self.notebook.stem

    @property
    def executed(self) -> Path:
        """Where the executed notebook goes."""
        folder = paths.output_root() / "build" / "notebooks" / paths.slug(self.parameters["model"])
        return folder / self.parameters["profile"] / self.notebook.name

    @property
    def html(self) -> Path:
        """Where the executed notebook's HTML goes."""
        return self.executed.with_suffix(".html")

    @property
    def tables(self) -> Path:
        """Folder in which the notebook must leave at least one CSV."""
        return paths.results_dir(self.stem, self._player, self.parameters["profile"])

    @property
    def figures(self) -> Path:
        """Folder of the notebook's figures, which it may not have."""
        return paths.figures_dir(self.stem, self._player, self.parameters["profile"])

    @property
    def _player(self) -> str:
        return paths.NO_MODEL if self.asks_no_model else self.parameters["model"]


@dataclass(frozen=True)
class Outcome:
    """How a notebook's run ended.

    Attributes:
        job: What was run.
        seconds: How long it took.
        error: A sentence, or None when all went well.
        not_played: Why the notebook shows the tables that came with the repository instead of playing: what
            it needs is not installed. Empty otherwise.
    """

    job: Job
    seconds: float
    error: str | None
    not_played: str = ""


def select(folder: Path, only: Sequence[str] | None) -> list[Path]:
    """The numbered notebooks of ``folder`` in order: all, or those with the numbers in ``only``.

    Raises:
        NotebookError: a number in ``only`` that no notebook has, or no notebook at all.
    """
    found = {int(path.name[:2]): path for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}
    if not found:
        raise NotebookError(f"There is no notebook named like 01_name.ipynb in {folder}.")
    if only is None:
        return list(found.values())
    unknown = [text for text in only if not text.isdecimal() or len(text) > 9 or int(text) not in found]
    if unknown:
        known = " ".join(f"{number:02d}" for number in found)
        raise NotebookError(f"--only {_short(' '.join(unknown))}: no such notebook; there are {known}.")
    return [found[number] for number in sorted({int(text) for text in only})]


def check_parameters(jobs: Sequence[Job]) -> list[Job]:
    """Gives each notebook the extra parameters that it has; papermill merely warns of those it lacks.

    Raises:
        NotebookError: a parameter that no notebook has, or one of model, profile and workers is missing.
    """
    known = [_papermill().inspect_notebook(str(job.notebook)) for job in jobs]
    checked = []
    for job, has in zip(jobs, known, strict=True):
        nowhere = [name for name in job.parameters if not any(name in names for names in known)]
        if missing := nowhere or [name for name in SHARED if name not in has]:
            raise NotebookError(
                f"{job.stem} has no parameter {', '.join(missing)}; its parameters are: "
                f"{', '.join(has) or 'none'}."
            )
        given = {name: value for name, value in job.parameters.items() if name in has}
        asks_no_model = has["model"]["default"].strip("'\"") == paths.NO_MODEL
        checked.append(replace(job, parameters=given, asks_no_model=asks_no_model))
    return checked


def check_model(name: str) -> None:
    """Opens the model once, so that a mistyped name or a missing key is told before anything runs.

    Raises:
        MnemocraftError: what is missing.
    """
    from mnemocraft.llm import get_model

    asyncio.run(get_model(name).aclose())


def _use_scheduler(address: str) -> None:
    """Lets every study of the notebooks run on a cluster.

    Raises:
        MnemocraftError: No scheduler with workers answers there, or what talks to it is not installed.
    """
    from mnemocraft.runs import cluster

    with cluster.connect(address):
        os.environ[cluster.SCHEDULER] = address  # the notebooks' processes inherit it


def _papermill() -> ModuleType:
    """Imports papermill, here so that ``--check`` works without it.

    jsonschema would load a grammar of internationalised web addresses, which takes two seconds in each
    process and serves no notebook; it does without when the import fails.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import papermill

    return papermill


def run(job: Job) -> Outcome:
    """Executes one notebook in a process of its own and checks that it left a table.

    The process leads its own session: Ctrl-C reaches this process only, which then stops that one.
    """
    started, before = time.monotonic(), _tables(job)
    try:
        job.executed.parent.mkdir(parents=True, exist_ok=True)
        job.html.unlink(missing_ok=True)  # never leave a former run's page beside a failed one
    except OSError as failure:
        return Outcome(job, 0.0, f"{job.executed.parent} cannot be written: {failure.strerror}")
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_process, args=(job, sender))
    process.start()
    sender.close()
    try:
        process.join()
    except KeyboardInterrupt:
        _stop(process)
        raise
    error, not_played = None, ""
    if process.exitcode != 0:
        error = f"its process died with exit status {process.exitcode}"
    elif not (error := receiver.recv()) and not (not_played := _not_played(job)):
        error = _missing_table(job, before)
    return Outcome(job, time.monotonic() - started, error, not_played)


def _stop(process: multiprocessing.process.BaseProcess) -> None:
    process.terminate()
    process.join(STOP_GRACE_S)
    process.kill()
    process.join()


def _tables(job: Job) -> set[tuple[str, int, int]]:
    """The job's tables as they are now: one written later is another file, whatever the clock says."""
    found = ((table.name, table.stat()) for table in job.tables.glob("*.csv"))
    return {(name, stat.st_ino, stat.st_mtime_ns) for name, stat in found}


def _missing_table(job: Job, before: set[tuple[str, int, int]]) -> str | None:
    if _tables(job) - before:
        return None
    return f"it ran through but wrote no table (CSV) to {_shown(job.tables)}"


def _not_played(job: Job) -> str:
    """Why the executed notebook played nothing, as :func:`mnemocraft.studies.report.not_played` said."""
    cells = json.loads(job.executed.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    said = [output.get("metadata", {}).get(paths.NOT_PLAYED) for output in outputs]
    return next(filter(None, said), "")


def _process(job: Job, sender: Connection) -> None:
    """Body of a notebook's process: sends an error sentence, or None."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # unwinds, and so shuts the kernel down
    try:
        from mnemocraft.runs.jobs import die_with_parent  # takes a while, in which a signal may come

        die_with_parent()  # the kernel follows and frees the run folder
        _sweep()
        with tempfile.TemporaryDirectory(prefix=f"{_JUPYTER}{os.getpid()}-") as folder:
            _isolate_jupyter(Path(folder))
            sender.send(_execute(job))
    except KeyboardInterrupt:
        os._exit(STOPPED)  # the kernel is shut down; at once, or asyncio would complain about its lost task


def _sweep() -> None:
    """Deletes what killed runs left in the folder for temporary files."""
    from mnemocraft.files import alive

    for folder in Path(tempfile.gettempdir()).glob(f"{_JUPYTER}*-*"):
        number = folder.name.removeprefix(_JUPYTER).partition("-")[0]
        if number.isdecimal() and not alive(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _isolate_jupyter(folder: Path) -> None:
    """Makes this interpreter the kernel, whatever kernels and settings the user has at home."""
    from ipykernel.kernelspec import write_kernel_spec

    write_kernel_spec(folder / "kernels" / "python3")
    os.environ |= {
        "JUPYTER_PATH": str(folder),  # searched before the user's kernels
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),  # no start-up files, no shared history
        "JUPYTER_PLATFORM_DIRS": "1",  # silences a deprecation warning
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # silences the debugger
        "MNEMOCRAFT_HEADLESS": "1",  # nobody is there to click: pictures instead of widgets
    }


def _execute(job: Job) -> str | None:
    """Executes and exports the notebook; whatever goes wrong becomes a sentence, so that others go on."""
    papermill = _papermill()
    from traitlets.config import Config

    error = None
    try:
        papermill.execute_notebook(
            job.notebook,
            job.executed,
            job.parameters | ({"model": paths.NO_MODEL} if job.asks_no_model else {}),
            kernel_name="python3",
            cwd=paths.ROOT,
            progress_bar={"desc": job.stem, "file": sys.stderr},
            stderr_file=sys.stderr,  # the study's own progress bar
            config=Config(KernelManager={"transport_encryption": "auto"}),
        )
    except papermill.PapermillExecutionError as failure:
        said = f"{failure.ename}: {_first_line(failure.evalue)}"
        if failure.ename == "MemoryError":
            said = "MemoryError: there is too little memory; use fewer --workers or a smaller --profile"
        error = f"cell [{failure.exec_count}] raised {said}"
    except Exception as failure:  # a dead kernel, a full disk, a notebook that is not one
        error = f"{type(failure).__name__}: {_first_line(str(failure))}"
    try:
        if job.executed.exists():
            _export(job)
    except Exception as failure:  # a full disk, or a half-written notebook
        error = error or f"its HTML could not be made: {type(failure).__name__}: {_first_line(str(failure))}"
        job.html.unlink(missing_ok=True)
    return error


def _export(job: Job) -> None:
    """Makes the page; in the executed notebook a progress bar's states are merged into the last one."""
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import CoalesceStreamsPreprocessor

    notebook = nbformat.read(job.executed, as_version=4)
    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    nbformat.write(notebook, job.executed)
    page, _ = HTMLExporter().from_filename(str(job.executed))
    job.html.write_text(page, encoding="utf-8")


def _first_line(text: str) -> str:
    """The first line of an error, cut: it goes through a pipe that holds so much and no more."""
    line = re.sub(r"\x1b\[[0-9;]*m", "", text).strip().partition("\n")[0]
    return _short(line, MAX_ERROR)


def _shown(path: Path) -> str:
    """A path as a reader at the repository root would type it."""
    if path.is_relative_to(paths.ROOT):
        path = path.relative_to(paths.ROOT)
    return str(path)


def summary(outcomes: Sequence[Outcome]) -> str:
    """One line per notebook: ok, shown or failed, time, where its figures and its HTML are, and why."""
    width = max(len(outcome.job.stem) for outcome in outcomes)
    lines = []
    for outcome in outcomes:
        job = outcome.job
        minutes, seconds = divmod(round(outcome.seconds), 60)
        figures = _shown(job.figures) if job.figures.is_dir() else "none"
        page = _shown(job.html) if job.html.exists() else "none"
        status = "failed" if outcome.error else "shown" if outcome.not_played else "ok"
        line = (
            f"{job.stem:{width}}  {status:6}  {minutes:3d}m{seconds:02d}s  figures: {figures}  html: {page}"
        )
        why = outcome.error or outcome.not_played
        lines.append(line + (f"  ({why})" if why else ""))
    return "\n".join(lines)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence in place of argparse's usage block."""
        self.exit(2, f"run_all.sh: {message}; see ./run_all.sh --help\n")


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    try:
        parsed = json.loads(value, parse_int=_bounded)
    except json.JSONDecodeError:
        equals = ""
    except (ValueError, RecursionError):
        raise argparse.ArgumentTypeError(
            f"{_short(text)!r} has a number of more than 18 digits, or brackets nested too deeply"
        ) from None
    if equals and name in SHARED:
        raise argparse.ArgumentTypeError(f"{name} has a flag of its own, --{name}")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(
            f"{_short(text)!r} is not NAME=JSON, such as seeds=[0,1] or split='\"low\"'"
        )
    return name, parsed


def _bounded(digits: str) -> int:
    if len(digits.lstrip("-")) > 18:
        raise ValueError
    return int(digits)


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 20]}... ({len(text)} characters)"


def _workers(text: str) -> int:
    if not text.isdecimal() or len(text) > 6 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{_short(text)!r} is not a whole number from 1 to 999999")
    return int(text)


def _model(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="run_all.sh", allow_abbrev=False)
    parser.add_argument("--profile", choices=paths.PROFILES, default="quick")
    parser.add_argument("--model", type=_model, default="surrogate", metavar="NAME")
    parser.add_argument("--only", nargs="+", metavar="NN", help="numbers of the notebooks to run")
    parser.add_argument("--workers", type=_workers, metavar="N")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="dask scheduler whose workers play")
    parser.add_argument("--set", type=_setting, action="append", default=[], metavar="NAME=JSON")
    parser.add_argument("--check", action="store_true", help="judge the flags, run nothing")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None, folder: Path = paths.NOTEBOOKS) -> int:
    """Command line (see ``./run_all.sh --help``) over the notebooks in ``folder``.

    Returns:
        Exit status: 0 all ran, 1 a notebook failed, 2 the request was wrong, 130 stopped by Ctrl-C.
    """
    options = _parse(argv)
    # A process costs seconds to start, more than a few episodes take.
    workers = options.workers or (1 if options.profile == paths.PROFILES[0] else _cpus())
    parameters = {"model": options.model, "profile": options.profile, "workers": workers}
    parameters |= dict(options.set)
    try:
        jobs = [Job(notebook, parameters) for notebook in select(folder, options.only)]
        if options.check:
            return 0
        jobs = check_parameters(jobs)
        check_model(options.model)
        if options.scheduler is not None:
            _use_scheduler(options.scheduler)
    except MnemocraftError as error:
        print(f"run_all.sh: {error}", file=sys.stderr)
        return 2
    return _run_all(jobs)


def _run_all(jobs: Sequence[Job]) -> int:
    """Runs the notebooks one after the other (each uses all workers) and prints the summary."""
    outcomes: list[Outcome] = []
    try:
        for number, job in enumerate(jobs, 1):
            shown = ", ".join(f"{name} {value}" for name, value in job.parameters.items())
            print(f"[{number}/{len(jobs)}] {job.stem}: {shown}", file=sys.stderr, flush=True)
            outcomes.append(run(job))
    except KeyboardInterrupt:
        print("\nrun_all.sh: stopped; finished episodes are kept, run it again to go on.", file=sys.stderr)
        return STOPPED
    print(f"\n{summary(outcomes)}", flush=True)
    return int(any(outcome.error for outcome in outcomes))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a stop from outside is as clean as Ctrl-C
    sys.exit(main())
