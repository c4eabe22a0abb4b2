"""How2's tables, statistics and figures on synthetic records whose truth is known."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from how2_synthetic import success_rate, synthetic
from mnemocraft import paths
from mnemocraft.agents.how2.settings import MEMORY_SETUPS, SETUPS, TEACHERS
from mnemocraft.envs.plancraft.data import examples
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import claims, papers, report
from mnemocraft.studies.how2 import analysis, hypotheses, measures, tables
from mnemocraft.studies.how2.load import SPLITS


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    return synthetic(seeds=1)


@pytest.fixture(scope="module")
def found(records) -> dict[str, pd.DataFrame]:
    return analysis.tables(records) | analysis.data_tables()


def pick(table: pd.DataFrame, **where: str) -> pd.Series:
    """The one row with these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


# --- the paper's numbers


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("table1", "value"),
        ("table6", "value"),
        ("table7", "value"),
        ("table8", "value"),
        ("table9", "value"),
        ("table10", "success_rate"),
        ("table11", "value"),
        ("table2", "count"),
        ("table3", "count"),
        ("table4", "value"),
    ],
)
def test_every_number_of_the_paper_is_beside_one_of_ours(found, name, column):
    printed = papers.table(f"how2_{name}")[column].dropna().sort_values().tolist()
    assert found[name]["paper"].dropna().sort_values().tolist() == printed


def test_data_tables_reproduce_the_paper_exactly(found):
    for name in ("table2", "table3"):
        assert (found[name]["count"] == found[name]["paper"]).all()
    assert (found["table4"]["value"].round(2) == found["table4"]["paper"]).all()


def test_paper_tables_are_the_reference_copies():
    reference = paths.ROOT.parent / "shared" / "papers" / "tables"
    if not reference.is_dir():
        pytest.skip("the reference copies of the papers' tables are not on this machine")
    for path in reference.glob("how2_*.csv"):
        assert (paths.DATA / "papers" / path.name).read_bytes() == path.read_bytes()


def test_printed_impossible_f1_is_the_macro_average():
    """Ties our F1 to the paper's: its error rates give its F1 if all impossible examples are found."""
    keys = ["setup", "teacher", "split"]
    wrong = papers.table("how2_table9").query("metric == 'impossible_error'").set_index(keys)["value"] * 570
    printed = papers.table("how2_table1").query("metric == 'impossible_f1'").set_index(keys)["value"]
    sums = np.stack([np.full(len(wrong), 100), wrong, np.zeros(len(wrong)), 470 - wrong], axis=-1)
    macro = measures.MEASURES["impossible_f1"].value(sums)
    assert np.abs(macro - printed.loc[wrong.index]).max() < 0.025
    alone = 200 / (200 + sums[:, 1])  # F1 of the class "impossible"
    assert np.abs(alone - printed.loc[wrong.index]).min() > 0.025


def test_unknown_paper_table_or_fact_is_a_sentence():
    with pytest.raises(MnemocraftError, match="how2_table1"):
        papers.table("how2_table99")
    with pytest.raises(MnemocraftError, match="no_such_fact"):
        papers.fact("how2", "no_such_fact")
    assert papers.fact("how2", "t_curriculum") == 1.01
    assert math.isnan(papers.fact("how2", "p_all_setups_subgoal_vs_partially"))  # printed as a bound


# --- what is counted over what


def test_success_is_over_solvable_examples_and_errors_over_all(records, found):
    cell = records.query(
        "setup == 'parse' and teacher == 'executable' and split == 'low' and variant == 'main'"
    )
    where = {"setup": "parse", "teacher": "executable", "split": "low"}
    solvable = cell["difficulty"] != "impossible"
    success = pick(found["table1"], **where, metric="overall_sr")
    assert success["n"] == solvable.sum() == 470
    assert success["value"] == pytest.approx(cell.loc[solvable, "success"].mean())
    error = pick(found["table9"], **where, metric="impossible_error")
    assert error["n"] == len(cell) == 570
    assert error["value"] == pytest.approx((cell["reason"] == "impossible_wrong").mean())
    asked = pick(found["table1"], **where, metric="avg_intervention_rate")
    assert asked["value"] == pytest.approx((cell["interventions"] > 0).mean())
    spent = pick(found["table8"], **where, metric="token_usage_k")
    assert spent["value"] == pytest.approx(20.5)  # thousands; the number of calls is not tokens
    assert pick(found["table8"], **where, metric="action_efficiency")["value"] == pytest.approx(2)


