"""The data set, and the paper's tables counted from it."""

import json
import math
from collections import Counter

import pandas as pd
import pytest

from mnemocraft.envs.plancraft import example, examples
from mnemocraft.envs.plancraft.data import SPLITS as FILES
from mnemocraft.envs.plancraft.recipes import package_file
from mnemocraft.errors import MnemocraftError
from mnemocraft.paths import ROOT
from mnemocraft.studies.how2.statistics import (
    path_lengths,
    split_difficulty,
    split_distractors,
    split_plan_statistics,
)

PAPER = ROOT.parent / "shared" / "papers" / "tables"
SPLITS = ("train", "val", "test", "low", "high")


def paper_table(number):
    path = PAPER / f"how2_table{number}.csv"
    if not path.exists():
        pytest.skip("the paper's tables are not on this machine")
    return pd.read_csv(path)


def test_table_2():
    counts = split_difficulty().set_index(["split", "difficulty"])["count"]
    for split in ("low", "high"):
        assert counts[split].to_dict() == {"easy": 200, "medium": 100, "hard": 170, "impossible": 100}


def test_table_3():
    counts = split_distractors().set_index(["split", "n_distractors"])["count"]
    assert counts["low"].to_dict() == {4: 182, 8: 206, 16: 182}
    assert counts["high"].to_dict() == {4: 178, 8: 204, 16: 188}


def test_table_4():
    assert split_plan_statistics()["value"].round(2).tolist() == [6.73, 2.92, 20.45, 6.96, 3.10, 24.39]


@pytest.mark.parametrize(
    ("number", "ours"), [(2, split_difficulty), (3, split_distractors), (4, split_plan_statistics)]
)
def test_tables_equal_the_paper_s(number, ours):
    pd.testing.assert_frame_equal(ours().round(2), paper_table(number))


def test_targets_and_path_lengths():
    """Appendix A: 570 examples each, 347 and 107 targets; Figure 6 spans 1 to 12 and 13 crafts."""
    lengths = path_lengths()
    for split, targets, longest in (("low", 347, 12), ("high", 107, 13)):
        assert len(examples(split)) == 570
        assert len({e.target for e in examples(split)}) == targets
        mine = lengths[lengths["split"] == split]
        assert mine["path_length"].tolist() == list(range(1, longest + 1))
        assert mine["count"].sum() == 470


def test_computed_columns_equal_the_files():
    """Items used and complexity follow from the inventories; where the files state them, they agree."""
    for split in SPLITS:
        rows = json.loads(package_file("data", f"{FILES[split]}.json").read_text())
        for row, ours in zip(rows, examples(split), strict=True):
            columns = ("items_used", "unique_items_used", "complexity", "optimal_path_length")
            stated = [row[c] for c in columns]
            stated = [None if value is None or math.isnan(value) else value for value in stated]
            length = None if ours.optimal_path is None else len(ours.optimal_path)
            assert stated == [ours.items_used, ours.unique_items_used, ours.complexity, length]


def test_what_impossible_examples_lack_is_none():
    for split in SPLITS:
        for e in examples(split):
            optional = (e.optimal_path, e.items_used, e.unique_items_used, e.complexity)
            assert all((value is None) == e.impossible for value in optional)
            assert e.impossible == (e.difficulty == "impossible")


def test_slots_hold_the_inventory():
    for split in SPLITS:
        for e in examples(split):
            held = Counter()
            for item, quantity in e.slots.values():
                held[item] += quantity
            assert held == e.inventory


def test_examples_are_found_by_id():
    for split in SPLITS:
        assert all(example(e.id) is e or split == "val" for e in examples(split))
    assert examples("low")[5] == examples("val")[5]


@pytest.mark.parametrize("task", ["VAL9999", "VALX0001", "", "0001"])
def test_unknown_ids_are_named(task):
    with pytest.raises(MnemocraftError, match="Unknown Plancraft task"):
        example(task)


def test_unknown_split_lists_the_splits():
    with pytest.raises(MnemocraftError, match="high"):
        examples("medium")
