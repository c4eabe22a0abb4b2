"""The two commands and what they install: run_all.sh, pyproject.toml, constraints.txt, environment.yml."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from mnemocraft import paths

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
ENVIRONMENT = yaml.safe_load((paths.ROOT / "environment.yml").read_text())
RUN_ALL = (paths.ROOT / "run_all.sh").read_text()
LOCK = [
    Requirement(line)
    for name in ("constraints.txt", "constraints-alfworld.txt")
    for line in (paths.ROOT / name).read_text().splitlines()
    if line and not line.startswith("#")
]
DIRECT = [
    Requirement(text)
    for group in [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for text in group
]


@pytest.mark.parametrize("requirement", DIRECT, ids=str)
def test_every_direct_dependency_is_locked_at_a_version_it_allows(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    pins = [pin for pin in LOCK if canonicalize_name(pin.name) == name]
    assert pins, f"{name} is not in constraints.txt"
    for pin in pins:
        (specifier,) = pin.specifier
        assert specifier.operator == "=="
        assert requirement.specifier.contains(specifier.version, prereleases=True)


def test_the_lock_is_plain_exact_pins() -> None:
    assert [str(pin) for pin in LOCK if pin.url or pin.extras] == []
    assert [str(pin) for pin in LOCK if [each.operator for each in pin.specifier] != ["=="]] == []


def test_alfworld_is_installed_beside_the_lock_and_changes_nothing_of_it() -> None:
    main, more = (
        {
            canonicalize_name(Requirement(line).name)
            for line in (paths.ROOT / name).read_text().splitlines()
            if line and not line.startswith("#")
        }
        for name in ("constraints.txt", "constraints-alfworld.txt")
    )
    assert len(more) == 9 and not main & more
    assert "--no-deps -r constraints-alfworld.txt" in RUN_ALL


def test_conda_installs_what_run_all_installs() -> None:
    python, pip, packages = ENVIRONMENT["dependencies"]
    assert pip == "pip"
    extras = ".[local,graph,finetune,serving,minecraft,book,cluster,dev]"
    assert packages["pip"] == ["-c constraints.txt", f"-e {extras}"]
    install = "pip install --disable-pip-version-check"
    assert f"{install} -c constraints.txt -e '{extras.replace('serving,', '')}'" in RUN_ALL
    alone = " ".join(Requirement(text).name for text in PROJECT["optional-dependencies"]["serving"])
    assert f"{install} --no-deps -c constraints.txt {alone}\n" in RUN_ALL
    apart = {"alfworld", "qdrant"}  # the first by ./run_all.sh alfworld; the second's client comes with dev
    assert set(PROJECT["optional-dependencies"]) == {*extras[2:-1].split(","), *apart}
    assert SpecifierSet(PROJECT["requires-python"]).contains(python.removeprefix("python="))


def test_run_all_accepts_the_pythons_that_pyproject_accepts() -> None:
    bounds = re.search(r"\((3), (\d+)\) <= sys.version_info < \((3), (\d+)\)", RUN_ALL)
    assert bounds is not None
    low, high = (int(bounds[group]) for group in (2, 4))
    assert PROJECT["requires-python"] == f">=3.{low},<3.{high}"
    assert f"Python 3.{low} to 3.{high - 1} is needed" in RUN_ALL


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like this repository to run_all.sh, without ``.venv``, and free to be spoilt."""
    for name in ("run_all.sh", "constraints.txt", "pyproject.toml"):
        shutil.copy(paths.ROOT / name, tmp_path)
    (tmp_path / "lib").symlink_to(paths.ROOT / "lib")
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin/python3.11"  # a bare one, on a Debian machine that lacks python3-venv
    python.write_text(
        f'#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" -S "$@"\n',
    )
    python.chmod(0o755)
    return tmp_path