def test_difficulties_add_up_to_overall(found):
    rows = found["table10"].query("teacher != 'avg'")
    weighted = rows.assign(solved=rows["value"] * rows["n"]).groupby(["setup", "teacher", "split"])
    for _, group in weighted:
        overall = group[group["difficulty"] == "overall"].iloc[0]
        parts = group[group["difficulty"] != "overall"]
        assert parts["solved"].sum() == pytest.approx(overall["solved"])
        assert parts["n"].sum() == overall["n"]


def test_avg_is_the_mean_over_teachers(found):
    rows = found["table1"].query("setup == 'how2' and split == 'high' and metric == 'impossible_f1'")
    assert pick(rows, teacher="avg")["value"] == pytest.approx(rows.query("teacher != 'avg'")["value"].mean())


def test_std_is_between_seeds():
    records = synthetic(3, size=60, chosen=[("base", "none", "low", "main")])
    rates = records[records["difficulty"] != "impossible"].groupby("seed")["success"].mean()
    rows = tables.table10(measures.prepare(records)).query("setup == 'base' and split == 'low'")
    assert pick(rows, difficulty="overall")["std"] == pytest.approx(rates.std())
    assert rows.query("difficulty != 'overall'")["std"].isna().all()


def test_heat_maps_count_every_episode_and_a_correct_impossible(records, found):
    heat = found["figure8"]
    assert (heat.groupby(["teacher", "setup"])["n"].sum() == 570).all()
    mine = heat.query("teacher == 'executable' and setup == 'just_ask'")
    cell = records.query(
        "setup == 'just_ask' and teacher == 'executable' and split == 'high' and variant == 'main'"
    )
    assert (mine["value"] * mine["n"]).sum() == pytest.approx(cell["success"].sum())


def test_failed_episodes_stay_in_the_denominator():
    records = synthetic(seeds=1, chosen=[("parse", "executable", "low", "main")], rate=lambda *_: 1.0)
    crashed = records.index[:100]
    metrics = ["cache_hits", "cache_misses", "interventions", "first_read", "actions", "expert_actions"]
    metrics += ["impossible_called", "difficulty", "target"]
    records = records.astype(dict.fromkeys(metrics, object))
    records.loc[crashed, metrics] = np.nan
    records.loc[crashed, ["status", "reason", "success"]] = ["crash", "crash", False]
    episodes = measures.prepare(records)
    row = pick(tables.table1(episodes), setup="parse", teacher="executable", split="low", metric="overall_sr")
    lost = sum(not e.impossible for e in examples("low")[:100])
    assert row["n"] == 470 and row["value"] == pytest.approx(1 - lost / 470)
    ends = tables.statuses(episodes).iloc[0]
    assert (ends["episodes"], ends["ok"], ends["crash"], ends["budget"]) == (570, 470, 100, 0)


# --- statistics


def test_planted_effects_are_found(found):
    assert (found["hypotheses"]["verdict"] == "holds").all()
    interaction = found["table7"].set_index(["term", "statistic"])["value"]
    assert interaction["C(teacher):C(memory)", "p_value"] < 1e-6
    assert interaction["Residual", "df"] == 470 * 2 * 2 * 2 - 4
    first = found["t_tests"].iloc[0]
    assert first["conclusion"] == "first is higher" and first["low"] < 0.15 < first["high"]


