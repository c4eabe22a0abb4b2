"""The studies of DEPS: what is played, what is measured from known records, and what is shown."""

import json
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from deps_synthetic import Cell, planted, synthetic
from helpers import Scripted, play
from mnemocraft import viewer
from mnemocraft.agents.deps.methods import LABELS, agent
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs.events import read_event
from mnemocraft.stats import MIN_CLUSTERS
from mnemocraft.studies import findings as committed
from mnemocraft.studies import papers
from mnemocraft.studies.deps import analysis, findings, load, measures, sweep, tables
from mnemocraft.viewer import Moment, card
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks

PAPERS = ("table1", "table2", "table3", "table4", "table19", "table20", "table21", "fig1", "fig4", "fig8")


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    return synthetic()


@pytest.fixture(scope="module")
def found(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return analysis.tables(records, "tables9-16", "paper")


# --- the paper's numbers


@pytest.mark.parametrize("name", PAPERS)
def test_rates_are_per_cent_and_cells_are_unique(name: str) -> None:
    table = papers.table(f"deps_{name}")
    if "success_rate" in table:
        rates = table["success_rate"].dropna()
        assert rates.between(0, 100).all() and rates.max() > 1
        keys = table.drop(columns=[c for c in ("success_rate", "std", "note") if c in table])
        assert not keys.duplicated().any()


def test_the_papers_tables_agree_where_the_readme_says_so() -> None:
    single, groups = papers.table("deps_table21"), papers.table("deps_table2")
    means = single.groupby(["method", "meta_task"])["success_rate"].mean()
    for row in groups[groups["meta_task"] != "AVG"].itertuples():
        slack = 0.05 if row.method in ("DEP", "DEPS") else 3.4
        assert abs(means[row.method, row.meta_task] - row.success_rate) < slack
    assert papers.table("deps_table1")["n_tasks"].sum() == len(single["item"].unique()) == 69


def test_every_item_of_the_papers_table_is_a_task_of_ours() -> None:
    listed = {item.key for item in minecraft_tasks("table21")}
    assert set(papers.table("deps_table21")["item"]) == listed
    assert set(load.EXAMPLES) <= listed
    assert [minecraft_task(key).group for key in load.EXAMPLES[:4]] == ["MT1", "MT2", "MT3", "MT4"]
    assert len({minecraft_task(key).group for key in load.EXAMPLES}) == 8


# --- what is played


def test_full_plays_thirty_episodes_of_every_task_with_every_method() -> None:
    study = sweep.study("full", [5], "text")
    assert study is not None and len(study.streams) == 7 * 30
    assert {len(stream.tasks) for stream in study.streams} == {76}
    assert {stream.condition.settings["method"] for stream in study.streams} == set(LABELS)


def test_the_task_list_and_the_profile_decide_what_is_played() -> None:
    short = sweep.study("quick", [5, 6], "text", "table21")
    assert short is not None and {len(stream.tasks) for stream in short.streams} == {69}
    assert {stream.seed for stream in short.streams} == {5, 6}
    assert sweep.study("quick", [5], "learned") is None
    other = sweep.study("quick", [5], "overworld", version="1.16.5")
    assert other is not None and other.streams[0].condition.settings["version"] == "1.11.2"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("huge", [0], "text"), "no profile"),
        (("quick", [], "text"), "must be a list of at least one"),
        (("quick", [0], "text", "table9"), "no task list"),
        (("quick", [0], "text", "table21", "1.8"), "1.8"),
        (("quick", [0], "text", "table21", "1.11.2", "mine"), "no kind of limits"),
    ],
)
def test_a_wrong_argument_is_one_sentence(arguments: tuple, sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence):
        sweep.study(*arguments)


# --- what is measured


def test_success_by_method_is_the_planted_rate(found: dict[str, pd.DataFrame]) -> None:
    mine = found["table2"].query("group == 'AVG' and world == 'text'").set_index("method")
    assert (mine["n"] == 76 * 6).all()
    for method in LABELS:
        assert mine["low"][method] <= planted(("text", method)) <= mine["high"][method]
    assert mine["paper"]["deps"] == pytest.approx(0.4856)


