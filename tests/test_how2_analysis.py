"""How2's tables, statistics and figures on synthetic records whose truth is known."""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from how2_synthetic import success_rate, synthetic
from mnemocraft import paths, stats
from mnemocraft.agents.how2.roles import is_relevant
from mnemocraft.agents.how2.settings import MEMORY_SETUPS, SETUPS, TEACHERS
from mnemocraft.envs.plancraft.data import examples
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import claims, findings, papers, report
from mnemocraft.studies.how2 import analysis, facts, hypotheses, measures, tables
from mnemocraft.studies.how2 import findings as how2
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.surrogate.assumptions import ASSUMPTIONS

MODEL = "a-language-model"
NOWHERE = Path("no relevance check is in these records, so that no trajectory is read")


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    return synthetic(seeds=1).assign(model=MODEL)


@pytest.fixture(scope="module")
def found(records) -> dict[str, pd.DataFrame]:
    return analysis.tables(records, NOWHERE) | analysis.data_tables()


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


def test_seeds_are_paired_by_task_and_teacher():
    ends = {  # by teacher and task, of the seeds 0, 1 and 2
        ("executable", 0): (True, True, False),
        ("executable", 1): (False, False, False),
        ("non-executable", 0): (False, True, False),
    }
    tasks = [e.id for e in examples("low") if e.difficulty == "easy"][:2]
    rows = [
        {"teacher": teacher, "task": tasks[task], "seed": seed, "success": won}
        for (teacher, task), drawn in ends.items()
        for seed, won in enumerate(drawn)
    ]
    fixed = {"setup": "just_ask", "split": "low", "variant": "main", "status": "ok", "reason": "success"}
    episodes = measures.prepare(pd.DataFrame(rows).assign(**fixed))
    row = pick(tables.seeds(episodes), setup="just_ask")
    assert (row["lowest"], row["highest"]) == (0, pytest.approx(2 / 3)), "none, two and one of three"
    assert (row["draws"], row["episodes"], row["pairs"]) == (3, 9, 9)
    assert row["same"] == pytest.approx((1 + 3 + 1) / 9)
    # of 15 pairs of the six with executable answers 1 + 6 end the same way, of 3 of the others 1; six of nine
    assert row["any"] == pytest.approx(7 / 15 * 6 / 9 + 1 / 3 * 3 / 9)
    told = how2._drawn_anew("m", {"seeds": tables.seeds(episodes)})
    assert (
        "`low`, drawn 3 times, between 0.000 and 0.667, and of 9 pairs of draws of one task 0.56 end" in told
    )
    assert tables.seeds(episodes[episodes["seed"] == 1]).empty
    assert not how2._drawn_anew("m", {"seeds": tables.seeds(episodes.iloc[:0])})


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
    table = found["hypotheses"]
    seen = table["detectable"] <= table["paper_effect"].abs()
    assert seen.sum() > 7 and (table.loc[seen, "verdict"] == "holds").all()
    assert set(table.loc[~seen, "verdict"]) == {"cannot be decided here"}
    signs = {c.text: 1 if c.direction == "positive" else -1 for c in hypotheses.CLAIMS}
    assert (table["effect"] * table["claim"].map(signs) > 0).all()
    interaction = found["table7"].set_index(["term", "statistic"])["value"]
    assert interaction["C(teacher):C(memory)", "p_value"] < 1e-6
    assert interaction["Residual", "df"] == 470 * 2 * 2 * 2 - 4
    first = found["t_tests"].iloc[0]
    assert first["conclusion"] == "by p, first is higher" and first["low"] < 0.15 < first["high"]


def test_reversed_effects_fail_and_absent_ones_are_undecided():
    chosen = [(s, t, split, "main") for s in SETUPS[1:] for t in TEACHERS for split in SPLITS]

    def judged(rate: Callable[[str, str], float]) -> pd.DataFrame:
        records = synthetic(2, chosen=chosen, rate=rate).assign(model=MODEL)
        table = hypotheses.verdicts(measures.prepare(records)).query("metric == 'overall_sr'")
        return table[table["detectable"] <= table["paper_effect"].abs()]

    reversed_ = judged(lambda s, t: 1 - success_rate(s, t))
    assert len(reversed_) > 3 and (reversed_["verdict"] == "fails").all()
    same = judged(lambda *_: 0.5)
    assert len(same) > 3 and (same["verdict"] == "undecided").all()
    assert same["finding"].str.contains("not distinguishable").all()


