"""The notebook runner on small notebooks made here, and every notebook of the project in profile smoke."""

import ast
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import papermill
import pytest

from fake_server import FakeServer, say
from mnemocraft import notebooks, paths
from mnemocraft.files import replace_file
from mnemocraft.notebooks import Job, main, select
from mnemocraft.studies.household import load as household

NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
FIRST_LOOK = "11"
"""The notebook that a served model looks at in the tests."""
IN_TWO = "11"
"""The notebook that two processes play. No sentences are encoded in it, which takes a process 20 seconds."""
LONG = ("01", "03", "06", "07", "10", "90")
"""Notebooks whose tables are compared with a second run's in the long tests alone: the others have every
world but the household, and all encoders."""
SECRET = "sk-planted-5f1c9e"
FOLDER = paths.slug("m:x")
WRITE_TABLE = """
import json, os, sys
from pathlib import Path
from mnemocraft import paths
folder = paths.results_dir("01_good", model, profile)
folder.mkdir(parents=True, exist_ok=True)
facts = {"seeds": seeds, "workers": workers, "key": "OPENAI_API_KEY" in os.environ}
facts |= {"python": sys.executable, "cwd": os.getcwd()}
(folder / "facts.csv").write_text(json.dumps(facts))
"""
SAY_AND_SHOW = """
import sys
from IPython.display import Markdown, display
print("first")
for done in range(3):
    print(f"\\r{done} of 3", end="", file=sys.stderr, flush=True)
display(Markdown("shown"))
print("last")
"""
SLEEP = """
import os, time
from pathlib import Path
marker = Path(os.environ["MARKER"])
marker.with_suffix(".tmp").write_text(str(os.getpid()))
marker.with_suffix(".tmp").rename(marker)
time.sleep(600)
"""


