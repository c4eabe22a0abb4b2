"""The worked examples of CONTRIBUTING.md do what it says: each adds a file and a row, and then plays."""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
import types
from pathlib import Path

import pytest

from mnemocraft.agents import registry as agents
from mnemocraft.memory import registry as memories
from mnemocraft.worlds import registry as worlds

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
BLOCK = re.compile(r"```python\n# (row in )?lib/(\S+)\.py\n(.*?)```", re.S)


@pytest.fixture
def added(monkeypatch):
    """Every file of the guide as a module, every row in its registry; all gone afterwards."""
    surrogate = importlib.import_module("mnemocraft.surrogate")
    for module, name in ((agents, "AGENTS"), (memories, "MEMORIES"), (worlds, "KINDS"), (surrogate, "MINDS")):
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
    before = set(sys.modules)
    for row, path, code in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        name = path.replace("/", ".").removesuffix(".__init__")
        if row:
            exec(code, vars(importlib.import_module(name)))  # noqa: S102 (our own guide, no model's answer)
            continue
        for parent in (name.rpartition(".")[0], name):
            if parent not in sys.modules:
                sys.modules[parent] = types.ModuleType(parent)
        exec(compile(code, path, "exec"), vars(sys.modules[name]))  # noqa: S102
    yield
    for name in set(sys.modules) - before:
        if "lamps" in name or name.endswith((".direct", ".latest")):
            del sys.modules[name]


def test_the_guide_has_the_four_examples():
    names = [path.removeprefix("mnemocraft/") for row, path, _ in BLOCK.findall(GUIDE.read_text()) if not row]
    assert names == [
        "agents/direct", "memory/latest", "worlds/lamps", "surrogate/minds/lamps",
        "studies/lamps/sweep", "studies/lamps/tables",
    ]  # fmt: skip
    assert len(GUIDE.read_text().splitlines()) < 300


def test_the_new_agent_plays_the_old_worlds_and_the_old_agents_the_new_one(added):
    from mnemocraft.agents import play
    from mnemocraft.llm import get_model

    model = get_model("surrogate:knowledge=1,attention=1,slip=0")
    for agent, task, memory in (
        ("direct", "kitchen/sync/0", "none"),
        ("direct", "lamps/three", "latest"),
        ("react", "lamps/three", "keyed"),
        ("recap", "lamps/three", "trace"),
        ("dep", "lamps/three", "none"),
        ("base", "lamps/three", "loops"),
    ):
        world, kept = worlds.make(task), memories.get_memory(memory)
        episode = asyncio.run(play(agents.get_agent(agent), world, kept, model))
        assert episode.success, (agent, task, episode.reason)


def test_the_new_memory_comes_back_from_its_deltas(added):
    kept, again = memories.get_memory("latest"), memories.get_memory("latest")
    deltas = []
    for text in ("one", "two"):
        kept.learn(text, ["key"])
        deltas.append(kept.commit("goal", success=True))
    again.restore([*deltas, None])
    assert again.text == kept.text == "two" and len(again) == 1


def test_the_new_study_runs_and_makes_its_table(added, tmp_path):
    from mnemocraft.runs import ModelSpec, run_study

    sweep, tables = (sys.modules[f"mnemocraft.studies.lamps.{name}"] for name in ("sweep", "tables"))
    # Its files are not on the disk, so that its fingerprint is empty; its streams are played in this process.
    records = run_study(sweep.study([0, 1]), ModelSpec("surrogate"), out=tmp_path, workers=1, progress=False)
    table = tables.success(records)
    assert len(records) == 12 and list(table["memory"]) == ["latest", "none"] and set(table["n"]) == {6}
    assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()