def test_reversed_effects_fail_and_absent_ones_are_undecided():
    chosen = [(s, t, split, "main") for s in SETUPS[1:] for t in TEACHERS for split in SPLITS]
    flipped = synthetic(1, size=300, chosen=chosen, rate=lambda s, t: 1 - success_rate(s, t))
    verdicts = hypotheses.verdicts(measures.prepare(flipped)).set_index("claim")
    success = verdicts[verdicts["metric"] == "overall_sr"]
    assert (success["verdict"] == "fails").all()
    assert (verdicts.query("hypothesis == 'relevance'")["hypothesis_verdict"] == "fails").all()
    same = hypotheses.verdicts(measures.prepare(synthetic(1, size=300, chosen=chosen, rate=lambda *_: 0.5)))
    same = same.query("metric == 'overall_sr'")
    assert (same["verdict"] == "undecided").all()
    assert same["finding"].str.contains("not distinguishable").all()


def test_t_test_is_students_and_holm_only_raises_p(records, found):
    from scipy.stats import ttest_ind

    solvable = records.query("setup == 'just_ask' and variant == 'main' and difficulty != 'impossible'")
    pools = [
        solvable.loc[solvable["teacher"] == t, "success"].astype(float) for t in (TEACHERS[0], TEACHERS[2])
    ]
    row = found["t_tests"].iloc[0]
    assert row["t"] == pytest.approx(ttest_ind(*pools).statistic)
    assert row["df"] == 4 * 470 - 2
    assert (found["t_tests"]["p_clustered_holm"] >= found["t_tests"]["p_clustered"]).all()
    assert found["t_tests"]["paper_t"].tolist()[:2] == ["1.615", "1.953"]


def test_intervals_of_f1_over_targets_cover():
    """300 experiments, one in each cell: 80 targets, a quarter of them impossible, told apart with skill."""
    rng = np.random.default_rng(3)
    simulation, target, _ = (index.ravel() for index in np.indices((300, 80, 3)))
    impossible = np.repeat(rng.random((300, 80)) < 0.25, 3)
    skill = np.repeat(rng.beta(4, 1, (300, 80)), 3)
    called = rng.random(len(skill)) < np.where(impossible, skill, 1 - skill)
    truth = {"tp": impossible & called, "fp": ~impossible & called}
    truth |= {"fn": impossible & ~called, "tn": ~impossible & ~called}
    frame = pd.DataFrame({"simulation": simulation, "target": target} | truth)
    found = measures.cells(frame, "impossible_f1", by=("simulation",))
    estimates = [found.estimate({(i,): 1.0}) for i in range(300)]
    macro = (2 * 0.2 / (2 * 0.2 + 0.2) + 2 * 0.6 / (2 * 0.6 + 0.2)) / 2
    assert 0.90 <= np.mean([e.low <= macro <= e.high for e in estimates]) <= 0.98


def test_mcnemar_pairs_by_task_and_seed_what_is_compared(records, found):
    """Pairs also share what the pools do: the set-up for teachers, the teacher for ablations."""
    solvable = records[records["difficulty"] != "impossible"]
    memory = solvable[solvable["setup"].isin(MEMORY_SETUPS) & (solvable["variant"] == "main")]
    ablated = solvable.query("setup == 'how2' and split == 'high'")
    expected = {
        4: (memory, "teacher", TEACHERS[2], TEACHERS[1], "setup"),
        6: (ablated, "variant", "ask_first", "main", "teacher"),
    }
    for row, (pool, factor, one, other, shared) in expected.items():
        pairs = pool.pivot(index=[shared, "split", "task", "seed"], columns=factor, values="success")
        better, worse = (pairs[one] > pairs[other]).sum(), (pairs[one] < pairs[other]).sum()
        p = found["t_tests"]["p_mcnemar"].iloc[row]
        assert p == pytest.approx(binomtest(better, better + worse).pvalue)


def test_unfinished_pairs_have_no_mcnemar_but_keep_the_rest(records, found):
    lost = records.query("variant == 'curriculum' and difficulty == 'easy'").index[0]
    table = hypotheses.t_tests(measures.prepare(records.drop(lost)))
    assert table["p_mcnemar"].isna().tolist() == [False] * 5 + [True, False]
    assert table["p_student"].notna().all() and table["p_clustered"].notna().all()


