"""GiG's tables, claims and figures on synthetic records whose truth is known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from gig_synthetic import planted, synthetic
from mnemocraft import figstyle
from mnemocraft.envs.kitchen import HORIZONS
from mnemocraft.studies import papers
from mnemocraft.studies.gig import analysis, diagram, figures, findings, measures, sweep, tables
from mnemocraft.studies.gig.measures import PLANNED

MODELS = ("surrogate", "surrogate:knowledge=0.5")
FEW = (42, 84)
SOME = tuple(cell for cell in PLANNED if cell[2] in ("gig", "gig_exp"))


@pytest.fixture(scope="module")
def records() -> tuple[pd.DataFrame, pd.DataFrame]:
    return synthetic(), synthetic("weak")


@pytest.fixture(scope="module")
def found(records) -> dict[str, pd.DataFrame]:
    return analysis.tables(*records)


def pick(table: pd.DataFrame, **where: str) -> pd.Series:
    """The one row with these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


# --- the paper's numbers


@pytest.mark.parametrize(
    ("name", "column", "unit"),
    [
        *((name, "pass_at_1", 100) for name in ("table1", "table2", "table4", "table5")),
        *((name, "pass_rate", 100) for name in ("table7", "table14")),
        *((name, "steps_mean", 1) for name in ("table7", "table14")),
        *(
            (name, "pass_rate", 100)
            for name in ("table8", "table9", "table10", "table11", "table15", "table16")
        ),
        *((name, "horizon", 1) for name in ("table6", "table13")),
    ],
)
def test_every_number_of_the_paper_is_beside_one_of_ours(found, name, column, unit):
    printed = papers.table(f"gig_{name}")[column].dropna().to_numpy() / unit
    table = found[name]
    if "metric" in table:
        table = table[table["metric"] == ("steps" if column == "steps_mean" else "pass_rate")]
    assert np.allclose(np.sort(table["paper"].dropna()), np.sort(printed))
    run = table["n"] > 0
    assert run.all() or table.loc[~run, "method"].eq("cot").all()  # CoT is not in our part for small models


def test_ablation_by_task_and_the_printed_standard_deviations_are_beside_ours(found):
    printed = papers.table("gig_table12")
    ours = found["table12"]
    rates = printed.loc[printed["metric"] == "pass_rate", "value"] / 100
    assert np.allclose(ours.loc[ours["metric"] == "pass_rate", "paper"], rates)
    steps = printed.loc[printed["metric"] == "steps", "value"]
    assert np.allclose(ours.loc[ours["metric"] == "steps", "paper"], steps)
    spread = papers.table("gig_table14")["steps_std"].dropna()
    assert found["table14"]["paper_std"].dropna().tolist() == spread.tolist()


def test_the_paper_counts_all_trials_and_divides_by_n():
    """Its cells with one success in ten fix the rest: nine trials at three horizons, population deviation."""
    for name in ("table7", "table14"):
        table = papers.table(f"gig_{name}")
        for row in table[(table["pass_rate"] == 10) & table["steps_std"].notna()].itertuples():
            limit = 3 * row.horizon
            success = 10 * row.steps_mean - 9 * limit
            ten = np.array([limit] * 9 + [success])
            assert row.horizon / 2 < success < limit
            rounding = 0.3 * 0.5 * 10 if row.steps_mean % 1 == 0 else 0.3 * 0.05 * 10
            assert abs(ten.std() - row.steps_std) <= rounding + 0.051
            assert abs(ten.std(ddof=1) - row.steps_std) > abs(ten.std() - row.steps_std)


def test_paper_effects_come_from_the_printed_tables(found):
    effects = found["hypotheses"].set_index(["hypothesis", "claim"])["paper_effect"]
    assert effects["GiG, sync"].tolist() == pytest.approx([0.22, 0.19, 0.86])
    assert effects["GiG, async"].tolist() == pytest.approx([0.37, 0.41, 0.72])
    assert effects["concurrency"].item() == pytest.approx((0.72 - 0.33) - (0.93 - 0.725))
    assert effects["ablation"].tolist() == pytest.approx([0.13, 0.03])
    assert effects["plug-in"].tolist() == pytest.approx([0.15, 0.11])
    steps = papers.table("gig_table14").set_index("method")["steps_mean"]
    assert effects["experience"].iloc[1] == pytest.approx(steps["GiG+Exp"].mean() - steps["GiG"].mean())
    assert effects[["effort", "idling"]].isna().all()


