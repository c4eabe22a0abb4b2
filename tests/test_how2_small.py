"""The small model beside the paper and the surrogate: its part of the study, its tables, what they say."""

from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from how2_synthetic import conditions, synthetic
from mnemocraft import figstyle
from mnemocraft.envs.plancraft.data import example, examples
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import checks
from mnemocraft.studies.how2 import (
    analysis,
    compare,
    facts,
    figures,
    findings,
    known,
    measures,
    sweep,
    tables,
)
from mnemocraft.studies.how2.load import SPLITS
from training import recording

MAIN = [c for c in conditions() if c[3] == "main"]
SMALL = "replay:a-small-model"
NOWHERE = Path("no relevance check is in these records, so that no trajectory is read")
SOLVABLE = [e for split in ("low", "high") for e in examples(split)[:60] if not e.impossible]
KNOWN = frozenset(sorted({e.target for e in SOLVABLE})[::2])


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    """Executable answers always succeed, others never; without a teacher what is known and easy succeeds."""
    records = synthetic(1, size=60, chosen=MAIN).assign(model=SMALL)
    remembered = records["target"].isin(KNOWN) & (records["difficulty"] == "easy")
    alone = (records["setup"] == "base") & remembered
    records["success"] = (records["difficulty"] != "impossible") & (
        alone | (records["teacher"] == "executable")
    )
    return records


@pytest.fixture(scope="module")
def found(records) -> dict[str, pd.DataFrame]:
    return analysis.small_tables(records, NOWHERE, KNOWN)


@pytest.fixture(scope="module")
def played(found) -> dict[str, dict[str, pd.DataFrame]]:
    other = synthetic(1, size=30, chosen=MAIN)
    return {"surrogate": analysis.data_tables() | analysis.tables(other, NOWHERE), SMALL: found}


# --- its part of the study


def test_every_profile_plays_the_beginning_of_the_streams_of_the_next():
    smoke, quick, full = (sweep.small(profile).streams for profile in ("smoke", "quick", "full"))
    for shorter, longer in ((smoke, quick), (quick, full)):
        for short, whole in zip(shorter, longer, strict=True):
            assert (short.condition, short.seed) == (whole.condition, whole.seed)
            assert short.tasks == whole.tasks[: len(short.tasks)]
            assert 0 < len(short.tasks) < len(whole.tasks)


def test_it_is_the_main_grid_on_whole_targets_and_more_than_a_test_takes():
    """Low split first, in each the set-ups in their order; one seed after the other."""
    recorded = recording.STUDIES["01"].study("full").streams
    assert [s.seed for s in recorded] == [0] * 42 + [1] * 42 + [2] * 42
    assert [s.condition for s in recorded] == [s.condition for s in recorded[:42]] * 3
    assert sweep.small("full").streams == recorded[: 42 * len(sweep.RECORDED)]
    streams = sweep.small("full", [0]).streams
    main = [
        s.condition for s in sweep.study("quick", [0]).streams if s.condition.settings["variant"] == "main"
    ]
    fewer = {"max_steps": sweep.SMALL_MAX_STEPS}
    settings = {c.id: c.settings | fewer for c in main}
    assert {s.condition.id: s.condition.settings for s in streams} == settings
    assert [s.condition.settings["split"] for s in streams] == ["low"] * 21 + ["high"] * 21
    setups = [s.condition.settings["setup"] for s in streams[:21]]
    assert list(dict.fromkeys(setups)) == list(sweep.SMALL_ORDER)
    assert setups == [s.condition.settings["setup"] for s in streams[21:]]
    for split in SPLITS:
        [tasks] = {s.tasks for s in streams if s.condition.settings["split"] == split}
        targets = {example(task).target for task in tasks}
        assert len(tasks) >= sweep.SMALL_TASKS and len(targets) >= 24
        assert {e.id for e in examples(split) if e.target in targets} == set(tasks)


def test_mistakes_are_named():
    with pytest.raises(MnemocraftError, match="huge"):
        sweep.small("huge")
    with pytest.raises(MnemocraftError, match="small_model"):
        checks.check_models("replay:a/b", "replay:a/b")  # one folder
    checks.check_models("surrogate", None)
    checks.check_models("surrogate", SMALL)


# --- beside the paper


def test_only_a_language_models_effects_stand_beside_the_papers(played):
    table = compare.hypotheses(played)
    for name in ("direction", "size"):
        assert (SMALL, name) in table.columns and ("surrogate", name) not in table.columns
    assert list(table.columns.unique(0)) == ["paper", SMALL, "surrogate"]
    assert set(table["surrogate", "verdict"]) == {"not tested"}, "its targets are too few"
    assert set(table.index.unique("part")) == {"all", "low", "high"} and len(table) == 7 * 3


def test_planted_effects_get_what_they_should(played):
    rows = played[SMALL]["hypotheses"].query("part == 'all'").set_index("claim")
    better = rows.loc["asked at once, executable answers help more than subgoal ones"]
    assert (better["effect"], better["verdict"]) == (1.0, "not tested")  # always against never: no width
    assert np.isnan(better["low"]) and "an arm has 6 clusters" in better["finding"]
    assert compare.hypotheses(played)[SMALL, "effect"].iloc[0] == "+1.00"