def test_meta_tasks_add_up_to_the_average(records: pd.DataFrame, found: dict[str, pd.DataFrame]) -> None:
    mine = found["table2"].query("method == 'cot' and world == 'text'").set_index("group")
    parts = mine.drop(index="AVG")
    assert (parts["value"] * parts["n"]).sum() / parts["n"].sum() == pytest.approx(mine["value"]["AVG"])
    assert parts["n"]["MT4"] == 13 * 6


def test_rounds_are_read_off_one_run(records: pd.DataFrame, found: dict[str, pd.DataFrame]) -> None:
    mine = found["table4"].query("world == 'text' and method == 'deps' and group == 'MT1'")
    rates = mine.set_index("max_rounds")["value"]
    assert rates.index.tolist() == ["0", "1", "3", "5", "inf"] and rates.is_monotonic_increasing
    raw = records.query("world == 'text' and method == 'deps'")
    raw = raw[[minecraft_task(key).group == "MT1" for key in raw["task"]]]
    assert rates["3"] == pytest.approx((raw["success"] & (raw["rounds"] <= 3)).mean())
    assert rates["inf"] == pytest.approx(raw["success"].mean())
    assert mine.set_index("max_rounds")["paper"]["1"] == pytest.approx(0.506)


def test_table_19s_baseline_is_the_first_plan(found: dict[str, pd.DataFrame]) -> None:
    first = found["table4"].query("world == 'text' and method == 'deps' and max_rounds == '0'")
    baseline = found["table19"].query("variant == 'baseline' and llm == 'GPT-4'").set_index("group")["value"]
    wanted = first.set_index("group")["value"].reindex(baseline.index)
    assert np.allclose(baseline, wanted) and len(baseline) == 7


def test_a_milestone_counts_the_episodes_that_ever_held_it(records: pd.DataFrame) -> None:
    diamonds = records.query("task == 'diamond' and world == 'text' and method == 'deps'")
    table = tables.milestones(measures.prepare(records)).query("world == 'text' and method == 'deps'")
    shares = table.set_index("milestone")["value"]
    assert shares["log"] == 1.0 and shares["diamond"] == pytest.approx(diamonds["success"].mean())
    newer = records.assign(version="1.16.5", items="oak_log,spruce_planks")
    held = tables.milestones(measures.prepare(newer)).groupby("milestone")["value"].mean()
    assert held["log"] == held["planks"] == 1.0 and held["stick"] == 0.0


def test_the_tools_of_table_20_are_found_among_the_tasks(found: dict[str, pd.DataFrame]) -> None:
    table = found["table20"]
    assert set(table["task"]) <= {item.key for item in minecraft_tasks("table21")}
    assert (table["n"] > 0).all() and table["task"].nunique() == 4


def of_a_model(rate: Callable[[Cell], float] = planted) -> pd.DataFrame:
    """Records of something that is no stand-in, with enough tasks in the overworld for a test."""
    records = synthetic(rate, seeds=(0, 1, 2))
    text = records[records["world"] == "text"]
    there = [
        text[text["method"] == method].assign(
            world="overworld",
            success=np.random.default_rng(place).random(3 * 76) < rate(("overworld", method)),
        )
        for place, method in enumerate(LABELS)
    ]
    kept = records[records["world"] != "overworld"]
    return pd.concat([kept, *there], ignore_index=True).assign(model="a model")


def test_planted_effects_hold_and_none_fails_without_effects() -> None:
    claims = tables.verdicts(measures.prepare(of_a_model()))
    whole = claims[claims["part"] == "all"].set_index("claim")
    assert len(whole) == 10
    few = whole[whole["tasks"] < 20]
    assert set(few["verdict"]) == {"not tested"} and few["finding"].str.contains("8 clusters").all()
    assert few.index.str.contains("learned").all() and len(few) == 2
    small = whole["paper_effect"].abs() < whole["detectable"]
    assert (whole["verdict"][~small].drop(few.index) == "holds").all(), whole["verdict"]
    assert set(whole["verdict"][small]) <= {"cannot be decided here"}
    same = tables.verdicts(measures.prepare(of_a_model(lambda cell: 0.5)))
    assert not same.query("hypothesis in ('DEP', 'selector', 'controller')")["verdict"].isin(["holds"]).any()


