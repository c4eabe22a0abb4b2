"""What the real MineDojo needs on this machine, and the command that starts its worker."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from mnemocraft.errors import MissingExtra
from mnemocraft.paths import ROOT

VARIABLE = "MNEMOCRAFT_MINEDOJO_ENV"
FOLDER = ROOT / "build" / "minedojo-env"
HOW = "make it with `./run_all.sh minedojo-env`"
START = "import sys; sys.path.append(sys.argv[1]); from minedojo_worker.main import main; main()"
"""Appended, not put first: none of our modules may stand before one of MineDojo's."""


def command() -> list[str]:
    """The command that starts a worker.

    Raises:
        MissingExtra: Something is not installed; one sentence says what.
    """
    python = environment()
    check_java()
    check_display()
    return [str(python), "-I", "-c", START, str(Path(__file__).parent)]


def variables() -> dict[str, str]:
    """The worker's environment variables: as here, and headless where there is no display."""
    headless = {} if _has_display() else {"MINEDOJO_HEADLESS": "1"}
    return headless | dict(os.environ)


def environment() -> Path:
    """The interpreter of MineDojo's environment: ``build/minedojo-env``, or ``$MNEMOCRAFT_MINEDOJO_ENV``.

    Raises:
        MissingExtra: There is none.
    """
    folder = Path(os.environ.get(VARIABLE) or FOLDER)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        raise MissingExtra(
            f"MineDojoEnv needs an environment of its own, but there is none in {folder}; {HOW}."
        )
    return python


def check_java() -> None:
    """See that there is a JDK 8, which builds and runs the game.

    Raises:
        MissingExtra: There is none, or another version.
    """
    home = os.environ.get("JAVA_HOME")
    compiler = shutil.which("javac", path=str(Path(home, "bin")) if home else None)
    advice = "install JDK 8 and set JAVA_HOME to its folder."
    if compiler is None:
        raise MissingExtra(f"MineDojo needs Java 8, but there is no javac in {home or 'PATH'}; {advice}")
    try:
        told = subprocess.run([compiler, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingExtra(
            f"MineDojo needs Java 8, but {compiler} does not run ({error}); {advice}"
        ) from None
    version = re.search(r"javac (1\.)?(\d+)", told.stdout + told.stderr)
    if version is None or version[2] != "8":
        found = f"is version {version[2]}" if version else "does not tell its version"
        raise MissingExtra(f"MineDojo needs Java 8, but {compiler} {found}; {advice}")


def _has_display() -> bool:
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY"))


def check_display() -> None:
    """See that the game can open a window, if only a virtual one.

    Raises:
        MissingExtra: There is no display and no ``xvfb-run``.
    """
    if not _has_display() and shutil.which("xvfb-run") is None:
        raise MissingExtra(
            "MineDojo needs a display, but there is none; install xvfb (`sudo apt install xvfb`)."
        )
