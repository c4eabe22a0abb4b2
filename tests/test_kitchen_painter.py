"""Pictures of kitchens: what is drawn, and where, is what the state says."""

import json
import random
import re
import tomllib
from importlib import resources

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import painter
from mnemocraft.envs.kitchen.domain import from_toml
from mnemocraft.envs.kitchen.placement import timers

SOUP = (
    "Move robot1 from table1 to table4",
    "Pick up pot1 from table4 using robot1",
    "Move robot1 from table4 to sink1",
    "Place pot1 on sink1 using robot1",
    "Fill pot1 with water from sink1 using robot1",
    "Do nothing",
    "Do nothing",
    "Do nothing",
    "Pick up pot1 from sink1 using robot1",
    "Move robot1 from sink1 to stove1",
    "Place pot1 on stove1 using robot1",
    "Boil pot1's contents on stove1 using robot1",
    "Move robot1 from stove1 to table2",
    "Pick up tomato1 from table2 using robot1",
    "Move robot1 from table2 to stove1",
    "Add tomato1 into pot1 using robot1",
)


def after(env: KitchenEnv, *actions: str) -> KitchenEnv:
    for action in actions:
        *_, info = env.step(action)
        assert info["action_success"], info
    return env


def soup(steps: int) -> KitchenEnv:
    return after(KitchenEnv("async/7", None), *SOUP[:steps])


def labels(figure: Figure) -> dict[str, tuple[float, float]]:
    """Position of every name that is written, with the words after it: ``lettuce1 cut``."""
    axes = figure.axes[0]
    return {text.get_text().replace("\n", " "): text.get_position() for text in axes.texts}


def cell_of(figure: Figure, name: str) -> tuple[int, int]:
    """The cell in which a name is written, by itself or among others."""
    (found,) = [at for text, at in labels(figure).items() if name in text.split()]
    return int(found[0]), int(found[1])


def facts(env: KitchenEnv, predicate: str) -> list[list[str]]:
    return [
        m[1].split(",") for m in map(re.compile(rf"{predicate}\((.*)\)").fullmatch, sorted(env.state)) if m
    ]


@pytest.mark.parametrize("task", ["sync/5", "async/4", "async/9"])
@pytest.mark.parametrize("seed", [None, 42])
def test_everything_is_drawn_once_in_the_cell_where_the_state_has_it(task, seed):
    env, choose = KitchenEnv(task, seed), random.Random(3)
    for _ in range(3):
        for _ in range(12):
            env.step(choose.choice(env.valid_actions))
        figure, at = painter.paint(env), env.positions
        for station, kind in env.objects:
            if kind == "station":
                assert cell_of(figure, station) == at[station]
        for predicate in ("item_at", "container_at"):
            for thing, station in facts(env, predicate):
                assert cell_of(figure, thing) == at[station]
        (robot,) = (name for name, kind in env.objects if kind == "player")
        ((_, station),) = facts(env, "loc")
        standing = np.array(cell_of(figure, robot))
        assert abs(standing - at[station]).sum() <= 1
        assert tuple(standing) not in {at[name] for name, kind in env.objects if kind == "station"}
        for predicate in ("has_item", "has_container"):
            for _, thing in facts(env, predicate):
                assert cell_of(figure, thing) == tuple(standing)
        plt.close(figure)


def test_stacks_are_drawn_bottom_up():
    env = KitchenEnv("sync/9", None)
    after(env, "Unstack topbun1 from bottombun1 using robot1", "Move robot1 from table1 to table2")
    after(env, "Stack topbun1 on top of bread2 using robot1")
    written = {text.split()[0]: at for text, at in labels(painter.paint(env)).items()}
    pairs = facts(env, "atop")
    assert pairs == [["bread2", "bread1"], ["topbun1", "bread2"]]
    for upper, lower in pairs:
        assert written[upper][1] > written[lower][1] and written[upper][0] == written[lower][0]