def test_a_stand_in_gets_no_verdict(found: dict[str, pd.DataFrame]) -> None:
    table = found["hypotheses"]
    assert set(table["verdict"]) == {"consequence of: an explanation mends a belief", "not tested"}
    few = table["tasks"] < MIN_CLUSTERS
    assert few.any() and (few == table["verdict"].eq("not tested")).all()
    assert set(table["p"]) == set(table["direction"]) == {""}


def test_claims_resample_tasks_and_have_easy_and_hard_parts(found: dict[str, pd.DataFrame]) -> None:
    table = found["hypotheses"].set_index(["claim", "part"])
    gpt = table.loc["DEP solves more than GPT in the text world"]
    assert gpt["tasks"].to_dict() == {"all": 76, "MT1 to MT4": 46, "MT5 to MT8": 30}
    assert gpt["pairs"].to_dict() == {"all": 456, "MT1 to MT4": 276, "MT5 to MT8": 180}
    rates = found["table2"].query("world == 'text'").set_index(["method", "group"])["value"]
    assert gpt["effect"]["all"] == pytest.approx(rates["dep", "AVG"] - rates["gpt", "AVG"])
    assert gpt["paper_effect"]["all"] == pytest.approx(0.3936 - 0.1542)
    tasks, size = {"MT5": 9, "MT6": 7, "MT7": 13, "MT8": 1}, 30
    printed = found["table2"].query("world == 'text'").set_index(["method", "group"])["paper"]
    hard = sum(n * (printed["dep", group] - printed["gpt", group]) for group, n in tasks.items()) / size
    assert gpt["paper_effect"]["MT5 to MT8"] == pytest.approx(hard)
    rounds = table.loc["DEPS solves more than DEPS before its first round in the text world"]
    by_rounds = found["table4"].query("world == 'text' and method == 'deps' and group == 'AVG'")
    gain = by_rounds.set_index("max_rounds")["value"]
    assert rounds["effect"]["all"] == pytest.approx(gain["inf"] - gain["0"])


def one_move_list(records: pd.DataFrame) -> pd.DataFrame:
    """The same records, with one-shot planners that do in the text world what DEPS first does."""
    text = records["world"] == "text"
    deps = records[text & (records["method"] == "deps")]
    first = (deps["success"] & (deps["rounds"] == 0)).to_numpy()
    same = records.copy()
    for method in ("gpt", "progprompt", "cot", "code_as_policies"):
        same.loc[text & (records["method"] == method), "success"] = first
    return same


def test_methods_that_succeed_in_the_same_games_are_one_row(records: pd.DataFrame) -> None:
    same = measures.prepare(one_move_list(records))
    alike = measures.identical(same).query("world == 'text'").set_index("methods")
    row = alike.loc["gpt progprompt cot code_as_policies deps@0"]
    assert row["labels"] == "GPT, ProgPrompt, CoT, CaP and DEPS before its first round"
    assert (
        row["games"] == 456
        and row["success"] == same.query("world == 'text' and method == 'gpt'")["passed"].sum()
    )
    judged = tables.verdicts(same).query("part == 'all'")
    assert judged["hypothesis"].tolist() == [
        "DEP",
        "DEP",
        "rounds",
        "rounds",
        "selector",
        "selector",
        "controller",
    ]
    merged = judged.iloc[0]
    assert merged["claim"].startswith(
        "DEP solves more than GPT, ProgPrompt, CoT, CaP and DEPS before its first round in"
    )
    assert "4 claims in one row" in merged["claim"]
    assert merged["paper_effect"] == pytest.approx(0.3936 - 0.2577), "the smallest of the paper's"
    assert merged["pairs"] == 456, "not the sum of what was merged"
    one = same[
        (same["game"] == same["game"].iloc[0]) & (same["method"] == "gpt") & (same["world"] == "text")
    ].index
    almost = same.copy()
    almost.loc[one, "passed"] = 1 - almost.loc[one, "passed"]
    assert "gpt" in set(measures.identical(almost).query("world == 'text'")["methods"]), (
        "all but one game is not all"
    )
    assert len(tables.verdicts(almost).query("part == 'all'")) == 8