def write_notebook(path: Path, *cells: str) -> None:
    parameters = nbformat.v4.new_code_cell("model = 'surrogate'\nprofile = 'quick'\nseeds = [0]\nworkers = 3")
    parameters.metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells_made = [parameters, *map(nbformat.v4.new_code_cell, cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells_made, metadata={"kernelspec": kernel}), path)


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """The runner's command line over the notebooks of ``folder``, its output in files there."""
    code = "import sys; from pathlib import Path; from mnemocraft.notebooks import main; "
    code += "sys.exit(main(sys.argv[2:], Path(sys.argv[1])))"
    with (folder / "stdout").open("w") as stdout, (folder / "stderr").open("w") as stderr:
        return subprocess.Popen(
            [sys.executable, "-c", code, str(folder), "--profile", "smoke", *arguments],
            env=os.environ | environment | {"MNEMOCRAFT_OUTPUT_ROOT": str(folder / "out")},
            stdout=stdout,
            stderr=stderr,
            text=True,
        )


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a finished run over a good notebook among three that fail, each in its own way."""
    folder = tmp_path_factory.mktemp("mixed")
    write_notebook(folder / "00_dead.ipynb", "import os", "os._exit(3)")
    write_notebook(folder / "01_good.ipynb", WRITE_TABLE, SAY_AND_SHOW)
    raising = (
        "import sys\nprint('half way', file=sys.stderr)\nraise ValueError('the moon is full' + 99_999 * '!')"
    )
    write_notebook(folder / "02_raises.ipynb", raising, "print('not reached')")
    write_notebook(folder / "03_no_table.ipynb", "print(profile)")
    shows = "from mnemocraft.studies import report\nreport.not_played('It lacks an engine.')"
    write_notebook(folder / "04_shows.ipynb", shows)
    stale = folder / f"out/data/results/03_no_table/{FOLDER}/smoke/old.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("left by an earlier run")
    rogue = folder / "home/kernels/python3/kernel.json"
    rogue.parent.mkdir(parents=True)
    rogue.write_text(json.dumps({"argv": ["/bin/false"], "display_name": "rogue", "language": "python"}))
    runner = start(
        folder,
        *("--model", "m:x", "--set", "seeds=[4, 5]"),
        OPENAI_API_KEY=SECRET,
        JUPYTER_DATA_DIR=str(folder / "home"),
        JUPYTER_PREFER_ENV_PATH="0",  # the user's kernels before the environment's
    )
    assert runner.wait(300) == 1  # some notebook failed
    return folder


def test_a_failing_notebook_stops_no_other_and_all_are_exported(mixed: Path) -> None:
    pages = sorted(path.name for path in (mixed / f"out/build/notebooks/{FOLDER}/smoke").glob("*.html"))
    assert pages == ["00_dead.html", "01_good.html", "02_raises.html", "03_no_table.html", "04_shows.html"]


def test_the_notebook_gets_the_parameters_this_python_and_the_repository_root(mixed: Path) -> None:
    facts = json.loads((mixed / f"out/data/results/01_good/{FOLDER}/smoke/facts.csv").read_text())
    given = {"seeds": [4, 5], "workers": 1, "key": True}  # one process for the few episodes of smoke
    assert facts == given | {"python": sys.executable, "cwd": str(paths.ROOT)}


def test_no_environment_variable_reaches_the_outputs(mixed: Path) -> None:
    files = [path for path in mixed.rglob("*") if path.is_file()]
    assert len(files) >= 15
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_summary_has_one_line_per_notebook_that_says_what_failed_and_why(mixed: Path) -> None:
    dead, good, raised, silent, shown = (mixed / "stdout").read_text().strip().splitlines()
    assert dead.split()[:2] == ["00_dead", "failed"] and "Kernel died" in dead
    assert good.split()[:2] == ["01_good", "ok"] and good.endswith(f"{FOLDER}/smoke/01_good.html")
    assert (
        "(cell [3] raised ValueError: the moon is full!!" in raised and len(raised) < 1000
    )  # a pipe's 64 KiB
    assert "wrote no table" in silent
    assert shown.split()[:2] == ["04_shows", "shown"] and shown.endswith("(It lacks an engine.)")


def test_outputs_stay_in_their_order_and_the_states_of_a_bar_are_merged(mixed: Path) -> None:
    executed = nbformat.read(mixed / f"out/build/notebooks/{FOLDER}/smoke/01_good.ipynb", as_version=4)
    outputs = executed.cells[-1].outputs
    said = [output.get("text") or output.data["text/markdown"] for output in outputs]
    assert [text for text in said if "of 3" not in text] == ["first\n", "shown", "last\n"]
    bars = [text for text in said if "of 3" in text]
    assert all(text.count("of 3") == 1 for text in bars) and "2 of 3" in bars[-1]


def test_what_a_cell_writes_to_stderr_is_seen_while_it_runs(mixed: Path) -> None:
    assert "half way" in (mixed / "stderr").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--set", "nope=1"], "01_good has no parameter nope; its parameters are: model, profile, seeds"),
        (["--only", "1", "07"], "--only 07: no such notebook; there are 01"),
        (["--only", "1" * 5000], "... (5000 characters): no such notebook; there are 01"),
        (["--scheduler", "nonsense://x"], "no scheduler answers at nonsense://x"),
        (["--scheduler", ""], "no scheduler answers at ; its address is like tcp://host:8786"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_runs(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path / "out"))
    write_notebook(tmp_path / "01_good.ipynb", WRITE_TABLE)
    assert main(arguments, tmp_path) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--profile", "huge"],
        ["--prof", "quick"],
        ["--workers", "0"],
        ["--workers", "2.5"],
        ["--model", " "],
        ["--set", "seeds"],
        ["--set", "seeds=0,1"],
        ["--set", "model=1"],
        ["--set", "seeds=[" + "9" * 5000 + "]"],
        ["--set", "seeds=[9999999999999999999]"],
        ["--set", "seeds=" + "[" * 10**5],
        ["--workers", "1" * 5000],
        ["quick"],
    ],
)
def test_a_bad_flag_is_one_sentence_and_status_2(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments, tmp_path)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and len(error) < 300


def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    made = Job(tmp_path / "01_x.ipynb", {"model": "surrogate", "profile": "smoke", "workers": 1})
    made.tables.mkdir(parents=True)
    return made


def test_a_clock_that_is_set_back_hides_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = job(tmp_path, monkeypatch)
    replace_file(one.tables / "t.csv", "x\n")
    before = notebooks._tables(one)
    assert "wrote no table" in str(notebooks._missing_table(one, before))
    replace_file(one.tables / "t.csv", "x\n")
    os.utime(one.tables / "t.csv", (1e9, 1e9))
    assert notebooks._missing_table(one, before) is None


def test_a_disk_that_is_full_when_the_page_is_made_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = job(tmp_path, monkeypatch)
    write_notebook(one.notebook)
    one.executed.parent.mkdir(parents=True)

    def full(job: Job) -> None:
        job.html.write_text("half a pa")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(notebooks, "_papermill", lambda: FakePapermill)
    monkeypatch.setattr(notebooks, "_export", full)
    assert "its HTML could not be made: OSError: [Errno 28] No space left" in str(notebooks._execute(one))
    assert not one.html.exists()


class FakePapermill:
    """Executes a notebook without doing anything."""

    class PapermillExecutionError(Exception):
        """Is not raised."""

    @staticmethod
    def execute_notebook(notebook: Path, executed: Path, *arguments: object, **options: object) -> None:
        executed.write_bytes(notebook.read_bytes())


def test_folders_of_killed_runs_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = subprocess.Popen(["true"])
    dead.wait()
    for number in (dead.pid, os.getpid()):
        (tmp_path / f"mnemocraft-jupyter-{number}-x").mkdir()
    (tmp_path / "mnemocraft-jupyter-mine").mkdir()
    notebooks._sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"mnemocraft-jupyter-{os.getpid()}-x",
        "mnemocraft-jupyter-mine",
    ]


def test_only_takes_numbers_in_any_form_and_keeps_the_order(tmp_path: Path) -> None:
    for name in ("10_ten", "02_two", "00_zero", "draft"):
        write_notebook(tmp_path / f"{name}.ipynb")
    assert [path.stem for path in select(tmp_path, None)] == ["00_zero", "02_two", "10_ten"]
    assert [path.stem for path in select(tmp_path, ["10", "0", "00"])] == ["00_zero", "10_ten"]


def gone(pid: int) -> bool:
    """Whether the process ended (a zombie that nobody has waited for counts as ended)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited for a minute in vain"
        time.sleep(0.05)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_stopping_the_runner_stops_its_kernel(number: int, status: int, tmp_path: Path) -> None:
    write_notebook(tmp_path / "01_long.ipynb", SLEEP)
    marker = tmp_path / "kernel.pid"
    runner = start(tmp_path, MARKER=str(marker))
    wait_for(marker.exists)
    runner.send_signal(number)
    assert runner.wait(60) == status
    wait_for(lambda: gone(int(marker.read_text())))
    assert ("run it again to go on" in (tmp_path / "stderr").read_text()) == (number == signal.SIGINT)


