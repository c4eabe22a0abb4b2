"""The numbers copied from GiG's tables agree with each other wherever the paper's do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mnemocraft.studies import papers


def average(name: str, by: list[str], value: str) -> tuple[pd.Series, pd.Series]:
    table = papers.table(name).dropna(subset=[value])
    tasks, printed = table[table["task"] != "Average"], table[table["task"] == "Average"]
    return tasks.groupby(by)[value].mean(), printed.set_index(by)[value]


@pytest.mark.parametrize("number", [7, 8, 9, 10, 11, 14, 15, 16])
def test_the_papers_averages_are_means_of_their_ten_tasks(number: int) -> None:
    means, printed = average(f"gig_table{number}", ["model", "method"], "pass_rate")
    pd.testing.assert_series_equal(means, printed.sort_index(), check_names=False, check_dtype=False)


def test_the_papers_totals_are_the_averages_of_its_tables_by_task() -> None:
    stars = {"GiG*": "GiG", "GiG(+Exp)*": "GiG+Exp", "GiG(LD)": "GiG", "GiG(LD+EXP)": "GiG+Exp"}
    differing = {}
    for total, details in {1: (7, 8, 9), 2: (14, 15, 16), 4: (10, 11)}.items():
        printed = papers.table(f"gig_table{total}").set_index(["model", "method"])["pass_at_1"]
        for detail in details:
            means = average(f"gig_table{detail}", ["model", "method"], "pass_rate")[0]
            for (model, method), value in means.items():
                key = (model, stars.get(method, {"GiG(+Exp)": "GiG+Exp"}.get(method, method)))
                if key in printed.index and printed[key] != pytest.approx(value):
                    differing[total, *key] = (printed[key], value)
    assert differing == {(4, "Qwen3-30B-A3B-Instruct-2507-FP8", "ReCAP"): (19, pytest.approx(17))}


def test_the_papers_two_tables_of_gigs_steps_differ_in_one_task() -> None:
    long = papers.table("gig_table7").query("method == 'GiG' and task != 'Average'").set_index("task")
    ablation = papers.table("gig_table12").query("configuration == 'GiG(+LD+BL)' and metric == 'steps'")
    one, other = long["steps_mean"], ablation.set_index("task")["value"]
    rounding = np.where(one % 1 == 0, 0.5, 0.05)  # some are printed without decimals
    assert list(one.index[(one - other).abs() > rounding + 1e-9]) == ["2"]


def test_no_mean_of_steps_is_beyond_the_limit_of_three_horizons() -> None:
    for name in ("gig_table7", "gig_table14"):
        table = papers.table(name).dropna(subset=["steps_mean"])
        assert len(table) == 40 and (table["steps_mean"] <= 3 * table["horizon"]).all()
        recipes = papers.table({"gig_table7": "gig_table6", "gig_table14": "gig_table13"}[name])
        assert list(table.groupby("task")["horizon"].first()) == list(recipes["horizon"])


def test_the_papers_deviations_are_of_the_population() -> None:
    row = papers.table("gig_table14").query("method == 'ReCAP' and task == '5'").iloc[0]
    trials = [57] * 9 + [10 * row["steps_mean"] - 9 * 57]
    assert np.std(trials) == pytest.approx(row["steps_std"]) != np.std(trials, ddof=1)