# --- what is counted over what


def by_hand() -> pd.DataFrame:
    """GiG in six kitchens: three successes, one failure at the limit, one stopped early, one crash."""
    some = synthetic(seeds=FEW, chosen=(("strong", "sync", "gig"),))
    some = some[some["task_index"] < 3].sort_values(["seed", "task"]).reset_index(drop=True)
    some["success"] = [True, True, True, False, False, False]
    some["steps"] = [8, 14, 26, 30, 5, 0]
    some["reason"] = ["success"] * 3 + ["max_steps", "invalid_actions", "crash"]
    some["status"] = ["ok"] * 5 + ["crash"]
    some["tokens_planner_completion"] = [80, 140, 260, 600, 100, 0]
    lost = [
        "horizon",
        "oracle_steps",
        "loops",
        "invalid_actions",
        "calls",
        "followed",
        "retrieved",
        "branching",
    ]
    some = some.astype(dict.fromkeys(lost, float))
    some.loc[5, lost] = np.nan
    return some


def test_hand_made_records_give_hand_computed_numbers():
    found = analysis.tables(by_hand())
    first = found["table1"].query("method == 'gig'")
    assert (first["value"] == 0.5).all() and (first["n"] == 6).all() and len(first) == 3
    assert first["low"].iloc[0] == pytest.approx(0.1876, abs=1e-4)  # Wilson (1927), 3 of 6
    assert pick(found["table7"], task="0", method="gig", metric="pass_rate")["value"] == 0.5
    rows = found["table7"].query("method == 'gig' and metric == 'steps'").set_index("task")
    assert rows.loc["0", ["value", "std"]].tolist() == [(8 + 30) / 2, 11]
    assert rows.loc["1", "value"] == (14 + 42) / 2  # stopped early: counts the limit
    assert rows.loc["2", "value"] == (26 + 72) / 2  # crashed: counts the limit
    passed = found["steps"].query("metric == 'steps_success' and method == 'gig'").set_index("task")["value"]
    assert passed[["0", "1", "2"]].tolist() == [8, 14, 26]
    tokens = found["figure9"].query("method == 'gig' and mode == 'sync' and level == 'strong'")
    assert tokens.set_index("outcome")["value"].to_dict() == {"success": 10, "failure": 700 / 35}
    ended = pick(found["statuses"], level="strong", mode="sync", method="gig")
    assert ended[["episodes", "ok", "crash", "ended_success", "ended_invalid_actions"]].tolist() == [
        6,
        5,
        1,
        3,
        1,
    ]


def test_averages_pool_the_tasks_and_horizons_are_the_papers(found, records):
    rows = found["table7"].query("method == 'recap' and metric == 'pass_rate'").set_index("task")
    cell = records[0].query("condition == 'recap/sync'")
    assert rows.loc["Average", "value"] == pytest.approx(cell["success"].mean())
    assert rows.drop("Average")["value"].mean() == pytest.approx(cell["success"].mean())
    for name in ("table6", "table13"):
        assert found[name]["horizon"].tolist() == found[name]["paper"].tolist()
        assert (found[name]["oracle_mean"] == found[name]["horizon"] - 1).all() and (
            found[name]["n"] == 10
        ).all()


# --- claims


def judged(*parts: pd.DataFrame) -> pd.DataFrame:
    """The claims as if language models had played."""
    named = [part.assign(model=f"model {i}") for i, part in enumerate(parts)]
    return tables.verdicts(measures.prepare(*named))