def test_what_a_profile_can_decide_is_said_from_what_came_with_the_repository(monkeypatch, found):
    shipped = {"surrogate": {"hypotheses": found["hypotheses"]}, SMALL: found}
    monkeypatch.setattr(compare.findings, "shipped", lambda stem: ("quick", shipped))
    table = compare.planned("smoke", "surrogate", SMALL)
    assert list(table.index.unique("model")) == [SMALL, "surrogate"] and len(table) == 2 * 7
    assert table["this run"].str.startswith("nothing is tested below 20 clusters").all()
    monkeypatch.setattr(compare.findings, "shipped", lambda stem: ("", {}))
    assert compare.planned("smoke", "surrogate", None).empty


# --- known and unknown targets


def row(table: pd.DataFrame, *keys: str) -> pd.Series:
    return table.set_index(list(known.KEYS)).loc[keys]


def equal_sized(tasks):
    """Targets of equal size that tell as much as these: (sum of sizes)² / sum of squares (Kish 1965)."""
    sizes = np.array(list(Counter(task.target for task in tasks).values()))
    return sizes.sum() ** 2 / (sizes**2).sum()


def test_known_targets_are_counted_apart(found):
    table = found["known_targets"]
    for level in ("easy", "hard"):
        tasks = [e for e in SOLVABLE if e.difficulty == level]
        for group, inside in (("known", True), ("unknown", False)):
            mine = [e for e in tasks if (e.target in KNOWN) == inside]
            cell = row(table, "base", "none", level, group)
            assert (cell["n"], cell["n_targets"]) == (len(mine), len({e.target for e in mine}))
            assert cell["value"] == (level == "easy" and inside)
    both = row(table, "base", "none", "all", "all")
    size = equal_sized(SOLVABLE)
    wilson = proportion_confint(both["value"] * size, size, method="wilson")
    assert (both["low"], both["high"]) == pytest.approx(wilson) and 1 < size < both["n_targets"]
    easy = [e for e in SOLVABLE if e.difficulty == "easy" and e.target in KNOWN]
    assert both["n"] == len(SOLVABLE) and both["value"] == pytest.approx(len(easy) / len(SOLVABLE))
    assert both["low"] < both["value"] < both["high"]


def test_intervals_are_wilsons_over_targets_and_newcombes(found):
    table = found["known_targets"]
    yes, no = (row(table, "base", "none", "easy", group) for group in ("known", "unknown"))
    easy = [e for e in SOLVABLE if e.difficulty == "easy"]
    k, m = (equal_sized([e for e in easy if (e.target in KNOWN) == inside]) for inside in (True, False))
    assert (yes["low"], yes["high"]) == pytest.approx(proportion_confint(k, k, method="wilson"))
    assert (no["low"], no["high"]) == pytest.approx(proportion_confint(0, m, method="wilson"))
    apart = row(table, "base", "none", "easy", "known - unknown")
    newcombe = confint_proportions_2indep(k, k, 0, m, method="newcomb", compare="diff")
    assert (apart["value"], apart["low"], apart["high"]) == pytest.approx((1, *newcombe))


def test_what_was_not_run_is_nan_and_counts_nothing():
    few = synthetic(1, size=5, chosen=[("base", "none", "low", "main")])
    table = known.known_targets(measures.prepare(few), KNOWN)
    missing = row(table, "how2", "executable", "easy", "known")
    assert np.isnan(missing["value"]) and (missing["n"], missing["n_targets"]) == (0, 0)
    assert set(known.targets_of_the_design(table)["met"].iloc[:2]) == {"not measured"}


def test_the_designs_targets_are_met_or_not(records, found):
    design = found["targets_of_the_design"]
    size = equal_sized([e for e in SOLVABLE if e.difficulty == "easy"])
    assert size / (size + 1.96**2) < 0.8, "Wilson's lower limit of all of so many"
    undecided = "undecided (yes by its value)"
    assert design["met"].tolist() == [undecided, "no", undecided, "yes"]
    assert design["value"].tolist()[:3] == [1.0, 0.0, 0.0]
    easy = sum(e.difficulty == "easy" for e in SOLVABLE)
    assert design["n"].tolist()[:2] == [easy, easy]
    # A model that knows everything alike: near 0 is missed, and no difference is to be seen.
    alike = records.assign(success=records["success"] | (records["setup"] == "base"))
    assert analysis.small_tables(alike, NOWHERE, KNOWN)["targets_of_the_design"]["met"].tolist()[2:] == [
        "no",
        "no",
    ]


