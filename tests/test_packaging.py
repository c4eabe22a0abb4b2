"""A wheel works outside a checkout: it is built, installed into an environment of its own, and used there."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from mnemocraft import paths

USE = """
from mnemocraft import paths
from mnemocraft.llm import get_model
from mnemocraft.llm.budget import prices
from mnemocraft.studies import papers
from mnemocraft.worlds import make

assert not paths.CHECKOUT and prices() and len(papers.table("mindstores_table2"))
get_model("surrogate")
for task in ("textworld/stone_sword", "kitchen/sync/0", "plancraft/low/VAL0001"):
    world = make(task)
    assert world.observe().text and world.guide
print(paths.output_root())
"""


def test_the_wheel_works_outside_a_checkout(tmp_path: Path) -> None:
    source, home = tmp_path / "source", tmp_path / "home"
    home.mkdir()
    for name in ("lib", "data"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "results")
        shutil.copytree(paths.ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(paths.ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(source)]
    subprocess.run([*pip, *build], check=True, capture_output=True)
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    (wheel,) = tmp_path.glob("*.whl")
    install = ["install", "--no-deps", "--ignore-installed", str(wheel)]
    subprocess.run([*pip, "--python", str(python), *install], check=True)
    others = os.environ | {"PYTHONPATH": sysconfig.get_path("purelib")}  # what it depends on, from here
    done = subprocess.run([python, "-c", USE], cwd=home, env=others, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(home)
