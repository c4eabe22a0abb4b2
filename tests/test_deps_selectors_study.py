"""The selectors' study of DEPS: what is played, what is measured from known records, and one real world."""

from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
import pytest
from IPython.display import Markdown

from helpers import Scripted, events, play
from mnemocraft import paths, viewer
from mnemocraft.agents.deps import selectors
from mnemocraft.agents.deps.pursuit import pursue_all
from mnemocraft.agents.rollout import Agent
from mnemocraft.controllers.actions import functional
from mnemocraft.controllers.surroundings import Surroundings
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import Episode
from mnemocraft.runs.events import read_event
from mnemocraft.studies import report
from mnemocraft.studies.deps import sights
from mnemocraft.studies.deps.selectors import figures, sweep, tables
from mnemocraft.studies.deps.selectors import findings as said
from mnemocraft.worlds.minecraft import Demand, read
from mnemocraft.worlds.overworld import overworld_env
from mnemocraft.worlds.world import Feedback, Goals, Horizons, Observation, Task

GOALS = [goal for goal, _ in sweep.GOALS]
NAMES = [goal.name for goal in GOALS]
NO_WEIGHTS = tuple(name for name in sweep.SELECTORS if name != "clip")


def synthetic(gain: float, worlds: int = 120, names: tuple[str, ...] = NO_WEIGHTS) -> pd.DataFrame:
    """Records in which those that go by the state reach all goals by step 1,000 more often by ``gain``."""
    rows = []
    for selector in names:
        random = np.random.default_rng(sweep.SELECTORS.index(selector))
        for world in range(worlds):
            for number in sweep.NUMBERS:
                extra = gain * (number - 2) / 2 if selector in ("horizon", "nearest") else 0.0
                quick = random.random() < 0.5 + extra
                rows.append((selector, world, str(number), 900 if quick else 1400))
    table = pd.DataFrame(rows, columns=["selector", "seed", "task", "steps"])
    return table.assign(
        controller="scripted",
        success=True,
        status="ok",
        reason="success",
        limit=sweep.MAX_STEPS,
        choices=5,
        model="none",
    )


def test_a_profile_plays_every_selector_in_the_same_worlds() -> None:
    study = sweep.study("full", [7], ["scripted", "learned"])
    worlds: dict[tuple, list[int]] = {}
    for stream in study.streams:
        assert stream.tasks == ("2", "3", "4")
        who = stream.condition.settings["controller"], stream.condition.settings["selector"]
        worlds.setdefault(who, []).append(stream.seed)
    assert {selector for _, selector in worlds} == set(NO_WEIGHTS) and len(worlds) == 2 * len(NO_WEIGHTS)
    assert all(seeds == list(range(7, 407)) for (who, _), seeds in worlds.items() if who == "scripted")
    assert {len(seeds) for (who, _), seeds in worlds.items() if who == "learned"} == {30}
    quick = sweep.study("quick", [7], ["sighted"]).streams
    assert {stream.condition.settings["controller"] for stream in quick} == {"sighted"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("huge", [0], ["sighted"]), "no profile"),
        (("quick", [], ["sighted"]), "must be a list of at least one"),
        (("quick", [0], ["perfect"]), "no controller"),
        (("smoke", [0], ["learned"]), "plays no controller"),
    ],
)
def test_a_wrong_argument_is_one_sentence(arguments: tuple, sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence):
        sweep.study(*arguments)


class Field:
    """A world where each goal succeeds in its first attempt of so many steps, or never."""

    guide = wording = encoder = idle = ""
    version, library, turning = "1.11.2", None, 6

    def __init__(self, needs: dict) -> None:
        self.task = Task("field/4 goals", "obtain them", sweep.MAX_STEPS, "wool")
        self.target = {item: goal.count for goal, item in sweep.GOALS}
        self.needs, self.steps, self.inventory = needs, 0, {}
        self.tried: list = []
        self.turned: list = []

    @property
    def success(self) -> bool:
        return not self.lacking()

    @property
    def reason(self) -> str:
        return "success" if self.success else "max_steps" if self.steps >= sweep.MAX_STEPS else ""

    def lacking(self) -> str:
        return Demand(self.target, {}).lacking(self.inventory)

    def failure(self, goal: Goal) -> str:
        return ""

    def observe(self) -> Observation:
        return Observation("", "", dict(self.inventory))

    def check(self, action: str) -> str:
        return ""

    def act(self, action: str, limit: int | None = None) -> Feedback:
        goal, _ = read(action, self.version)
        self.tried.append(goal.name)
        took = self.needs.get(goal.name, 10_000)
        assert limit == sweep.TURN
        self.steps += min(limit, took)
        if took <= limit:
            item = next(item for each, item in sweep.GOALS if each.name == goal.name)
            self.inventory[item] = self.inventory.get(item, 0) + goal.count
        return Feedback(took <= limit, min(limit, took))

    def look_around(self) -> None:
        self.steps += self.turning

    def turn_to(self, goal: Goal) -> None:
        self.turned.append(goal.name)

    def horizon(self, goals: list) -> np.ndarray:
        return np.array([float(self.needs.get(goal.name, 500)) for goal in goals])