def test_effects_of_opposite_sign_in_the_splits_reverse():
    chosen = [(s, "executable", split, "main") for s in ("parse", "memory_only") for split in SPLITS]
    records = synthetic(1, size=200, chosen=chosen).assign(model=MODEL)
    records["success"] = (records["setup"] == "parse") == (records["split"] == "high")
    records["success"] ^= records["index"] % 7 == 0
    table = hypotheses.verdicts(measures.prepare(records)).query("hypothesis == 'parse'").set_index("part")
    assert table.loc["all", "verdict"] == "reverses"
    assert table.loc["low", "effect"] < -0.5 and table.loc["high", "effect"] > 0.5
    assert "-0." in table.loc["all", "finding"] and "in high" in table.loc["all", "finding"]


def test_a_stand_in_gets_assumptions_and_no_verdict(records):
    episodes = measures.prepare(records[records["variant"] == "main"].assign(model="surrogate"))
    table = hypotheses.verdicts(episodes)
    assert set(table["verdict"]) == {f"consequence of: {c.assumed}" for c in hypotheses.CLAIMS}
    assert (table[["p", "p_holm", "direction", "size"]] == "").all(axis=None)
    tests = hypotheses.t_tests(episodes)
    assert set(tests["conclusion"]) == {"no test: a stand-in played", "not run"}
    assert (tests.filter(regex="^p_") == "").all(axis=None)
    anova = hypotheses.table7(episodes).set_index("statistic")["value"]
    assert anova["F"].notna().any() and anova["p_value"].isna().all()


def test_below_20_targets_nothing_is_tested():
    few = measures.prepare(synthetic(1, size=10).assign(model=MODEL))
    assert few["target"].nunique() < 20
    tests, table = hypotheses.t_tests(few), hypotheses.verdicts(few)
    assert tests["conclusion"].str.startswith("no test: ").all()
    assert (tests.filter(regex="^p_") == "").all(axis=None) and (table[["p", "p_holm"]] == "").all(axis=None)
    assert set(table["verdict"]) == {"not tested"} and table["detectable"].isna().all()
    assert hypotheses.table7(few).set_index("statistic")["value"]["p_value"].isna().all()


def test_every_claim_names_its_assumption_and_is_told_by_split():
    for claim in hypotheses.CLAIMS:
        assert claim.assumed in ASSUMPTIONS and claim.rates
        assert set(claim.parts) == set(SPLITS)
        for split, weights in claim.parts.items():
            assert {key[3] for key in weights} == {split}
        whole = {key: w for weights in claim.parts.values() for key, w in weights.items()}
        assert whole == pytest.approx({key: 2 * w for key, w in claim.weights.items()})  # their mean
    assert not any("raises interventions" in claim.text for claim in hypotheses.CLAIMS)  # a fact


def test_t_test_is_students_and_holm_only_raises_p(records, found):
    from scipy.stats import ttest_ind

    solvable = records.query("setup == 'just_ask' and variant == 'main' and difficulty != 'impossible'")
    pools = [
        solvable.loc[solvable["teacher"] == t, "success"].astype(float) for t in (TEACHERS[0], TEACHERS[2])
    ]
    row = found["t_tests"].iloc[0]
    assert row["t"] == pytest.approx(ttest_ind(*pools).statistic)
    assert row["df"] == 4 * 470 - 2
    bound, holm = (
        found["t_tests"][f"p_clustered{name}"].str.removeprefix("< ").astype(float) for name in ("", "_holm")
    )
    assert (holm >= bound).all() and not found["t_tests"]["p_student"].str.contains("0.000").any()
    assert row["p_student"] == stats.p_text(ttest_ind(*pools).pvalue)
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
        assert p == stats.p_text(binomtest(better, better + worse).pvalue)


def test_unfinished_pairs_have_no_mcnemar_but_keep_the_rest(records, found):
    lost = records.query("variant == 'curriculum' and difficulty == 'easy'").index[0]
    table = hypotheses.t_tests(measures.prepare(records.drop(lost)))
    assert (table["p_mcnemar"] == "").tolist() == [False] * 5 + [True, False]
    assert (table[["p_student", "p_clustered"]] != "").all(axis=None)