def run_all(checkout: Path, *arguments: str, active: str = "", path: str = "") -> tuple[int, str]:
    """Exit status and stderr of run_all.sh with environment ``active`` and the test's own Python."""
    finished = subprocess.run(
        [checkout / "run_all.sh", *arguments],
        env={
            "PATH": path or f"{checkout / 'bin'}:/usr/bin:/bin",
            "PYTHON": "" if path else "python3.11",
            "VIRTUAL_ENV": active,
            "HOME": os.environ.get("HOME", ""),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return finished.returncode, finished.stderr


def test_help_is_the_head_of_the_script_and_needs_nothing() -> None:
    shown = subprocess.run(
        ["/bin/bash", paths.ROOT / "run_all.sh", "--help"], env={"PATH": "/usr/bin:/bin"}, capture_output=True
    )
    assert shown.returncode == 0
    text = shown.stdout.decode()
    assert text.startswith("Runs every notebook") and text.rstrip().endswith("stopped by Ctrl-C.")
    assert "#" not in text


def test_help_among_flags_is_help_and_sets_nothing_up(checkout: Path) -> None:
    assert run_all(checkout, "--only", "00", "--help") == (0, "")
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("command", ["alfworld", "book", "minedojo-env"])
def test_a_command_that_takes_no_arguments_refuses_them_before_anything_is_set_up(
    command: str, checkout: Path
) -> None:
    assert run_all(checkout, command, "--help") == (2, f"run_all.sh: {command} takes no further arguments.\n")
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("arguments", [["--profile", "huge"], ["--wokers", "2"], ["tests"]])
def test_a_bad_flag_is_refused_before_anything_is_set_up(arguments: list[str], checkout: Path) -> None:
    status, error = run_all(checkout, *arguments)
    assert status == 2
    assert error.startswith("run_all.sh: ") and error.count("\n") == 1
    assert not (checkout / ".venv").exists()


def test_an_active_environment_that_satisfies_the_lock_is_used(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text("[tool.ruff]\nexclude = ['*']\n")
    status, error = run_all(checkout, "test", "--version", active=sys.prefix)
    assert f"using the active environment {sys.prefix}" in error
    assert status == 1 and "failed:" in error  # nothing to check here: each check ran, and its failure counts
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("spoilt", ["numpy==0.0.1", "no-such-package==1.0"])
def test_an_active_environment_that_differs_from_the_lock_is_not_used(spoilt: str, checkout: Path) -> None:
    lock = checkout / "constraints.txt"
    lock.write_text(re.sub(r"^numpy==.*$", spoilt, lock.read_text(), flags=re.MULTILINE))
    status, error = run_all(checkout, "test", active=sys.prefix)
    assert status == 2
    assert f"not using the active environment {sys.prefix}: it lacks {spoilt}" in error
    assert error.splitlines()[-1].endswith("run 'sudo apt install python3.11-venv', then this again.")


def test_an_environment_of_another_checkout_is_not_used(checkout: Path) -> None:
    (checkout / "lib").unlink()
    shutil.copytree(paths.ROOT / "lib", checkout / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    status, error = run_all(checkout, "test", active=sys.prefix)
    assert status == 2
    assert "it lacks this checkout of mnemocraft" in error


def test_without_a_supported_python_it_says_which_are(checkout: Path) -> None:
    old = checkout / "bin/python3.11"
    old.write_text("#!/bin/sh\nexit 1\n")
    (checkout / "bin/dirname").symlink_to("/usr/bin/dirname")
    bash = checkout / "bin/bash"
    bash.symlink_to("/bin/bash")
    (checkout / "bin/env").symlink_to("/usr/bin/env")
    status, error = run_all(checkout, "--profile", "smoke", path=str(checkout / "bin"))
    assert status == 2
    assert error.startswith("run_all.sh: Python 3.11 to 3.14 is needed") and error.count("\n") == 1


def test_smoke_results_are_the_only_results_that_git_ignores() -> None:
    if not (paths.ROOT / ".git").exists():
        pytest.skip("not a git checkout")

    def ignored(path: Path) -> bool:
        command = ["git", "check-ignore", "-q", str(path.relative_to(paths.output_root()))]
        return subprocess.run(command, cwd=paths.ROOT, check=False).returncode == 0

    assert ignored(paths.results_dir("01_x", "surrogate", "smoke") / "t.csv")
    assert ignored(paths.figures_dir("01_x", "surrogate", "smoke") / "f.pdf")
    assert ignored(paths.run_dir("01_x", "surrogate") / "streams")
    assert not ignored(paths.results_dir("01_x", "surrogate", "quick") / "t.csv")
    assert not ignored(paths.figures_dir("01_x", "surrogate", "quick") / "f.pdf")


def test_ci_runs_the_tests_and_passes_their_status_on(checkout: Path) -> None:
    (checkout / ".ci").mkdir()
    shutil.copy(paths.ROOT / ".ci/run", checkout / ".ci")
    (checkout / "run_all.sh").write_text('#!/bin/sh\necho "$PWD $*"; test "$1" = alfworld || exit 7\n')
    finished = subprocess.run([checkout / ".ci/run"], cwd="/", capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout) == (7, f"{checkout} alfworld\n{checkout} test\n")
