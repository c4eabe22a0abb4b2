"""Fingerprints: what a study's start can reach counts, and nothing else does."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from mnemocraft import paths
from mnemocraft.runs import sources
from mnemocraft.studies.deps import sweep as deps
from mnemocraft.studies.deps.selectors import sweep as selectors
from mnemocraft.studies.gig import sweep as gig
from mnemocraft.studies.how2 import sweep as how2

STARTS = {"how2": how2.start, "gig": gig.start, "deps": deps.start, "selectors": selectors.start}
PACKAGE = Path(paths.__file__).parent
PARSED = SimpleNamespace(**vars(ast) | {"parse": cache(ast.parse)})
"""The module ``ast``, but what is parsed again is looked up: 200 files take two seconds."""
walked = sources._nodes


def forget() -> None:
    """Nothing that was read of a file is kept."""
    for cached in (sources._fingerprint, sources.imported, sources._lazy, sources._tree, sources._file):
        cached.cache_clear()


def code(study: str) -> str:
    forget()
    return sources.fingerprint(STARTS[study])["code"]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the package, which may be changed; fingerprints are of the copy."""
    copy = tmp_path_factory.mktemp("lib") / "mnemocraft"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "_PACKAGE", copy)
        patch.setattr(sources, "ast", PARSED)
        patch.setattr(sources, "_nodes", cache(lambda tree: [*walked(tree)]))
        yield copy
    forget()


@pytest.fixture(scope="module")
def before(package: Path) -> dict[str, str]:
    return {study: code(study) for study in STARTS}


def test_the_fingerprint_depends_on_files_alone(before: dict[str, str]) -> None:
    assert len(set(before.values())) == len(STARTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "_PACKAGE", PACKAGE)
        assert {study: code(study) for study in STARTS} == before, "not on where they lie"


@pytest.mark.parametrize(
    ("study", "file"),
    [
        ("how2", "studies/how2/sweep.py"),
        ("how2", "agents/how2/roles.py"),
        ("how2", "agents/how2/prompts/tools.json"),
        ("how2", "worlds/guides/plancraft.txt"),
        ("how2", "memory/keyed.py"),
        ("how2", "envs/plancraft/planner.py"),  # by a name that its package imports when it is asked for
        ("how2", "llm/model.py"),
        ("gig", "agents/rollout.py"),
        ("gig", "agents/gig/prompts/gig.kitchen.txt"),
        ("gig", "envs/kitchen/tasks.toml"),
        ("gig", "gnn/states.py"),  # by an entry point, a text
        ("gig", "gnn/encoder.py"),
        ("deps", "worlds/minecraft_tasks.toml"),
        ("deps", "controllers/scripted.py"),  # lazily, in a function
        ("deps", "envs/overworld/tick.py"),
        ("deps", "encoders.py"),
        ("selectors", "agents/deps/pursuit.py"),
    ],
)
def test_what_a_start_reaches_changes_its_fingerprint(
    study: str, file: str, package: Path, before: dict[str, str]
) -> None:
    changed = package / file
    kept = changed.read_text(encoding="utf-8")
    changed.write_text(kept + "\n", encoding="utf-8")
    try:
        assert code(study) != before[study]
    finally:
        changed.write_text(kept, encoding="utf-8")


ELSEWHERE = {
    "how2": ("agents/gig/gig.py", "agents/deps/prompts/deps.txt", "memory/traces.py", "worlds/overworld.py"),
    "gig": ("agents/how2/agent.py", "agents/deps/deps.py", "memory/keyed.py", "studies/gig/analysis.py"),
    "deps": ("agents/gig/gig.py", "agents/deps/pursuit.py", "memory/traces.py", "worlds/kitchen.py"),
    "selectors": ("agents/deps/deps.py", "agents/how2/roles.py", "studies/deps/selectors/tables.py"),
}
NEW = ("memory/dream.py", "agents/dreamer/dreamer.py", "worlds/moon.py", "studies/gig/dreams.py")
ALL = (
    "paths.py",
    "runs/store.py",
    "runs/runner.py",
    "agents/registry.py",
    "memory/registry.py",
    "worlds/registry.py",
)


def test_what_no_start_reaches_changes_nothing(package: Path, before: dict[str, str]) -> None:
    """Another family of agents, a memory that is new, the tables, and what keeps results."""
    for file in NEW:
        (package / file).parent.mkdir(exist_ok=True)
        (package / file).write_text("ANSWER = 42\n", encoding="utf-8")
    kept = {file: (package / file).read_text(encoding="utf-8") for file in ALL}
    try:
        for file, text in kept.items():
            (package / file).write_text(text + "\n", encoding="utf-8")
        assert {study: code(study) for study in STARTS} == before
    finally:
        for file, text in kept.items():
            (package / file).write_text(text, encoding="utf-8")
        for file in NEW:
            (package / file).unlink()