def test_verdicts_come_with_effect_size_interval_and_n(found):
    table = found["hypotheses"].query("part == 'all'").set_index("hypothesis")
    assert (table["low"] < table["effect"]).all() and (table["effect"] < table["high"]).all()
    rates = (
        found["table1"].query("setup == 'just_ask' and metric == 'overall_sr'").groupby("teacher")["value"]
    )
    arcs = {t: 2 * np.arcsin(np.sqrt(r)).mean() for t, r in rates}
    assert table.loc["H1a", "cohens_h"] == pytest.approx(arcs[TEACHERS[0]] - arcs[TEACHERS[2]])
    assert table.loc["H1a", "pairs"] == 2 * 470
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
    by_target = pd.Series({e.id: e.target for e in examples("high")})
    alike = by_target.index[by_target == by_target.mode()[0]][:4]  # four tasks of one target: one cluster
    judged = pd.DataFrame({"teacher": "executable", "task": alike, "success": [True, True, True, False]})
    table = tables.table5(judged).set_index("teacher")
    assert math.isnan(table.loc["executable", "low"])
    assert table.loc["executable", "value"] == 0.75 and table.loc["executable", "paper"] == 0.82
    assert math.isnan(table.loc["non-executable", "value"])


# --- facts: what follows from a rule


def test_a_check_that_refuses_everything_adds_the_repeated_targets():
    chosen = [
        (s, "executable", split, "main") for s in ("just_ask", "memory_only", "relevance") for split in SPLITS
    ]
    records = synthetic(1, size=60, chosen=chosen)
    first = ~records.sort_values("index").duplicated(["setup", "split", "target"])
    records["interventions"] = ((records["setup"] != "memory_only") | first).astype(int)
    records["tokens_relevance_calls"] = ((records["setup"] == "relevance") & ~first).astype(int) * 2
    answers = [{"type": "call", "role": "relevance", "text": text} for text in ("No.", " no")]
    other = [
        {"type": "call", "role": "actor", "text": "yes"},
        {"type": "end", "reason": "success", "steps": 1},
    ]
    table = facts.relevance(measures.prepare(records), lambda _: [*answers, *other]).query(
        "setup == 'relevance'"
    )
    assert (table["refused"] == table["checks"]).all() and (table["all_refused"] == table["checked"]).all()
    for _, row in table.iterrows():
        tasks = examples(row["split"])[:60]
        repeats = 1 - len({t.target for t in tasks}) / len(tasks)
        assert [row["asked_more"], row["most"], row["repeats"]] == pytest.approx([repeats] * 3)
        assert (row["checks"], row["checked"]) == (2 * round(60 * repeats), round(60 * repeats))
    (told,) = facts.told("m", {"relevance": table})
    assert f"says no in {table['checks'].sum()} of {table['checks'].sum()} relevance checks" in told


@pytest.mark.parametrize(
    ("answer", "no"),
    [("Yes, it fits", False), ('"yes"', False), ("", True), ("no", True), ("I say yes", True)],
)
def test_what_does_not_begin_with_yes_is_no_relevant_entry(answer, no):
    async def ask(*_: object) -> SimpleNamespace:
        return SimpleNamespace(text=answer)

    rollout: Any = SimpleNamespace(ask=ask, world=SimpleNamespace(guide=""))
    assert asyncio.run(is_relevant(rollout, "table", "item", "entry")) != no


def test_what_a_curriculum_changes_is_counted_in_pairs():
    chosen = [("how2", "executable", "high", variant) for variant in ("main", "curriculum")]
    records = synthetic(1, size=50, chosen=chosen)
    for column in ("success", "interventions"):
        records[column] = 1
    records.loc[records.query("variant == 'curriculum'").index[:3], "success"] = 0
    table = facts.order(measures.prepare(records))
    assert table["pairs"].tolist() == [50, 50] and table["differ"].tolist() == [3, 0]
    (told,) = facts.told("m", {"order": table})
    assert "3 of 50 paired episodes" in told
    assert facts.told("m", {"order": facts.order(measures.prepare(records.iloc[:50]))}) == []


