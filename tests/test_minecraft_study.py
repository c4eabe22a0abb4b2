"""Notebook 02: walks repeat, maps tell what the environment tells, tables join, frames can be told apart."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from IPython.display import Image

from mnemocraft import viewer
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft import rules
from mnemocraft.envs.overworld.biomes import NAMES
from mnemocraft.envs.overworld.world import SEA
from mnemocraft.errors import MnemocraftError
from mnemocraft.paths import ROOT
from mnemocraft.studies import papers, report
from mnemocraft.studies.minecraft import (
    figures,
    findings,
    hand,
    load,
    maps,
    recipes,
    sights,
    tables,
    views,
    walk,
)

SEED = 9
PAPERS = ROOT.parent / "shared" / "papers" / "tables"

# --- walks and frames -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walked() -> walk.Walk:
    return walk.walk(SEED, 320)


def test_equal_seeds_walk_alike_to_the_last_pixel_and_others_do_not(walked, tmp_path):
    for folder, way in (("one", walked), ("two", walk.walk(SEED, 320)), ("other", walk.walk(SEED + 1, 320))):
        found = {"walk": walk.table([way]), "frames": views.table(way.views)}
        report.write(found, {"model": "none", "seeds": "9"}, tmp_path / folder)
    one, two, other = ([(tmp_path / folder / f"{name}.csv").read_bytes() for name in ("walk", "frames")]
                       for folder in ("one", "two", "other"))  # fmt: skip
    assert one == two
    assert all(a != b for a, b in zip(one, other, strict=True))


def test_a_walk_looks_once_at_each_biome_where_its_path_is(walked):
    path = walked.path.set_index("tick")
    assert len(walked.views) >= 2
    assert len({view.biome for view in walked.views}) == len(walked.views)
    for view in walked.views:
        before, after = (path.loc[view.tick // walk.GLANCE * walk.GLANCE + d] for d in (0, walk.GLANCE))
        assert view.biome in (before["biome"], after["biome"])
        assert np.hypot(view.place[0] - before["x"], view.place[2] - before["z"]) < 0.3 * walk.GLANCE


def test_a_walk_gets_somewhere(walked):
    ends = walked.path.iloc[[0, -1]][["x", "z"]].to_numpy()
    assert walked.end == "max_steps" and np.hypot(*(ends[1] - ends[0])) > 20


@pytest.fixture(scope="module")
def sheet() -> dict[str, views.View]:
    return {view.title or view.biome: view for view in sights.sights()}


def ground(view: views.View) -> np.ndarray:
    """Mean colour of the lower half."""
    return view.picture[len(view.picture) // 2 :].reshape(-1, 3).mean(0)


def middle(view: views.View) -> np.ndarray:
    """The pixels around the crosshair, (n, 3)."""
    tall, wide = view.picture.shape[:2]
    return view.picture[tall // 3 : 2 * tall // 3, 2 * wide // 5 : 3 * wide // 5].reshape(-1, 3).astype(int)


def test_forest_and_desert_differ_at_a_glance(sheet):
    red, green, blue = ground(sheet["forest"])
    assert green > 1.4 * red and green > 1.4 * blue
    red, green, blue = ground(sheet["desert"])
    assert red > green > blue + 30 and red > 150


@pytest.mark.parametrize(
    ("animal", "colour"),
    [
        ("sheep", (238, 238, 232)),
        ("cow", (92, 66, 46)),
        ("pig", (238, 160, 160)),
        ("polar bear", (238, 238, 232)),
    ],
)
def test_an_animal_is_in_the_middle_of_its_portrait(sheet, animal, colour):
    """Its colour, at any brightness, fills a good part of what is around the crosshair."""
    pixels = middle(sheet[animal])
    bright = pixels.max(1, keepdims=True) / max(colour)
    alike = (np.abs(pixels - bright * np.array(colour)) < 14).all(1) & (pixels.max(1) > 40)
    assert alike.mean() > 0.1


def test_night_and_caves_are_dark(sheet):
    day = sheet["plains"].picture.mean()
    assert sheet["night, moon rising"].picture.mean() < day / 3
    assert sheet["cave, lit by a torch"].picture.mean() < day / 2


# --- maps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [SEED, 2])
def test_the_map_says_what_the_environment_says(seed):
    land = maps.survey_map(seed, 32, 16)
    env = OverworldEnv(seed, image_size=None, allow_mob_spawn=False)
    env.reset()
    places = np.random.default_rng(seed).integers(0, 32, (40, 2)).tolist()
    firm = []
    for i, k in places:
        height = int(land.heights[i, k])
        env.teleport_agent(land.start + 16 * i + 0.5, height + 1, land.start + 16 * k + 0.5)
        observation = env.step(env.action_space.no_op())[0]
        assert observation["biome"] == NAMES[land.biomes[i, k]]
        firm.append(bool(observation["voxels"]["is_solid"][1, 0, 1]))
        if observation["voxels"]["is_liquid"][1, 1, 1]:
            assert height <= SEA  # the ground under water
    assert np.mean(firm) > 0.9  # the rest are mouths of caves


def test_maps_of_other_steps_show_the_same_land():
    fine, coarse = maps.survey_map(SEED, 32, 8), maps.survey_map(SEED, 16, 16)
    assert fine.extent == coarse.extent == (-128, 128, 128, -128)
    assert (fine.heights[::2, ::2] == coarse.heights).all() and (fine.biomes[::2, ::2] == coarse.biomes).all()


def test_shares_are_of_the_whole_map():
    land = maps.survey_map(SEED, 24)
    table = maps.table([land]).set_index("biome")
    assert table["share"].sum() == pytest.approx(1) and table["columns"].sum() == 24 * 24
    some = table[table["columns"] > 0]
    assert (some["lowest"] <= some["median"]).all() and (some["median"] <= some["highest"]).all()
    assert some["highest"].max() == land.heights.max()


# --- the rules of an item -------------------------------------------------------------------------------


def test_the_graph_of_a_diamond_pickaxe_is_the_games():
    graph = recipes.item_graph("diamond_pickaxe")
    used_up = {(a, b): n for a, b, n in graph.edges(data="units") if graph.edges[a, b]["by"] == "craft"}
    assert used_up["diamond", "diamond_pickaxe"] == 3 and used_up["stick", "diamond_pickaxe"] == 2
    assert graph.edges["iron_pickaxe", "diamond"]["by"] == "tool"
    assert graph.edges["coal", "iron_ingot"]["by"] == "fuel"
    assert graph.edges["iron_ore", "iron_ingot"]["by"] == "smelt"


@pytest.mark.parametrize(
    ("item", "version"), [("bread", "1.16.5"), ("bucket", "1.11.2"), ("bucket", "1.19.2")]
)
def test_an_item_graph_takes_what_a_recipe_of_the_version_takes(item, version):
    graph, game = recipes.item_graph(item, version), rules(version)
    assert nx.is_directed_acyclic_graph(graph)
    for name, facts in graph.nodes(data=True):
        assert all(graph.nodes[before]["layer"] < facts["layer"] for before in graph.predecessors(name))
        taken = {a: n for a, _, n in graph.in_edges(name, "units") if graph.edges[a, name]["by"] == "craft"}
        ways = [recipe.ingredients for recipe in game.recipes if recipe.result == name]
        if facts["verb"] == "craft":
            assert any(_made_by(taken, way, game) for way in ways), name
        else:
            assert not taken


def _made_by(taken, ingredients, game) -> bool:
    """Whether the items taken are those of a recipe, each of one member of its family."""
    left = dict(taken)
    for ingredient, units in ingredients:
        member = next(
            (item for item in left if item in game.members(ingredient) and left[item] == units), None
        )
        if member is None:
            return False
        del left[member]
    return not left


def test_versions_stand_side_by_side_and_unknown_items_are_told():
    table = recipes.versions(["stick", "stick"]).set_index("version")
    assert list(table.index) == ["1.11.2", "1.16.5", "1.19.2"]
    assert (table["actions"] == 3).all()  # a log, planks, sticks
    assert table["mined"].str.fullmatch("1 (log|log2|oak_log)").all()
    assert table["items"].is_monotonic_increasing and table["recipes"].is_monotonic_increasing
    with pytest.raises(MnemocraftError, match="unobtainium"):
        recipes.item_graph("unobtainium")


# --- what was measured before ---------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path) -> Path:
    """Tiny tables as the evaluation writes them: the script always succeeds, random never, learned half."""
    evaluate = pytest.importorskip("training.controller.evaluate", reason="needs PyTorch")
    rows = [
        {"place": place, "controller": kind, "seed": seed, "success": success, "steps": 50, "reason": ""}
        for kind in tables.CONTROLLERS
        for place, skill in enumerate(evaluate.SKILLS)
        if skill.moves or kind != "random"
        for seed in range(4)
        for success in [kind == "scripted" or (kind == "learned" and seed < 2)]
    ]
    made = evaluate.skill_table(pd.DataFrame(rows))
    made.to_csv(tmp_path / "controller_skills.csv", index=False, lineterminator="\n")
    return tmp_path


def test_every_skill_of_the_paper_is_joined_once_with_its_own_number(folder):
    found, printed = tables.skills(load.skills(folder)), papers.table("deps_table18").set_index("skill")
    assert not found.duplicated(["skill", "controller"]).any()
    for kind in ("scripted", "learned"):
        one = found[found["controller"] == kind].set_index("skill")
        assert list(one.index[: len(printed)]) == list(printed.index)  # the paper's order
        assert (one.loc[printed.index, "paper"] == printed["success_rate"]).all()
        assert (one.loc[printed.index, "paper_limit"] == printed["episode_length"]).all()
        assert one["paper"].iloc[len(printed) :].isna().all()
    random = found[found["controller"] == "random"]
    assert random["skill"].str.startswith(tables.MOVING).all()
    assert (found.query("controller == 'learned'")["value"] == 0.5).all()
    assert (found["low"] <= found["value"]).all() and (found["value"] <= found["high"]).all()


def test_the_table_of_lengths_keeps_skills_that_nobody_managed(folder):
    found = tables.skills(load.skills(folder))
    found.loc[found["skill"] == "Mine 1 diamond with stone pickaxe", "steps"] = np.nan
    table = tables.lengths(found)
    assert list(table.index) == list(dict.fromkeys(found["skill"]))
    assert table.loc["Mine 1 diamond with stone pickaxe", "steps"].isna().all()
    assert table["n", "scripted"].ge(4).all() and table["n", "random"].isna().sum() == 6
    assert (table["steps", "learned"].dropna() == 50).all()
    assert table.loc["Mine 3 iron ore with stone pickaxe", ("steps allowed", "paper")] == 3000


def test_the_papers_numbers_are_those_of_the_skills_we_try():
    skills = pytest.importorskip("mnemocraft.controllers.skills", reason="needs Numba")
    printed = papers.table("deps_table18").set_index("skill")
    tried = {skill.name: (skill.paper, skill.max_steps) for skill in skills.SKILLS if skill.paper is not None}
    rows = zip(printed["success_rate"], printed["episode_length"], strict=True)
    assert tried == dict(zip(printed.index, rows, strict=True))


@pytest.mark.skipif(not PAPERS.exists(), reason="the papers' texts are not here")
def test_table_18_is_copied_as_printed():
    pd.testing.assert_frame_equal(papers.table("deps_table18"), pd.read_csv(PAPERS / "deps_table18.csv"))


def damaged(folder: Path, how: str) -> None:
    path = folder / "controller_skills.csv"
    table = pd.read_csv(path)
    if how == "missing skill":
        table = table[~((table["skill"] == "Mine 1 dirt") & (table["controller"] == "learned"))]
    elif how == "twice":
        table = pd.concat([table, table.iloc[[3]]])
    elif how == "unknown controller":
        table.loc[0, "controller"] = "oracle"
    elif how == "column":
        table = table.drop(columns="low")
    table.to_csv(path, index=False)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("missing skill", "'Mine 1 dirt' was not measured with the learned controller"),
        ("twice", "stands twice"),
        ("unknown controller", "no controller 'oracle'"),
        ("column", "lacks 'low'"),
    ],
)
def test_a_damaged_skill_table_is_one_sentence(folder, how, sentence):
    damaged(folder, how)
    with pytest.raises(MnemocraftError, match=sentence) as told:
        tables.skills(load.skills(folder))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("read", "command"),
    [
        (load.skills, "training.controller.evaluate"),
        (load.horizons, "training.controller.evaluate"),
        (lambda folder: load.speeds(folder / "overworld.json"), "bench_overworld.py --save"),
    ],
)
def test_what_is_missing_names_the_command_that_makes_it(read, command, tmp_path):
    with pytest.raises(MnemocraftError, match=command) as told:
        read(tmp_path)
    assert "is missing" in str(told.value) and "\n" not in str(told.value)


def test_learned_is_held_against_random_skill_by_skill(folder):
    found = tables.skills(load.skills(folder))
    count = found.query("controller == 'random'")["skill"].nunique()

    def change(skill, controller, **values):
        rows = (found["skill"] == skill) & (found["controller"] == controller)
        found.loc[rows, list(values)] = list(values.values())

    for skill in found.query("controller == 'random'")["skill"]:
        change(skill, "learned", value=0.9, low=0.8, high=0.95)
        change(skill, "random", value=0.1, low=0.05, high=0.2, mean_steps=590.0)
        change(skill, "random", mean_steps_low=580.0, mean_steps_high=600.0)
        change(skill, "learned", mean_steps=100.0, mean_steps_low=90.0, mean_steps_high=120.0)
    assert f"**{count} of {count}**" in tables.better_than_random(tables.against_random(found))
    change("Mine 1 dirt", "random", value=0.8, low=0.7, high=0.9)  # a gain that could be chance
    change("Mine 1 dirt", "random", mean_steps=110.0, mean_steps_low=80.0, mean_steps_high=150.0)
    change("Mine 1 leaves with shears", "random", value=1.0, low=0.9, high=1.0)
    change("Mine 1 seed", "random", value=0.5, low=0.4, high=0.6)
    change("Kill 1 sheep with axe", "scripted", value=0.0)
    against = tables.against_random(found).set_index("skill")
    gap = against.loc["Mine 1 dirt"]
    assert gap["rate"] == pytest.approx(0.1) and gap["rate_low"] == pytest.approx(0.1 - np.hypot(0.1, 0.1))
    assert gap["rate_high"] == pytest.approx(0.1 + np.hypot(0.05, 0.1)) and gap["better"] == "no"
    text = tables.better_than_random(against.reset_index())
    assert f"**{count - 3} of {count - 1}**" in text
    assert "Smallest gain: +40 points [" in text and "Mine 1 seed." in text
    alone = (
        "steps alone (a failure takes all allowed): Mine 1 leaves with shears, -490 steps [-504, -468]; -10 "
    )
    assert alone in text
    assert "Not so on: Mine 1 dirt." in text and "never succeeds either: Kill 1 sheep with axe." in text


def test_findings_are_read_from_the_tables_that_are_there(folder):
    skills = tables.skills(load.skills(folder))
    found = {"skills": skills, "against_random": tables.against_random(skills)}
    found["speed"] = tables.speed(recorded())
    lines = findings.findings({"none": found})
    paper = skills[(skills["controller"] == "learned") & skills["paper"].notna()]
    assert f"Of the paper's {len(paper)} skills (4 to 8 worlds each)" in lines[0]
    assert f"on {(paper['low'] > paper['paper']).sum()}, below" in lines[0]
    assert f"of {len(found['against_random'])}**" in lines[1]
    assert "9.0 times as many" in lines[2] and len(lines) == 3
    assert findings.findings({"none": {}}) == []


def test_the_order_of_goals_is_told_for_one_view_for_six_and_without_looking(tmp_path):
    row = {"pairs_of": "all goals", "worlds": 40, "pairs": 2149}
    rates = {"horizon head": 0.8, "panorama head": 0.82, "typical": 0.76}
    orders = pd.DataFrame(
        [
            row | {"order_by": who, "accuracy": at, "low": at - 0.02, "high": at + 0.02}
            for who, at in rates.items()
        ]
    )
    orders.to_csv(tmp_path / "controller_horizons.csv", index=False)
    text = tables.ordered(load.horizons(tmp_path))
    assert text.startswith(
        "- all goals, 2,149 pairs in 40 worlds: 0.80 [0.78, 0.82] from one view (asked for 0.75)"
    )
    assert "0.82 [0.80, 0.84] from six" in text and "nearer as a rule, 0.76 [0.74, 0.78]" in text
    assert "**" not in text and text.count("\n") == 0  # no verdict


def recorded() -> dict:
    targets = {"blind": 20_000, "seeing": 1_000, "reset_ms": 20, "memory_mb": 300, "times_crafter": 10}
    return {
        "host": "a machine",
        "targets": targets,
        "without images, random": 30_000.0,
        "with 64x64 images, random": 900.0,
        load.RIVAL: 100.0,
        "times crafter, with images": 9.0,
        "reset with image, ms": 25.0,
        "peak memory of 12,000 steps, MB": 200.0,
    }


def test_speeds_are_judged_against_their_targets_and_crafter(tmp_path):
    path = tmp_path / "overworld.json"
    path.write_text(json.dumps(recorded()))
    met = tables.targets(load.speeds(path)).set_index("what")["met"]
    assert list(met) == [True, False, False, False, True]
    times = tables.speed(load.speeds(path)).set_index("world")["times_crafter"]
    assert list(times) == [300.0, 9.0, 1.0]
    path.write_text(json.dumps({key: value for key, value in recorded().items() if key != load.RIVAL}))
    with pytest.raises(MnemocraftError, match="lacks 'crafter"):
        load.speeds(path)


def test_the_skill_figure_shows_what_the_table_says(folder):
    found = tables.skills(load.skills(folder))
    axes = figures.skills(found).axes[0]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == list(dict.fromkeys(found["skill"]))
    drawn = {line.get_label(): line for line in axes.lines}
    paper = drawn["DEPS, Table 18 (learned)"]
    printed = papers.table("deps_table18")["success_rate"].tolist()
    assert [round(float(x), 2) for x in paper.get_xdata()] == printed
    assert [names[int(y)] for y in paper.get_ydata()] == papers.table("deps_table18")["skill"].tolist()


def test_wrong_parameters_are_told():
    with pytest.raises(MnemocraftError, match=r"There is no profile .* smoke, quick, full"):
        load.size("huge")
    with pytest.raises(MnemocraftError, match="'seeds' must be a list"):
        load.chosen("quick", [])


# --- by hand --------------------------------------------------------------------------------------------


def test_playing_by_hand_moves_the_player_tells_failures_and_starts_again(monkeypatch):
    env = OverworldEnv(3, image_size=None, specified_biome="plains", allow_mob_spawn=False)
    box = hand.by_hand(env)
    (picture, controls), text = box.children[0].children, box.children[1]
    moves, ticks, hold, _, again = controls.children
    buttons = {button.description: button for button in moves.children}
    start, before = picture.value, views.place(env)
    ticks.value = 12
    buttons["forward"].click()
    assert "Step 12." in text.value and np.hypot(*np.subtract(views.place(env), before)[[0, 2]]) > 1
    buttons["turn left"].click()
    assert "Step 13." in text.value  # one tick, 15 degrees, however long buttons are held
    hold.children[0].click()
    assert "Step 14." in text.value and env.step(env.action_space.no_op())[4]["action_success"]
    again.click()
    assert "Step 0." in text.value and picture.value == start
    monkeypatch.setenv(viewer.HEADLESS, "1")
    assert isinstance(hand.play(3), Image)