def test_verdicts_come_with_effect_size_interval_and_n(found):
    table = found["hypotheses"].set_index("hypothesis")
    assert (table["low"] < table["effect"]).all() and (table["effect"] < table["high"]).all()
    rates = (
        found["table1"].query("setup == 'just_ask' and metric == 'overall_sr'").groupby("teacher")["value"]
    )
    arcs = {t: 2 * np.arcsin(np.sqrt(r)).mean() for t, r in rates}
    assert table.loc["H1a", "cohens_h"] == pytest.approx(arcs[TEACHERS[0]] - arcs[TEACHERS[2]])
    assert table.loc["H1a", "n"] == 4 * 470
    targets = {e.target for split in SPLITS for e in examples(split) if not e.impossible}
    assert table.loc["H1a", "targets"] == len(targets)


def test_learning_over_encounters_is_found():
    records = synthetic(1, chosen=[("how2", t, "high", "main") for t in TEACHERS])
    records["index"] = records.groupby("condition").cumcount()
    met = records.groupby(["condition", "seed", "target"]).cumcount()
    records["success"] = (records["difficulty"] != "impossible") & (met >= 2)
    table = tables.learning(measures.prepare(records.sample(frac=1, random_state=0)))
    mine = table.query("setup == 'how2' and metric == 'success_rate' and axis == 'encounters'")
    assert mine["value"].tolist() == [0, 0, 1, 1, 1, 1]
    assert table.query("setup == 'base'")["value"].isna().all()


def test_first_read_positions():
    records = synthetic(1, chosen=[("just_ask", t, s, "main") for t in TEACHERS for s in SPLITS])
    records["success"] = records["first_read"] == 2
    table = tables.success_by_first_read(measures.prepare(records)).set_index(["teacher", "first_read"])
    assert (table.loc["executable", "value"] == [0, 0, 1, 0]).all()
    assert table["n"].sum() == 4 * 2 * 470


def test_judged_teachers():
    verdicts = {"task": list("abcd"), "success": [True, True, True, False]}
    judged = pd.DataFrame({"teacher": "executable", **verdicts})
    table = tables.table5(judged).set_index("teacher")
    assert table.loc["executable", "value"] == 0.75 and table.loc["executable", "paper"] == 0.82
    assert math.isnan(table.loc["non-executable", "value"])


# --- partial runs, files


BASE_ONLY = [("base", "none", "low", "main")]
TWO_CELLS = [("how2", "executable", "high", "curriculum"), ("just_ask", "executable", "high", "main")]


@pytest.mark.parametrize("chosen", [BASE_ONLY, TWO_CELLS])
def test_partial_runs_give_partial_tables(chosen):
    few = synthetic(1, size=3, chosen=chosen)
    found = analysis.tables(few[few["difficulty"] != "impossible"])
    assert set(found["hypotheses"]["verdict"]) == {"undecided"}
    assert set(found["t_tests"]["conclusion"]) == {"not run"}
    assert "Cohen's h" not in claims.sentences(found["hypotheses"], "surrogate")
    assert len(found["table1"]) == len(tables.GRID) * 4
    run = found["table1"]["n"] > 0
    assert run.any() and found["table1"].loc[~run, "value"].isna().all()


def test_partial_runs_give_partial_figures():
    found = analysis.tables(synthetic(1, size=3, chosen=BASE_ONLY)) | analysis.data_tables()
    for figure in analysis.draw({"surrogate": found}).values():
        plt.close(figure)


def test_a_whole_grid_of_single_episodes_is_undecided():
    found = analysis.tables(synthetic(1, size=1))
    assert found["table1"]["value"].notna().any() and found["table1"]["low"].isna().all()
    assert set(found["hypotheses"]["verdict"]) == {"undecided"}
    assert not found["hypotheses"]["finding"].str.contains("not measured").any()


def test_reading_tables_show_interval_and_paper(found):
    text = report.with_paper(found["table1"], ["setup", "teacher"], ["split", "metric"])
    assert text.loc[("just_ask", "executable"), ("low", "overall_sr")].endswith("| 0.59")
    assert text.shape == (26, 8)