def test_a_table_for_reading_has_the_papers_number_of_each_that_is_merged(records: pd.DataFrame) -> None:
    found = analysis.tables(one_move_list(records), "tables9-16", "paper")
    table = found["table2"].query("world == 'text' and group == 'AVG'")
    read = tables.reading(table, found["identical"]).set_index("label")["text"]
    assert len(read) == 4
    assert read["GPT, ProgPrompt, CoT, CaP"].endswith("| 0.15, 0.17, 0.19, 0.26")
    assert read["DEPS"].endswith("| 0.49")


def test_findings_are_read_from_the_tables(records: pd.DataFrame) -> None:
    found = analysis.tables(one_move_list(records), "tables9-16", "paper")
    lines = findings.findings({"surrogate": found})
    row = found["identical"].iloc[0]
    assert f"**{row['success']} of 456**" in lines[0] and "consequence of: one move list" in lines[0]
    learned = records.query("world == 'learned'").groupby("method")["success"].sum()
    assert f"DEPS {learned['deps']} of 48, DEP {learned['dep']} of 48" in lines[4] and "DEPS 49%" in lines[4]
    assert "Nothing is decided about language models" in lines[5] and len(lines) == 6
    judged = analysis.tables(of_a_model(), "tables9-16", "paper")
    told = findings.findings({"a model": judged})
    assert "no two planners" in told[0] and "**holds**" in told[1] and "stand-in" not in " ".join(told)
    assert findings.findings({"m": {}}) == []
    part = analysis.tables(synthetic(worlds=("text",), seeds=(0,)), "tables9-16", "paper")
    assert not any("learned controller the item" in line for line in findings.findings({"m": part}))


def test_the_committed_bars_of_other_worlds_are_those_of_their_notebooks() -> None:
    """After a change of theirs 03 has to be run again."""
    bars, compared = ["environment", "controller"], 0
    for model, shown in committed.shipped(load.STEM)[1].items():
        for stem in tables.OTHERS:
            theirs = committed.shipped(stem)[1].get(model, {}).get("figure1")
            if "figure1" in shown and theirs is not None:
                ours, compared = shown["figure1"].set_index(bars), compared + 1
                for place, row in theirs.set_index(bars).iterrows():
                    assert ours.loc[place, row.index].to_dict() == row.to_dict(), f"{place} of {stem}"
    assert compared == 2


def test_what_was_not_run_has_no_number_and_does_not_stop_anything() -> None:
    part = analysis.tables(synthetic(worlds=("text",), seeds=(0,)), "tables9-16", "paper")
    learned = part["figure1"].query("world == 'learned'").iloc[0]
    assert learned["n"] == 0 and np.isnan(learned["value"])
    assert "overworld" in analysis.not_run(part)
    controller = part["hypotheses"].query("hypothesis == 'controller'").iloc[0]
    assert np.isnan(controller["effect"]) and "not all of its conditions were run" in controller["finding"]
    assert analysis.draw(part, "surrogate").keys() == analysis.draw(part, "m").keys()


@pytest.mark.parametrize("episodes", [1, 4, 8])
def test_a_first_look_has_tables_figures_and_findings(records: pd.DataFrame, episodes: int) -> None:
    """Seven episodes of the text world, one of the overworld: a figure divided by nothing."""
    looked = records.groupby(["world", "method"], sort=False).head(1).iloc[:episodes]
    part = analysis.tables(looked, "tables9-16", "paper")
    assert analysis.draw(part, "a model")
    told = " ".join(findings.findings({"a model": part}))
    assert "**holds**" not in told and "**fails**" not in told and "nan" not in told


def test_a_record_without_metrics_counts_as_a_failure(records: pd.DataFrame) -> None:
    broken = records.copy()
    broken.loc[0, ["rounds", "items", "calls"]] = np.nan
    broken.loc[0, ["status", "reason", "success"]] = ["crash", "crash", False]
    found = analysis.tables(broken, "tables9-16", "paper")
    assert found["statuses"].set_index(["world", "method"])["crash"]["text", "gpt"] == 1
    assert found["table2"].query("world == 'text' and method == 'gpt' and group == 'AVG'")["n"].item() == 456


# --- what is shown

FAILS = 'mine({"log": 1}, tool=None)\ncraft({"stick": 4}, {"planks": 2}, station=None)'


