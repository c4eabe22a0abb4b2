"""From plans to moves and smelts."""

import os
import random
import subprocess
import sys

import pytest

from mnemocraft.envs.plancraft import (
    Game,
    actions_for,
    batches,
    examples,
    expert_actions,
    plan_steps,
)
from mnemocraft.envs.plancraft.data import SLOT_NAMES
from mnemocraft.errors import MnemocraftError

LIMIT = 30


def do(game, action):
    arguments = action["arguments"]
    act = game.move if action["name"] == "move" else game.smelt
    return act(arguments["slot_from"], arguments["slot_to"], arguments["quantity"])


def play_planning_anew(game, target):
    """Plan, do the first action, forget the plan, and so on; the number of actions."""
    for taken in range(100):
        if game.holds(target):
            return taken
        steps = plan_steps(game.counts(), target)
        assert do(game, next(actions_for(steps, Game(game.slots)))[0])
    raise AssertionError("does not get there")


@pytest.mark.parametrize("split", ["low", "high"])
def test_expert_solves_every_example_within_the_limit(split):
    """And so does an agent that plans anew after each action, in no more actions."""
    for e in examples(split):
        actions = expert_actions(e)
        if e.impossible:
            assert [action["name"] for action in actions] == ["impossible"]
            continue
        game = Game(e.slots)
        for action in actions:
            assert not game.holds(e.target), e.id
            assert do(game, action), (e.id, action)
        assert game.holds(e.target) and len(actions) <= LIMIT, e.id
        assert play_planning_anew(Game(e.slots), e.target) <= len(actions), e.id


def test_leftovers_on_the_table_do_not_stop_it():
    """After random moves and smelts every target that has a plan is still reached, without going round."""
    rng = random.Random(0)
    for e in examples("low")[::3] + examples("high")[::3]:
        game = Game(e.slots)
        for _ in range(8):
            slot_from = rng.choice(list(game.slots))
            slot_to = rng.choice((*SLOT_NAMES[1:10], *SLOT_NAMES[1:10], *SLOT_NAMES[1:]))
            quantity = rng.randint(1, game.slots[slot_from][1])
            (game.move if rng.random() < 0.8 else game.smelt)(slot_from, slot_to, quantity)
        steps = plan_steps(game.counts(), e.target)
        if steps is not None and not game.holds(e.target):
            whole = [action for part in actions_for(steps, game) for action in part]
            assert play_planning_anew(game, e.target) <= len(whole), e.id


def actions(slots, target):
    game = Game(slots)
    steps = plan_steps(game.counts(), target)
    lists = list(actions_for(steps, game))
    assert len(lists) == len(batches(steps))
    for action in (action for part in lists for action in part):
        assert do(game, action), action
    assert game.holds(target)
    return [(a["name"], *a["arguments"].values()) for part in lists for a in part]


def test_equal_smelts_are_one_action():
    assert actions({"I1": ("iron_ore", 9), "I2": ("stick", 1)}, "iron_block")[0] == ("smelt", "I1", "I3", 9)


def test_equal_crafts_fill_the_table_once():
    moves = actions({"I1": ("oak_log", 2)}, "chest")
    assert moves[:3] == [("move", "I1", "A1", 2), ("move", "0", "I1", 4), ("move", "0", "I1", 4)]


def test_a_lot_that_is_spread_over_slots_is_gathered():
    moves = actions({f"I{i}": ("wheat", 1) for i in range(1, 4)}, "bread")
    assert [move[1] for move in moves] == ["I1", "I2", "I3", "0"]


def test_what_lies_right_stays():
    moves = actions({"B1": ("wheat", 1), "I5": ("wheat", 2)}, "bread")
    assert moves == [("move", "I5", "B2", 1), ("move", "I5", "B3", 1), ("move", "0", "I1", 1)]


def test_a_stray_item_is_moved_straight_to_its_cell():
    slots = {"A1": ("wheat", 1), "A2": ("wheat", 1), "C3": ("wheat", 1)}
    assert actions(slots, "bread")[0] == ("move", "C3", "A3", 1)


def test_unstackable_ingredients_are_not_batched():
    steps = plan_steps({"iron_sword": 9, "stick": 1}, "iron_ingot")
    assert [times for _, times in batches(steps)] == [1] * 10


def test_full_inventory_is_named():
    slots = {f"I{i}": ("dirt", 64) for i in range(2, 37)} | {"I1": ("wheat", 64), "A2": ("stick", 1)}
    game = Game(slots)
    with pytest.raises(MnemocraftError, match="No inventory slot is free"):
        list(actions_for(plan_steps(game.counts(), "bread"), game))


def test_steps_that_do_not_fit_are_named():
    steps = plan_steps({"wheat": 3}, "bread")
    with pytest.raises(MnemocraftError, match="more wheat"):
        list(actions_for(steps, Game({"I1": ("wheat", 2)})))


def test_the_game_given_is_not_changed():
    e = examples("low")[0]
    game = Game(e.slots)
    list(actions_for(plan_steps(e.inventory, e.target), game))
    assert game.slots == Game(e.slots).slots


def test_the_expert_does_not_depend_on_the_hash_seed():
    code = (
        "from mnemocraft.envs.plancraft import examples, expert_actions;"
        "print([expert_actions(e) for e in examples('high')[::4]])"
    )
    outs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert outs[0] == outs[1]