def played(world: Field, selector: selectors.Selector) -> Episode:
    """An episode in which nobody asks the model."""
    run = partial(pursue_all, goals=sweep.GOALS, selector=selector)
    return play(Agent("who", "Who", run, needs=(Goals, Horizons)), world, Scripted([]))


def test_a_goal_that_fails_goes_behind_the_others_whoever_chooses() -> None:
    world = Field(dict.fromkeys(NAMES[1:], 10))
    episode = played(world, selectors.FixedOrder())
    assert world.tried[:4] == NAMES and set(world.tried[4:]) == {NAMES[0]}
    assert episode.reason == "max_steps" and world.inventory.keys() == {"beef", "porkchop", "chicken"}
    assert (episode.metrics["reached"], episode.metrics["choices"]) == (3, len(world.tried))


def test_what_is_held_is_not_asked_for() -> None:
    world = Field(dict.fromkeys(NAMES, 10))
    world.inventory = {"wool": 1, "beef": 3}
    episode = played(world, selectors.FixedOrder())
    assert world.tried == NAMES[2:]
    assert episode.success and episode.reason == "success" and episode.metrics["reached"] == 4


def test_the_horizon_selector_takes_the_nearest_first_and_the_record_says_why() -> None:
    world = Field(dict(zip(NAMES, (200, 25, 150, 100), strict=True)))
    episode = played(world, selectors.HorizonSelector())
    assert world.tried == [NAMES[place] for place in (1, 3, 2, 0)] and episode.reason == "success"
    assert world.turned == world.tried[:-1], "it looks at what it chose; the last one is no choice"
    first = events(episode, "choice")[0]
    assert first["horizons"] == [200, 25, 150, 100] and first["chosen"] == str(GOALS[1])
    assert first["candidates"] == [str(goal) for goal in GOALS]


def test_an_episode_may_end_while_one_looks_around() -> None:
    world = Field({})
    world.steps, world.turning = sweep.MAX_STEPS - 3, 6
    episode = played(world, selectors.HorizonSelector())
    assert episode.trajectory[-1]["reason"] == episode.reason == "max_steps"
    assert not world.tried


def test_success_is_read_off_one_run_of_the_longest_length() -> None:
    found = tables.success(tables.prepare(synthetic(0.0)))
    mine = found.query("selector == 'fixed' and number == 4").set_index("length")["value"]
    assert mine[750] == 0 and 0.35 < mine[1000] < 0.65 and mine[1250] == mine[1000] and mine[1500] == 1
    assert mine.index.tolist() == list(sweep.LENGTHS)


def test_the_registered_claims_are_judged_and_a_planted_gain_is_found() -> None:
    judged = tables.all_tables(tables.prepare(synthetic(0.4, 400)))["hypotheses"]
    assert judged["claim"].str[:20].tolist() == [
        *(f"with {n} parallel goals"[:20] for _ in range(2) for n in (2, 3, 4)),
        "its gain over fixed ",
    ]
    by_goals = ["undecided", "holds", "holds"]  # no gain is planted with two
    assert judged["verdict"].tolist() == [*by_goals, *by_goals, "holds"]
    assert judged["paper_effect"][:3].tolist() == pytest.approx([0.223, 0.292, 0.326])
    assert (
        judged["paper_effect"].iloc[-1] == pytest.approx(0.103) and judged["paper_effect"][3:6].isna().all()
    )
    assert (judged["part"] == "all").all() and (judged["worlds"] == 400).all()
    floor = judged["p"] == "< 0.001"
    assert set(judged["p_holm"][floor]) == {"< 0.007"}, "corrected over seven"
    nothing = tables.all_tables(tables.prepare(synthetic(0.0)))["hypotheses"]
    assert not (nothing["verdict"] == "holds").any()


def test_every_controller_has_a_family_of_seven() -> None:
    one = synthetic(0.4)
    both = tables.prepare(pd.concat([one, one.assign(controller="sighted")], ignore_index=True))
    alone = tables.all_tables(tables.prepare(one))["hypotheses"]["p_holm"]
    judged = tables.all_tables(both)["hypotheses"]
    assert len(judged) == 14 and judged["p_holm"].tolist() == [*alone, *alone]