def decided(table: pd.DataFrame) -> set[str]:
    """The verdicts of measured claims whose effect in the paper these data can find; the others say so."""
    small = table["paper_effect"].abs() < table["detectable"]
    assert set(table.loc[small & table["effect"].notna(), "verdict"]) == {"cannot be decided here"}
    return set(table.loc[~small & table["effect"].notna(), "verdict"])


def test_planted_effects_are_found_with_their_sign(found):
    table = judged(*(synthetic(level, seeds=sweep.LAYOUTS) for level in ("strong", "weak")))
    assert decided(table) == {"holds"} and (table["verdict"] == "holds").sum() == 13
    assert ((table["low"] < table["effect"]) & (table["effect"] < table["high"])).all()
    idle = table.set_index("metric").loc["idle"]
    assert idle["effect"] == pytest.approx(0.1 - 0.3, abs=0.02)
    tokens = table[table["metric"] == "tokens_per_step"].set_index("part")
    assert tokens["effect"].to_numpy() == pytest.approx([100] * 3, abs=8) and tokens["cohens_h"].isna().all()
    assert list(tokens.index) == ["all", "sync", "async"]
    change = found["table5"].set_index("paper_method")
    assert change.loc["+BL", "change_high"] < 0 and change.loc["+BL+LD", "change"] == 0


def test_a_stand_in_gets_no_verdict_but_what_it_follows_from(found):
    table = found["hypotheses"]
    few = table["verdict"].eq("not tested")
    assert table["verdict"][~few].str.match("consequence of: |no effect seen|not built in").all()
    assert set(table["hypothesis"][few]) == {"effort"}, "there are few failures"
    assert table["finding"][few].str.contains("an arm has .* clusters").all()
    assert table["p"].isna().all() or set(table["p"]) <= {"", "-"}
    by = table.set_index("hypothesis")["verdict"]
    assert set(by["ablation"]) == {"not built in"}  # what is assumed is no effect, and one was planted
    assert by["idling"] == "not built in"


def test_absent_effects_are_undecided_and_reversed_ones_fail():
    parts = [synthetic(level, lambda cell: 0.5, effects=False) for level in ("strong", "weak")]
    same = judged(*parts)
    assert set(same["verdict"]) <= {"undecided", "cannot be decided here"} and same["p"].notna().all()
    flipped = synthetic(rate=lambda cell: 1 - planted(cell), seeds=sweep.LAYOUTS)
    lost = judged(flipped).query("metric == 'pass_at_1'")
    assert decided(lost) == {"fails"} and (lost["verdict"] == "fails").sum() == 8


def test_two_methods_are_compared_kitchen_by_kitchen(records, found):
    row = pick(found["hypotheses"], hypothesis="experience", metric="pass_at_1")
    pairs = (
        records[0].query("mode == 'async'").pivot(index=["task", "seed"], columns="method", values="success")
    )
    gained, lost = ((pairs["gig_exp"] & ~pairs["gig"]).sum(), (pairs["gig"] & ~pairs["gig_exp"]).sum())
    assert row["effect"] == pytest.approx((gained - lost) / 100)
    assert (row["pairs"], row["kitchens"]) == (100, 100)


# --- findings and plans


def test_findings_are_read_from_the_tables_and_name_what_they_follow_from(found):
    lines = findings.findings({"surrogate": found})
    text = " ".join(lines)
    assert len(lines) == 3 and "nan" not in text and "decided" not in text
    assert "too small to be decided here" in " ".join(findings.findings({"gpt": found}))
    row = pick(found["hypotheses"], claim="GiG solves more than CoT in sync kitchens")
    assert f"{row['effect']:+.3f}" in text and "consequence of: sees what it did" in text
    assert "ceiling" not in text  # as planted, one method alone is nearly always right
    full = found["table1"].assign(value=1.0, low=0.99, high=1.0, n=100)
    assert "at their ceiling" in " ".join(findings.findings({"surrogate": {**found, "table1": full}}))
    assert findings.findings({"surrogate": {}}) == []


def test_a_plan_says_what_a_profile_can_decide():
    plans = (("quick", [42, 84]), ("full", [42]))
    few, many = (findings.planned("surrogate", profile, seeds) for profile, seeds in plans)
    assert len(few) == len(many) > 0 and few["clusters"].max() == 40 and many["clusters"].max() == 600
    assert (few["detectable"].dropna() > many["detectable"].dropna()).all()