def test_the_target_that_an_effect_rests_on_is_named():
    chosen = [(s, t, "high", "main") for s in ("just_ask", "memory_only") for t in TEACHERS]
    records = synthetic(1, size=60, chosen=chosen).query("difficulty != 'impossible'")
    (target, _), *_ = records["target"].value_counts().items()
    lost = (
        (records["setup"] == "memory_only")
        & (records["teacher"] == "executable")
        & (records["target"] == target)
    )
    records["success"] = ~lost
    table = hypotheses.one_target(measures.prepare(records)).query("hypothesis == 'H1b' and part == 'high'")
    row = table.iloc[0]
    assert row["effect"] > 0 and row["without"] == 0 and row["target"] == target
    assert f"`{target}`" in how2.findings({"m": {"one_target": table}})[0]


# --- what the notebook opens with


def test_findings_have_model_pairs_clusters_and_interval(found, tmp_path):
    report.write(found, {"model": MODEL, "seeds": "0"}, tmp_path)
    for tables_ in (found, findings.read(tmp_path)):  # in memory, and as they come with the repository
        lines = how2.findings({MODEL: tables_})
        assert len(lines) == 4 and all(MODEL in line for line in lines)
        assert [line.split("**")[0] for line in lines[1:3]] == ["In `low` ", "In `high` "]  # beside a coin
        row = found["hypotheses"].iloc[0]
        assert (
            f"({row['pairs']} pairs in {row['targets']} targets)" in lines[3] and "holds: H1b +0." in lines[3]
        )
        standin = how2.findings({"surrogate": tables_})
        assert (
            "pairs in" in standin[0]
            and "[" in standin[0]
            and "decides nothing about H2, that from memory, sub" in standin[2]
        )
    assert how2.findings({"surrogate": found, MODEL: found})[0].startswith(f"**{MODEL}**")
    assert how2.findings({MODEL: {}, "surrogate": {}}) == []


def test_few_targets_are_said_to_decide_nothing():
    few = analysis.tables(synthetic(1, size=10).assign(model=MODEL), NOWHERE)
    assert any(line.startswith("None of the 7 claims can be decided") for line in how2.findings({MODEL: few}))


# --- partial runs, files


BASE_ONLY = [("base", "none", "low", "main")]
TWO_CELLS = [("how2", "executable", "high", "curriculum"), ("just_ask", "executable", "high", "main")]


@pytest.mark.parametrize("chosen", [BASE_ONLY, TWO_CELLS])
def test_partial_runs_give_partial_tables(chosen):
    few = synthetic(1, size=3, chosen=chosen)
    found = analysis.tables(few[few["difficulty"] != "impossible"].assign(model=MODEL), NOWHERE)
    assert set(found["hypotheses"]["verdict"]) == {"not measured"}
    assert set(found["t_tests"]["conclusion"]) == {"not run"}
    assert "Cohen's h" not in claims.sentences(found["hypotheses"], MODEL)
    assert how2.findings({MODEL: found}) == how2.findings({"surrogate": found}) == []
    assert len(found["table1"]) == len(tables.GRID) * 4
    run = found["table1"]["n"] > 0
    assert run.any() and found["table1"].loc[~run, "value"].isna().all()


def test_partial_runs_give_partial_figures():
    found = analysis.tables(synthetic(1, size=3, chosen=BASE_ONLY), NOWHERE) | analysis.data_tables()
    for figure in analysis.draw({"surrogate": found}).values():
        plt.close(figure)


def test_a_whole_grid_of_single_episodes_is_not_tested():
    found = analysis.tables(synthetic(1, size=1).assign(model=MODEL), NOWHERE)
    assert found["table1"]["value"].notna().any() and found["table1"]["low"].isna().all()
    assert set(found["hypotheses"]["verdict"]) == {"not tested"}
    assert not found["hypotheses"]["finding"].str.contains("not measured").any()


def test_reading_tables_show_interval_and_paper(found):
    text = report.with_paper(found["table1"], ["setup", "teacher"], ["split", "metric"])
    assert text.loc[("just_ask", "executable"), ("low", "overall_sr")].endswith("| 0.59")
    assert text.shape == (26, 8)