def test_findings_are_read_from_the_tables() -> None:
    found = tables.all_tables(tables.prepare(synthetic(0.4, 390)))
    found["sights"] = pd.DataFrame({"world": [5000, 5001]})
    row = found["hypotheses"].iloc[2]
    lines = said.findings({"none": found})
    assert len(lines) == 6 and f"{100 * row['effect']:+.1f} points" in lines[0] and "(**holds**)" in lines[0]
    assert lines[1].count("**undecided**") == 2 and "10.3 lies" in lines[2]
    assert (
        "Undecided: 2 of 7 claims." in lines[5] and "390 worlds" in lines[5] and "no confirmation" in lines[5]
    )
    assert said.findings({"none": {"gains": found["gains"]}}) == lines[3:5]
    assert said.findings({"none": {}}) == []


@pytest.mark.parametrize(
    ("worlds", "first", "controller", "registered"),
    [
        (400, 5000, "sighted", True),
        (400, 2000, "sighted", False),
        (390, 5000, "sighted", False),
        (400, 5000, "scripted", False),
    ],
)
def test_only_the_registered_worlds_are_called_a_confirmation(
    worlds: int, first: int, controller: str, registered: bool
) -> None:
    found = tables.all_tables(tables.prepare(synthetic(0.4, worlds).assign(controller=controller)))
    found["sights"] = pd.DataFrame({"world": [first, first + 1]})
    line = said.findings({"none": found})[-1]
    assert ("These are the 400 worlds of the registered run" in line) == registered
    assert ("no confirmation" in line) != registered