@pytest.mark.parametrize(
    ("low", "solved", "high", "met"),
    [
        (0.8, 0.9, 1.0, "yes"),
        (0.4, 0.8, 0.9, "undecided (yes by its value)"),
        (0.4, 0.7, 0.8, "undecided (no by its value)"),
        (0.4, 0.6, 0.79, "no"),
    ],
)
def test_a_bound_is_met_by_a_whole_interval(low, solved, high, met):
    rows = [dict(zip(known.KEYS, row, strict=True)) for _, row, *_ in known.GOALS]
    numbers = {"value": solved, "low": low, "high": high, "n": 10, "n_targets": 5}
    table = known.targets_of_the_design(pd.DataFrame([row | numbers for row in rows]))
    assert table["met"].iloc[0] == met  # executable answers: at least 80 %


# --- three columns, three panels


def test_each_number_stands_beside_the_papers_under_its_models_name(played):
    table = compare.columns(played, "table1", "metric", "low")
    assert list(table["overall_sr"].columns) == [SMALL, "surrogate", "paper"]
    assert table.shape == (26, 4 * 3)
    line = table.loc[("just_ask", "executable"), "overall_sr"]
    assert line[SMALL] == "1.00" and line["paper"] == "0.59"
    ours = played["surrogate"]["table1"].query("metric == 'overall_sr' and split == 'low'")
    value = ours.query("setup == 'just_ask' and teacher == 'executable'")["value"].item()
    assert line["surrogate"].startswith(f"{value:.2f} [")


def test_sizes_name_every_models_n(played):
    solvable = sum(not e.impossible for e in examples("low")[:60])
    others = sum(not e.impossible for e in examples("low")[:30])
    said = compare.sizes(played, "table1", "low")
    assert f"{SMALL}: n = {solvable} to 60" in said and f"surrogate: n = {others} to 30" in said


def test_unknown_numbers_are_dashes(played):
    text = compare.known_targets(played[SMALL]["known_targets"], ["base"])
    assert list(text.columns) == list(known.GROUPS) and len(text) == 4
    lone = {"m": {"table1": played[SMALL]["table1"].assign(value=np.nan)}}
    assert set(compare.columns(lone, "table1", "metric", "low")["overall_sr", "m"]) == {"-"}


def texts(figure) -> list[str]:
    return [t.get_text() for t in figure.findobj(plt.Text) if t.get_visible() and t.get_text().strip()]


def test_figures_name_their_models_and_mark_only_the_surrogate(played):
    drawn = analysis.draw(played)
    for name in ("figure4_small", "figure5_small", "figure8_small", "learning_small", "known_targets"):
        assert any(SMALL in text for text in texts(drawn[name])), name
        assert not any(figstyle.SURROGATE_MARK in text for text in texts(drawn[name])), name
    for name in ("figure7", "hypotheses"):
        shown = texts(drawn[name])
        assert any(SMALL in text for text in shown), name
        assert any(figstyle.SURROGATE_MARK in text for text in shown), name
    panels = drawn["figure7"].axes[::2]
    assert [axes.get_title().removesuffix(": low repetition") for axes in panels] == [
        "the paper's Llama 3.3 70B",
        figstyle.called(SMALL),
        figstyle.SURROGATE_MARK,
    ]
    for name, figure in drawn.items():
        figure.draw_without_rendering()
        whole = figure.get_tightbbox(figure.canvas.get_renderer())  # inches
        assert whole.x0 >= -0.01 and whole.x1 <= figure.get_figwidth() + 0.01, name
        plt.close(figure)


def test_of_who_always_looks_first_a_sentence_says_so_and_no_figure_when(records, played):
    first = measures.prepare(records.assign(first_read=1))
    alike = played[SMALL] | {"figure4": tables.success_by_first_read(first)}
    [said] = facts.of_first_reads(SMALL, alike)
    assert "in the same place, *1st* (n = " in said
    assert not facts.of_first_reads(SMALL, played[SMALL]) and not facts.of_first_reads(SMALL, {})
    assert "figure4_small" not in analysis.draw(played | {SMALL: alike})
    for each in map(plt.figure, plt.get_fignums()):
        plt.close(each)


def test_figure7_draws_each_models_own_numbers(played):
    figure = figures.figure7({name: of["table1"] for name, of in played.items()})
    solved = figure.axes[2].containers[0].lines[0].get_ydata()  # the small model, executable, low split
    assert np.allclose(solved, 100)
    plt.close(figure)


def test_without_a_small_model_there_are_two_panels(played):
    drawn = analysis.draw({"surrogate": played["surrogate"]})
    assert len(drawn["figure7"].axes) == 4 and "known_targets" not in drawn
    for figure in drawn.values():
        plt.close(figure)


def test_a_rate_on_which_few_targets_agree_is_not_told_as_certain():
    """Wilson's upper limit of 0 in n is z² / (n + z²); a bootstrap of targets that agree has none."""
    row = pd.Series({"value": 0.0, "low": np.nan, "high": np.nan, "n": 12})
    assert findings._rate(row, 7) == f"0.00 [0.00, {1.96**2 / (7 + 1.96**2):.2f}]"
    assert findings._rate(row, 0) == "0.00"
    assert (
        findings._rate(pd.Series({"value": 0.5, "low": 0.14, "high": 0.87, "n": 12}), 7)
        == "0.50 [0.14, 0.87]"
    )