@pytest.mark.parametrize("study", STARTS)
def test_another_study_s_code_changes_nothing(study: str, package: Path, before: dict[str, str]) -> None:
    kept = {file: (package / file).read_text(encoding="utf-8") for file in ELSEWHERE[study]}
    for file, text in kept.items():
        (package / file).write_text(text + "\n", encoding="utf-8")
    try:
        assert code(study) == before[study]
        assert any(code(other) != before[other] for other in STARTS if other != study)
    finally:
        for file, text in kept.items():
            (package / file).write_text(text, encoding="utf-8")


COUNTING = ("stats", "figstyle", "studies.estimates", "studies.claims", "studies.plots", "studies.report")
PLAYED = sorted(
    f"mnemocraft.studies.{file.relative_to(PACKAGE / 'studies').with_suffix('').as_posix().replace('/', '.')}"
    for name in ("sweep", "small")
    for file in PACKAGE.glob(f"studies/**/{name}.py")
)


@pytest.mark.parametrize("module", PLAYED)
def test_how_episodes_are_counted_does_not_decide_how_they_go(module: str) -> None:
    """Or every answer would be asked for, or replayed, again when a figure is drawn anew."""
    forget()
    reached = sources.closure(module)
    counting = [f"mnemocraft.{name}" for name in COUNTING]
    assert all(map(sources._file, counting)) and not set(counting) & set(reached)


FILES = {
    "__init__.py": "",
    "start.py": (
        "from typing import TYPE_CHECKING\n"
        "import numpy\n"
        "from mnemocraft.box import Thing\n"
        "from mnemocraft.runs import store\n"
        "if TYPE_CHECKING:\n    from mnemocraft.typed import Typed\n"
        "MAKER = 'mnemocraft.entry:Maker.make'\n"
        "PROSE = 'mnemocraft.prose:it is only a sentence that names it'\n"
        "def start():\n    if numpy:\n        import mnemocraft.inner\n"
    ),
    "box/__init__.py": "_MODULES = {'thing': 'Thing', 'other': 'Other'}\n",
    "box/thing.py": "from mnemocraft.nothing import Missing\n",
    "box/other.py": "",
    "entry.py": "import mnemocraft.deeper as deeper, mnemocraft.start\n",
    "deeper.py": "def f():\n    def g():\n        from mnemocraft.box.inside import what\n",
    "box/inside.py": "",
    "runs/__init__.py": "",
    "runs/store.py": "import mnemocraft.behind\n",
    **dict.fromkeys(("typed.py", "prose.py", "inner.py", "behind.py", "unrelated.py"), ""),
}


def test_imports_are_followed_wherever_they_stand_but_not_for_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES.items():
        file = tmp_path / "mnemocraft" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(sources, "_PACKAGE", tmp_path / "mnemocraft")
    forget()
    names = ["", ".box", ".box.inside", ".box.thing", ".deeper", ".entry", ".inner", ".start"]
    assert sources.closure("mnemocraft.start") == [f"mnemocraft{name}" for name in names]
    forget()


_PLAY = """
import asyncio, sys
from importlib import import_module
from mnemocraft.llm import get_model
from mnemocraft.runs import Stream
study, arguments, task = sys.argv[1], sys.argv[2].split(), sys.argv[3]
sweep = import_module(f"mnemocraft.studies.{study}")
if study == "gig.sweep":
    import_module("mnemocraft.studies.gig.load").BANK_SEEDS = (0,)  # a small bank is enough here
stream = Stream(sweep.condition(*arguments), 104, (task,))
episode = asyncio.run(sweep.start(stream, get_model("surrogate")).episode(task))
assert episode.reason != "error" and episode.steps, episode
print(*[name for name in sys.modules if name.partition(".")[0] == "mnemocraft"])
"""


@pytest.mark.parametrize(
    ("study", "arguments", "task"),
    [
        ("how2.sweep", "how2 executable low main", "VAL0531"),
        ("gig.sweep", "gig_exp sync", "sync/0"),
        ("deps.sweep", "deps text 1.16.5 paper", "planks"),
        ("deps.sweep", "deps overworld 1.11.2 paper", "planks"),
        ("deps.selectors.sweep", "scripted nearest", "2"),
    ],
)
def test_every_module_that_is_loaded_to_play_is_reached(study: str, arguments: str, task: str) -> None:
    child = subprocess.run(
        [sys.executable, "-c", _PLAY, study, arguments, task], capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    loaded = {name for name in child.stdout.split() if not sources._left_out(name)}
    forget()
    assert len(loaded) > 30
    assert loaded - set(sources.closure(f"mnemocraft.studies.{study}")) == set()