# --- partial records


PARTS = {
    "one mode": lambda: (synthetic(seeds=FEW).query("mode == 'sync'"), synthetic("weak", seeds=FEW)),
    "no weak part": lambda: (synthetic(seeds=FEW, chosen=SOME), None),
    "no success": lambda: (synthetic(seeds=FEW, chosen=SOME, rate=lambda cell: 0.0), None),
    "one episode": lambda: (synthetic(seeds=(42,)).query("method == 'gig'").iloc[:1], None),
    "no trajectories read": lambda: (synthetic(seeds=FEW, chosen=SOME).drop(columns="idle"), None),
}


@pytest.mark.parametrize("part", PARTS)
def test_partial_records_give_partial_tables_that_say_so(part):
    main, weak = PARTS[part]()
    found = analysis.tables(main, weak)
    run = set(main[["mode", "method"]].itertuples(index=False, name=None))
    missing = [cell for cell in PLANNED if cell[0] == "strong" and cell[1:] not in run]
    statuses = found["statuses"].set_index(list(measures.CELL))
    assert len(statuses) == len(PLANNED) and (statuses.loc[missing, "episodes"] == 0).all()
    assert analysis.not_run(found["statuses"]).startswith("Not run") == bool(missing or weak is None)
    unmeasured = found["hypotheses"]["effect"].isna()
    assert (found["hypotheses"].loc[unmeasured, "finding"].str.startswith("not measured")).all()
    assert unmeasured.any()
    for name in ("table1", "table2", "table4", "table7"):
        assert ((found[name]["n"] == 0) == found[name]["value"].isna()).all()
        assert found[name].query("metric == 'pass_rate'")["paper"].notna().all()


def test_partial_figures_say_what_was_not_run():
    main, weak = PARTS["one episode"]()
    for name, figure in analysis.draw(analysis.tables(main, weak), *MODELS).items():
        texts = [text.get_text() for text in figure.findobj(plt.Text)]
        if name in ("pass_at_1", "figure5", "figure9"):
            assert "not run" in texts
        plt.close(figure)


# --- files and figures


def test_a_language_model_is_not_paired_with_the_surrogate():
    assert analysis.less_able(*MODELS) == MODELS[1] == analysis.less_able("surrogate", None)
    assert analysis.less_able("qwen3-235b", None) == ""
    assert analysis.less_able("qwen3-235b", MODELS[1]) == ""
    assert analysis.less_able("qwen3-235b", "qwen3-30b") == "qwen3-30b"
    assert analysis.less_able("surrogate", "") == ""


@pytest.fixture(scope="module")
def drawn(found):
    figures = analysis.draw(found, *MODELS) | {"method": diagram.diagram()}
    yield figures
    for figure in figures.values():
        plt.close(figure)


def test_a_figure_is_marked_if_either_model_is_the_surrogate(found):
    for models, marked in ((("qwen", "surrogate:knowledge=0.5"), True), (("qwen", "qwen-small"), False)):
        figure = figures.figure9(found["figure9"], *models)
        assert (figstyle.SURROGATE_MARK in [t.get_text() for t in figure.findobj(plt.Text)]) == marked
        plt.close(figure)


def test_step_figures_have_the_horizons_and_both_kinds_of_bars(drawn, found):
    axes = drawn["figure5"].axes[-1]
    dots = next(line for line in axes.lines if line.get_marker() == "o")
    assert dots.get_ydata().tolist() == [HORIZONS[f"async/{i}"] for i in range(10)]
    heights = {
        round(bar.get_height(), 6) for bars in axes.containers if hasattr(bars, "patches") for bar in bars
    }
    ours = found["steps"].query("level == 'strong' and mode == 'async' and method in ('gig', 'recap')")
    values = {round(value, 6) for value in ours.loc[ours["n"] >= figures.LEAST, "value"].dropna()}
    assert values and values <= heights
