"""The project's own files: whatever has become of one, a sentence names it and a run stops with it."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mnemocraft import paths
from mnemocraft.envs.kitchen import oracle
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.plancraft import data as plancraft
from mnemocraft.envs.plancraft import recipes
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import budget
from mnemocraft.runs import run_study
from mnemocraft.studies import evidence, findings, papers, report, small_model
from mnemocraft.studies.deps.selectors import tables as selectors
from runs_toy import TASKS, InstantSpec, ToyRunner, toy_study

Read = Callable[[Path], Any]


def in_data(name: str, read: Callable[[], Any]) -> tuple[str, Read]:
    """A reader of a file in ``data/``, with that folder elsewhere."""

    def elsewhere(folder: Path) -> Any:
        with pytest.MonkeyPatch.context() as patched:
            for module in (paths, sys.modules[rules.__module__], selectors):
                patched.setattr(module, "DATA", folder, raising=False)
            patched.setattr(oracle, "PLANS", folder / "kitchen" / "oracle_plans.jsonl")
            patched.setattr(budget, "PRICES", folder / "prices.csv")
            for module in (plancraft, recipes):
                patched.setattr(module, "package_file", lambda *parts: folder.joinpath("plancraft", *parts))
            return read()

    return name, elsewhere


READERS = dict(
    (
        in_data("prices.csv", budget.prices.__wrapped__),
        in_data("kitchen/oracle_plans.jsonl", oracle._stored.__wrapped__),
        in_data("minecraft/1.16.5.json", lambda: rules.__wrapped__("1.16.5")),
        in_data("papers/how2_table1.csv", lambda: papers.table("how2_table1")),
        in_data("models/x_alike.csv", lambda: small_model.alike.__wrapped__("x")),
        in_data("runs.csv", lambda: evidence.table(paths.DATA / "results", paths.DATA / "runs.csv")),
        in_data("registrations/04_earlier_designs.csv", selectors.designs),
        in_data("plancraft/data/val.json", lambda: plancraft.examples.__wrapped__("val")),
        in_data("plancraft/environment/assets/constants.json", recipes.max_stack.__wrapped__),
        in_data("results/provenance.json", lambda: report.provenance(paths.DATA / "results")),
        in_data("results/success.csv", lambda: findings.read(paths.DATA / "results")),
    )
)
DAMAGE = {
    "cut": b'{"a": [1, "b',
    "no text": b"\xff\xfe\x00\x80",
    "deep": b"[" * 100_000,
    "long number": b'[{"task": ' + b"9" * 5000 + b"}]",
    "empty": b"",
    "other JSON": b'{"task": null}',
}
FINE = {("provenance.json", "other JSON"), ("oracle_plans.jsonl", "empty")}
STRICT = ("prices.csv", "runs.csv")
"""Tables whose columns are known where they are read; elsewhere one with other columns is one."""


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_a_sentence_that_names_it(name: str, damage: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(DAMAGE[damage])
    try:
        READERS[name](tmp_path)
    except MnemocraftError as error:
        assert str(path.parent) in str(error) and "\n" not in str(error) and len(str(error)) < 1000
    else:
        table = path.suffix == ".csv" and name not in STRICT and damage not in ("no text", "empty")
        assert table or (path.name, damage) in FINE


class Reader(ToyRunner):
    """Needs a file of the project to play."""

    async def episode(self, task: str) -> Any:
        oracle._stored.__wrapped__()
        return await super().episode(task)


def start_reader(stream: Any, model: Any) -> Reader:
    return Reader(stream, model)


def test_a_run_stops_with_the_sentence_and_goes_on_when_the_file_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged file made every episode a crash, for good."""
    monkeypatch.setattr(oracle, "PLANS", tmp_path / "plans.jsonl")
    study = replace(toy_study(tasks=TASKS[:3], seeds=[0]), start=start_reader)
    (tmp_path / "plans.jsonl").write_text('{"task": ')
    with pytest.raises(MnemocraftError, match=r"plans\.jsonl is missing or damaged .*run again to go on"):
        run_study(study, InstantSpec(), out=tmp_path / "run", workers=1, progress=False)
    (tmp_path / "plans.jsonl").write_text("")
    frame = run_study(study, InstantSpec(), out=tmp_path / "run", workers=1, progress=False)
    assert set(frame["status"]) == {"ok"}
