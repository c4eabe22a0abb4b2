"""Reference data of the text world: outcomes and plans of the real MC-TextWorld, and the papers' tasks."""

import csv
import gzip
import json
from functools import cache

import pytest

from mnemocraft.paths import ROOT

FOLDER = ROOT.parent / "shared" / "minecraft"

needs_reference = pytest.mark.skipif(not FOLDER.exists(), reason="the reference data are not here")


@cache
def records():
    """Inventory, action and outcome."""
    if not FOLDER.exists():
        return []
    with gzip.open(FOLDER / "golden_textworld.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def plans():
    """Plans that the real engine accepts."""
    if not FOLDER.exists():
        return []
    return [json.loads(line) for line in (FOLDER / "plans_textworld.jsonl").read_text().splitlines()]


@cache
def tasks():
    """Rows of DEPS, M2PA and MindStores."""
    rows = []
    for suite in ("deps", "m2pa", "mindstores"):
        if FOLDER.exists():
            with (FOLDER / f"tasks_{suite}.csv").open(encoding="utf-8", newline="") as lines:
                rows += [{**row, "suite": suite} for row in csv.DictReader(lines)]
    return rows


def tool_call(name):
    """MC-TextWorld's name of an action as a tool call."""
    verb, _, item = ("no_op", "", "") if name == "no_op" else name.partition("_")
    return {"name": verb, "arguments": {"item": item}}