@pytest.fixture(scope="module")
def smoke_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("smoke")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_as_the_runner_needs_it(notebook: Path) -> None:
    stored = nbformat.read(notebook, as_version=4)
    nbformat.validate(stored)
    assert {"model", "profile", "seeds", "workers"} <= set(papermill.inspect_notebook(str(notebook)))
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code), "clear the outputs"
    long = [cell.source for cell in code if cell.source.count("\n") >= 30]
    assert not long, "move code of cells over 30 lines to lib/"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_in_profile_smoke(
    notebook: Path, smoke_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_smoke(notebook, smoke_root, monkeypatch)


def run_in_smoke(notebook: Path, smoke_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(smoke_root))
    number = notebook.stem[:2]
    status = main(["--profile", "smoke", "--workers", "2" if number == IN_TWO else "1", "--only", number])
    executed = nbformat.read(smoke_root / "build/notebooks/surrogate/smoke" / notebook.name, as_version=4)
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
    errors = [line for output in outputs if output.output_type == "error" for line in output.traceback]
    assert status == 0, "\n".join(errors)


def test_a_first_look_with_a_real_model_of_any_name_is_short_and_shows_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A served model plays a few episodes; tables lack conditions, and no cell fails of it."""
    name = "<script>alert(1)</script>$x$"
    with FakeServer(say(f"I cannot do that. {name}"), latency=0.02, one_by_one=True) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
        status = main(["--profile", "smoke", "--workers", "1", "--model", name, "--only", FIRST_LOOK])
        asked = len(server.requests)
    (page,) = tmp_path.glob(f"build/notebooks/*/smoke/{FIRST_LOOK}*.html")
    (streams,) = tmp_path.glob(f"build/runs/{FIRST_LOOK}*/*/streams")
    played = sum(path.read_bytes().count(b"\n") for path in streams.iterdir())
    assert status == 0 and 0 < played <= 20 and asked < 400
    text = page.read_text(encoding="utf-8")
    assert name.replace("<", "&lt;").replace(">", "&gt;") in text and "<script>alert(1)" not in text


OLD_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "ATEN_CPU_CAPABILITY": "default",
    "FAISS_OPT_LEVEL": "generic",
}
"""Makes OpenBLAS, NumPy, PyTorch and FAISS take the kernels of a processor of 2008."""


class Again:
    """Runs notebooks again in one process: another hash seed, two threads, an old processor's kernels."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.errors = folder, folder / "stderr"
        self.runner: subprocess.Popen[str] | None = None

    def run(self, job: dict[str, object]) -> str:
        """What went wrong, or nothing.

        A process that does not answer is replaced once, with a warning that says where it hung: in one
        run of all tests one did, after other notebooks in the same process, which nobody else does.
        """
        answer = self._ask(job)
        if not answer:
            warnings.warn(f"it ran in a fresh process only: {self.errors.read_text()[-5000:]}", stacklevel=2)
            answer = self._ask(job)
        return answer.strip() if answer else f"no answer: {self.errors.read_text()[-5000:]}"

    def _ask(self, job: dict[str, object]) -> str:
        """A line, or nothing at all if the process ends without one."""
        if self.runner is None:
            settings = {"PYTHONHASHSEED": "7", "MNEMOCRAFT_HEADLESS": "1"}
            settings |= {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}  # the others have one
            with self.errors.open("w") as errors:
                self.runner = subprocess.Popen(
                    [sys.executable, str(Path(__file__).with_name("notebooks_again.py"))],
                    cwd=paths.ROOT,
                    env=os.environ | OLD_PROCESSOR | settings | {"MNEMOCRAFT_OUTPUT_ROOT": str(self.folder)},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                )
        assert self.runner.stdin and self.runner.stdout
        print(json.dumps(job), file=self.runner.stdin, flush=True)
        answer = self.runner.stdout.readline()
        if not answer:
            self.close()
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        if self.runner is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.runner.communicate(timeout=30)
            self.runner.kill()
            self.runner.wait()
            self.runner = None


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Again]:
    player = Again(tmp_path_factory.mktemp("again"))
    yield player
    player.close()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_papermill_sees_every_parameter(notebook: Path) -> None:
    """It reads no default with an equals sign in it; what it does not see cannot be set."""
    cells = nbformat.read(notebook, as_version=4).cells
    (tagged,) = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    names = [statement.targets[0].id for statement in ast.parse(tagged).body]
    assert list(papermill.inspect_notebook(str(notebook))) == names


@pytest.mark.parametrize(
    "notebook",
    [pytest.param(path, marks=[pytest.mark.long] * (path.stem[:2] in LONG)) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_tables_do_not_depend_on_workers_hash_seed_or_processor(
    notebook: Path, smoke_root: Path, again: Again, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (smoke_root / "build/notebooks/surrogate/smoke" / notebook.name).exists():
        run_in_smoke(notebook, smoke_root, monkeypatch)
    folders = list((smoke_root / "data/results" / notebook.stem).glob("[ns]*/smoke"))  # none or surrogate
    if not folders and (missing := household.problem("smoke")) and notebook.stem == household.STEM:
        pytest.skip(missing)
    (folder,) = folders
    first = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    assert first, "its smoke run left no table"
    second = again.folder / folder.relative_to(smoke_root)
    given = {"model": "surrogate", "profile": "smoke", "workers": 1}
    job = {"notebook": str(notebook), "parameters": given, "folder": str(second), "names": list(first)}
    assert again.run(job) == ""
    assert {path.name: path.read_bytes() for path in second.glob("*.csv")} == first