def test_an_episode_shows_plan_failure_explanation_and_end() -> None:
    world, seed = sweep.begin(sweep.condition("deps", "text", "1.11.2", "paper").settings, 0, "planks")
    script = [FAILS, "Explanation: Because there are no planks.", "what?", "none", PLANKS]
    played = play(agent("deps", max_rounds=1), world, Scripted(script), seed=seed)
    events = [read_event(entry) for entry in played.trajectory]

    def replayed(**how: bool) -> list[Moment]:
        again, _ = sweep.begin(sweep.condition("deps", "text", "1.11.2", "paper").settings, 0, "planks")
        return viewer.replay(again, events, "who", **how)

    moments = replayed()
    titles = [moment.title for moment in moments]
    assert titles[0] == "who: textworld/planks: obtain 1 planks"
    assert titles[1:4] == ["round 0: plan of 2 steps", '1: mine({"log": 1}, tool=None)', titles[3]]
    assert titles[3].endswith("(failed)") and titles[-1].startswith(f"end: {played.reason} after")
    left_out = [title for title in titles if title not in [m.title for m in replayed(brief=True)]]
    assert titles[2] in left_out and not any("failed" in title or ":" not in title for title in left_out)
    said = json.dumps([moment.words for moment in moments])
    assert (
        "the world says: I cannot craft stick" in said
        and "no planks" in said
        and "I failed at step 2" in said
    )
    assert all(moment.picture.dtype == np.uint8 for moment in moments)
    assert (moments[1].picture != moments[3].picture).any()


def test_a_plan_longer_than_the_card_shows_where_it_is() -> None:
    steps = [(f"step {i}", card.LATER) for i in range(60)]
    steps[50] = ("step 50", card.FAILED)
    shown = card.card("long", steps, [], None)
    assert (shown != card.card("long", steps[:20], [], None)).any()
    done = [(f"step {i}", card.DONE if i < 50 else card.LATER) for i in range(60)]
    assert (card.card("long", done, [], None)[60:] != card.card("long", done[:14], [], None)[60:]).any()


PLANKS = """def obtain_1_planks(inventory={}):
    mine({"log": 1}, tool=None)
    craft({"planks": 4}, {"log": 1}, station=None)
    return "planks"
"""


def test_an_overworld_episode_is_played_again_with_its_frames() -> None:
    row = sweep.condition("deps", "overworld", "1.11.2", "paper").settings
    world, seed = sweep.begin(row, 0, "planks")
    played = play(agent("deps"), world, Scripted([PLANKS]), seed=seed)
    assert played.success and played.metrics["rounds"] == 0, played.reason
    events = [read_event(entry) for entry in played.trajectory]
    moments = viewer.replay(sweep.begin(row, 0, "planks")[0], events)
    assert [moment.title[:6] for moment in moments[1:3]] == ["round ", moments[2].title[:6]]
    views = {moment.picture[40:150, 600:].tobytes() for moment in moments}
    assert len(views) > 2
    with pytest.raises(MnemocraftError, match="goes otherwise"):
        viewer.replay(sweep.begin(row, 1, "planks")[0], events)


def test_every_episode_has_a_seed_of_its_own() -> None:
    settings = sweep.condition("deps", "text", "1.16.5", "paper").settings
    seeds = [sweep.begin(settings, seed, each.key)[1] for seed in (0, 1, 7) for each in minecraft_tasks()]
    assert len(set(seeds)) == len(seeds) == 3 * 76


def test_what_a_run_can_decide_counts_the_tasks_of_each_world():
    rows = {
        (profile, listed): findings.planned("surrogate", profile, listed).set_index("claim")["clusters"]
        for profile, listed in (("full", "tables9-16"), ("quick", "tables9-16"), ("quick", "table21"))
    }
    text, script = "DEP solves more than InnerMonologue in the text world", "overworld (script)"
    for key, tasks in (("full", "tables9-16"), (76, 76)), (("quick", "tables9-16"), (76, 8)):
        (in_script,) = (n for claim, n in rows[key].items() if script in claim)
        assert (rows[key][text], in_script) == tasks
    assert rows["quick", "table21"][text] == 69
    assert not any("learned" in claim for claim in rows["quick", "tables9-16"].index), "it is not played"