def test_marks_of_cutting_and_cooking_are_written_and_drawn():
    env = KitchenEnv("async/7", None)
    raw = env.render()
    plan = ("Move robot1 from table1 to table3", "Pick up lettuce1 from table3 using robot1")
    plan += ("Move robot1 from table3 to board1", "Place lettuce1 on board1 using robot1")
    after(env, *plan, *["Cut lettuce1 on board1 using robot1"] * 3)
    assert "lettuce1 cut" in labels(painter.paint(env))
    plan = ("Move robot1 from board1 to table5", "Pick up chicken1 from table5 using robot1")
    plan += ("Move robot1 from table5 to stove1", "Place chicken1 on stove1 using robot1")
    after(env, *plan, "Cook chicken1 on stove1 using robot1")
    assert "chicken1 cooking" in labels(painter.paint(env))
    after(env, *["Do nothing"] * 3)
    assert "chicken1 cooked" in labels(painter.paint(env))
    assert raw.dtype == np.uint8 and raw.shape == env.render().shape and not np.array_equal(raw, env.render())


def test_pots_show_water_boiling_and_what_was_added():
    assert labels(painter.paint(soup(4))).keys() >= {"pot1"}
    assert "water1" in labels(painter.paint(soup(8)))
    inside = next(text for text in labels(painter.paint(soup(16))) if text.startswith("water1"))
    assert inside == "water1 boiling tomato1"


def clocks(env: KitchenEnv) -> list[tuple[float, str]]:
    """Part done and colour of every timer drawn."""
    wedges = [patch for patch in painter.paint(env).axes[0].patches if isinstance(patch, Wedge)]
    return [((wedge.theta2 - wedge.theta1) / 360, to_hex(wedge.get_facecolor())) for wedge in wedges]


def test_timers_show_what_observations_leave_out():
    env = soup(5)  # filling for one step of four
    assert timers(env) == {"pot1": (0.25, True)} and clocks(env) == [(0.25, "#d55e00")]
    after(env, "Do nothing")
    assert clocks(env) == [(0.5, "#d55e00")]
    after(env, "Pick up pot1 from sink1 using robot1")  # stands still while the pot is away
    assert timers(env) == {"pot1": (0.5, False)} and clocks(env)[0][1] != "#d55e00"
    assert clocks(soup(8)) == []  # done
    assert timers(soup(13)) == {"pot1": (0.5, True)}  # boiling, seen at the pot
    cut = after(KitchenEnv("async/7", None), "Move robot1 from table1 to table3")
    after(cut, "Pick up lettuce1 from table3 using robot1", "Move robot1 from table3 to board1")
    after(cut, "Place lettuce1 on board1 using robot1", "Cut lettuce1 on board1 using robot1")
    assert timers(cut) == {"lettuce1": (pytest.approx(1 / 3), True)}


def test_names_are_left_out_where_cells_are_too_small():
    env = KitchenEnv("sync/0", None)
    small, large = Figure(figsize=(2, 2)), Figure(figsize=(6, 6))
    for figure, names in ((small, False), (large, True)):
        axes = figure.add_axes((0, 0, 1, 1))
        painter.draw(axes, env)
        assert bool(axes.texts) == names and axes.patches


def test_equal_states_give_equal_pictures_and_painting_changes_nothing():
    env = soup(6)
    before = env.snapshot
    assert np.array_equal(env.render(), soup(6).render()) and env.snapshot == before


def test_things_of_other_domains_are_drawn_as_plain_blocks(tmp_path):
    text = (resources.files("mnemocraft.envs.kitchen") / "domain.toml").read_text(encoding="utf-8")
    domain, kitchen = tmp_path / "domain.json", tmp_path / "smithy.json"
    domain.write_text(
        json.dumps(from_toml(tomllib.loads(text.replace("tomato", "iron").replace("stove", "anvil"))))
    )
    places = [{"name": "anvil", "x": 0, "y": 0}, {"name": "table", "x": 2, "y": 0}]
    things = [
        {"name": "iron", "x": 2, "y": 0, "stack-level": 0},
        {"name": "bread", "x": 0, "y": 0, "stack-level": 0},
    ]
    player = {"name": "robot", "x": 1, "y": 0, "direction": [1, 0]}
    goal = [{"predicate": "item_on", "args": ["iron", "anvil"], "ids": [1, 2]}]
    smithy = {"width": 3, "height": 2, "stations": places, "items": things, "players": [player]}
    kitchen.write_text(json.dumps(smithy | {"goal_description": "Move the iron", "goal": goal}))
    env = KitchenEnv.from_files(domain, kitchen)
    figure = painter.paint(env)
    assert cell_of(figure, "iron1") == (2, 0) and cell_of(figure, "anvil1") == (0, 0)
    assert env.render().shape[2] == 3