def test_a_gain_that_the_rival_leaves_no_room_for_is_not_to_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two goals fixed order does all but 5 % at the tested length; the paper gains 22 points."""
    found = tables.all_tables(tables.prepare(synthetic(0.4, 390)))
    found["sights"] = pd.DataFrame({"world": [5000, 5001]})
    table = found["figure4"]
    fixed = (table["selector"] == "fixed") & (table["length"] == tables.TESTED)
    table.loc[fixed, "value"] = table["number"].map({2: 0.95, 3: 0.5, 4: 0.2})
    monkeypatch.setattr(said.shipped, "shipped", lambda stem: ("full", {"none": found}))
    plan = said.planned(400)
    assert isinstance(plan, pd.DataFrame)
    assert plan["this run"][0] == "cannot be decided here: fixed order leaves 5 points"
    assert not plan["this run"][1:3].str.contains("fixed order leaves").any()
    lines = said.findings({"none": found})
    assert "already solves 95 % with two, so that no gain above 5 points is possible" in lines[1]
    assert "possible here" in lines[2] and " of 2 lie outside ours" in lines[2]


def test_the_gain_is_told_at_the_length_where_it_is_largest() -> None:
    found = tables.all_tables(tables.prepare(synthetic(0.4, 390)))
    gains = found["gains"]
    mine = (gains["one"] == "horizon") & (gains["other"] == "fixed")
    for number, length in ((2, 250), (3, 500), (4, 750)):
        at = mine & (gains["number"] == number) & (gains["length"] == length)
        gains.loc[at, ["value", "low", "high"]] = [0.9, 0.8, 0.95]
    [line, _] = said.findings({"none": {"gains": gains}})
    for number, length in ((2, 250), (3, 500), (4, 750)):
        assert f"{number} goals +90.0 points [+80.0, +95.0] after {length} steps" in line
    assert "not tested" in line


def test_few_worlds_are_told_before_they_are_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tables.all_tables(tables.prepare(synthetic(0.4)))
    monkeypatch.setattr(paths, "DATA", tmp_path)
    told = said.planned(32)
    assert isinstance(told, Markdown) and "no run that counts worlds" in str(told.data)
    report.write(found, {"model": "none", "seeds": "0"}, tmp_path / "results" / sweep.STEM / "none" / "quick")
    plan, few = said.planned(30), said.planned(19)
    assert isinstance(plan, pd.DataFrame) and isinstance(few, pd.DataFrame)
    assert plan["clusters"].tolist() == [30] * 7
    of_all = found["hypotheses"]["detectable"].to_numpy()  # of 120 worlds; of a quarter of the pairs
    assert (plan["detectable"] >= 2 * of_all - 1e-3).all() and (plan["detectable"] < 4 * of_all).all()
    assert few["this run"].str.startswith("nothing is tested").all()


def test_earlier_designs_are_listed_with_their_gains() -> None:
    designs = tables.designs().set_index("order")
    assert designs.index.tolist() == [1, 2, 3, 4, 5, 6] and designs["kept_in"].notna().all()
    for other in ("fixed", "random"):
        gain, low, high = (
            designs[f"gain_over_{other}"],
            designs[f"{other}_low"],
            designs[f"{other}_high"],
        )
        assert ((low <= gain) & (gain <= high)).drop(4).all() and np.isnan(gain[4])


def test_gains_stand_beside_the_papers_and_pair_the_worlds() -> None:
    found = tables.gains(tables.prepare(synthetic(0.4)))
    mine = found.query("one == 'horizon' and other == 'fixed' and length == 1000").set_index("number")
    assert mine["paper"].tolist() == pytest.approx([0.223, 0.292, 0.326])
    assert mine["low"][4] > 0.2 and mine["low"][2] < 0 < mine["high"][2]
    alone = tables.gains(tables.prepare(synthetic(0.4, 20, ("horizon", "fixed"))))
    assert set(alone["other"]) == {"fixed"}, "what was not played is not compared with"


@pytest.mark.parametrize("names", [NO_WEIGHTS, sweep.SELECTORS])
def test_every_table_is_drawn_also_of_one_world(names: tuple[str, ...]) -> None:
    found = tables.all_tables(tables.prepare(synthetic(0.2, 1, names)))
    assert len(found["hypotheses"]) == 7
    assert set(found["hypotheses"]["verdict"]) <= {"not tested", "not measured"}
    assert set(found["hypotheses"]["p"]) == {""}
    assert set(figures.draw(found)) == {"figure4", "gains", "verdicts"}


def test_clip_chooses_too_if_its_weights_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MnemocraftError, match="no CLIP model 'nowhere'"):
        sweep.study("smoke", [104], ["sighted"], "nowhere")
    views: list[tuple[tuple[int, ...], list[str]]] = []

    def likes_cows(image: np.ndarray, texts: list[str]) -> np.ndarray:
        views.append((image.shape, texts))
        return np.array(["cow" in text for text in texts], float)

    monkeypatch.setattr(selectors, "clip", {"some/weights": likes_cows}.__getitem__)
    streams = sweep.study("smoke", [104], ["sighted"], "some/weights").streams
    assert [stream.condition.settings.get("clip") for stream in streams] == [None] * 4 + ["some/weights"]
    settings = streams[-1].condition.settings
    episode = play(sweep.agent(settings), sweep.begin_world(settings, 4, 104), Scripted([]))
    assert events(episode, "choice")[0]["chosen"] == "kill 1 cow"
    assert views[0] == ((160, 256, 3), ["kill sheep", "kill cow", "kill pig", "kill chicken"])


def test_a_world_is_the_same_again() -> None:
    settings = sweep.condition("scripted", "nearest").settings
    one, again = (
        play(sweep.agent(settings), sweep.begin_world(settings, 2, 104), Scripted([]), seed=104)
        for _ in range(2)
    )
    assert one.trajectory == again.trajectory and one.reason == "success"


def test_an_episode_can_be_looked_at_also_where_the_agent_looked_around() -> None:
    for selector in ("nearest", "horizon"):
        settings = sweep.condition("sighted", selector).settings
        played = play(sweep.agent(settings), sweep.begin_world(settings, 2, 104), Scripted([]), seed=104)
        events = [read_event(entry) for entry in played.trajectory]
        moments = viewer.replay(sweep.begin(settings, 104, "2")[0], events)
        assert moments[0].picture.dtype == np.uint8
        assert any("parallel goals: kill 1 sheep in" in word for m in moments for word in m.words)
        with pytest.raises(MnemocraftError, match="goes otherwise"):
            viewer.replay(sweep.begin(settings, 105, "2")[0], events)


def test_the_horizon_head_and_the_script_are_asked_about_the_same_view() -> None:
    seen = sights.sights([104])
    table = sights.table(seen)
    assert table["goal"].tolist() == [str(goal) for goal in GOALS]
    assert (table[["value", "script"]] > 0).all(axis=None) and seen[0].frame.shape == (*sights.FRAME, 3)


@pytest.mark.parametrize(("seed", "room"), [(2006, 16), (104, 14)])
def test_a_world_begins_with_four_more_of_each_animal_near_as_far_as_there_is_room(
    seed: int, room: int
) -> None:
    def animals(env: OverworldEnv) -> dict[str, int]:
        around = Surroundings(env)
        x, _, z = around.position
        bodies = {kind: around.mobs([kind]) for kind in ("sheep", "cow", "pig", "chicken")}
        return {
            kind: sum(max(abs(body.x - x), abs(body.z - z)) <= 31 for body in found)
            for kind, found in bodies.items()
        }

    world = sweep.begin_world(sweep.condition("sighted", "fixed").settings, 4, seed)
    bare = overworld_env(seed, sweep.MAX_STEPS)
    bare.reset()
    bare.step(functional(0))
    lives, more = animals(bare), animals(cast("OverworldEnv", world.env))
    placed = {kind: more[kind] - lives[kind] for kind in lives}
    # Of 40 mobs up to 26 may live there before; chickens are put last.
    assert placed == {"sheep": 4, "cow": 4, "pig": 4, "chicken": room - 12}
