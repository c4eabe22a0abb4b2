"""PlancraftEnv against the ``plancraft`` package, and where it differs on purpose."""

import json
import random
import re
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import plancraft
import pytest
from gymnasium.utils.env_checker import check_env
from plancraft.config import PlancraftExample
from plancraft.environment.env import CraftingTableGUI
from plancraft.simple import PlancraftGymWrapper, get_plancraft_examples

from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import book, examples, expert_actions
from mnemocraft.envs.plancraft.data import SLOT_NAMES, SPLITS
from mnemocraft.errors import MnemocraftError

MALFORMED = [
    ("move: to [A1] with quantity 1", {"name": "move", "arguments": {"slot_to": "A1", "quantity": 1}}),
    ("move: from [I1] to [0] with quantity 1", ("move", "I1", "0", 1)),
    ("move: from [I1] to [I1] with quantity 1", ("move", "I1", "I1", 1)),
    ("move: from [I1] to [A4] with quantity 1", ("move", "I1", "A4", 1)),
    ("smelt: from [I1] to [I37] with quantity 1", ("smelt", "I1", "I37", 1)),
    ("smelt: from [I1] to [A1] with quantity 0", ("smelt", "I1", "A1", 0)),
    ("smelt: from [I1] to [A1] with quantity 65", ("smelt", "I1", "A1", 65)),
    ("smelt: from [I1] to [A1] with quantity one", ("smelt", "I1", "A1", "one")),
    ("craft: stick", {"name": "craft", "arguments": {"item": "stick"}}),
    ("no tool call at all", "no tool call at all"),
]
"""The same mistakes as text for the package and as tool calls for us."""


def call(name, slot_from, slot_to, quantity):
    arguments = {"slot_from": slot_from, "slot_to": slot_to, "quantity": quantity}
    return {"name": name, "arguments": arguments}


def as_text(action):
    """A well-formed tool call in the package's own action language."""
    if action["name"] == "impossible":
        return f"impossible: {action['arguments']['reason']}"
    slot_from, slot_to, quantity = action["arguments"].values()
    return f"{action['name']}: from [{slot_from}] to [{slot_to}] with quantity {quantity}"


@pytest.fixture
def undrawn(monkeypatch):
    """Take the pictures out of the package: they are most of its time and change no state."""
    monkeypatch.setattr(CraftingTableGUI, "__init__", lambda self, resolution="high": None)
    for name in ("clear", "add_item_to_slot", "remove_item_from_slot"):
        monkeypatch.setattr(CraftingTableGUI, name, lambda self, *args: None)
    monkeypatch.setattr(CraftingTableGUI, "frame", None)


def package_examples(split):
    """The package's examples (its own loader stumbles over the NaN in the repeated split)."""
    folder = Path(plancraft.__file__).parent / "data"
    rows = json.loads((folder / f"{SPLITS[split]}.json").read_text(), parse_constant=lambda _: None)
    return [PlancraftExample(**row) for row in rows]


def package_env(example):
    """The package's wrapper, without the recipes whose result is out of this example's reach.

    It tries all 634 recipes at every change of the table; nearly all of its time would go there.
    """
    peer = PlancraftGymWrapper(example, max_steps=1000)
    reach = {entry["type"] for entry in example.slotted_inventory.values()}
    while (
        new := {
            recipe.result
            for item in reach
            for recipe in book().by_input.get(item, ())
            if not any(reach.isdisjoint(cell) for cell in recipe.units)
        }
        - reach
    ):
        reach |= new
    environment = peer.environment
    environment.crafting_recipes = [r for r in environment.crafting_recipes if r.result.item in reach]
    return peer


def random_action(rng, env):
    """A random tool call, half of the time between slots where it may do something; both forms of it."""
    if rng.random() < 0.1:
        text, ours = rng.choice(MALFORMED)
        return text, call(*ours) if isinstance(ours, tuple) else ours
    filled = list(env.game.slots)
    slot_from = rng.choice(filled if rng.random() < 0.8 else SLOT_NAMES)
    slot_to = rng.choice(SLOT_NAMES[1:10] if rng.random() < 0.5 else (*SLOT_NAMES[1:], *filled))
    held = env.game.slots.get(slot_from, ("", 1))[1]
    quantity = rng.choice([1, held, min(64, held + 1), rng.randint(1, 64)])
    name = "move" if rng.random() < 0.7 else "smelt"
    if slot_from == slot_to or slot_to == "0":
        slot_to = "B2" if slot_from != "B2" else "C3"
    action = call(name, slot_from, slot_to, quantity)
    return as_text(action), action


def compare(peer, peer_out, env, out, what):
    peer_obs, peer_reward, peer_terminated, _, _ = peer_out
    obs, reward, terminated, _, info = out
    if "inventory" in peer_obs:
        theirs = {SLOT_NAMES[slot]: dict(entry) for slot, entry in sorted(peer_obs["inventory"].items())}
        assert obs["inventory"] == theirs, what
        assert list(obs["inventory"]) == list(theirs), what
    if peer_obs["text"].startswith(("Format Error", "Only select")):
        assert re.fullmatch(r"\w[^\n]+\.", obs["text"]), what
    else:
        assert obs["text"] == re.sub(r"\[(\w+)\]", r"\1", peer_obs["text"]), what
    assert obs["target"] == peer.example.target
    assert (reward, terminated, info["success"]) == (peer_reward, peer_terminated, peer.success), what
    assert info["steps"] == peer.current_step


def drive(peer, env, actions):
    """Do ``(text, tool call)`` pairs on both sides until the end, and compare after each."""
    start = re.sub(r"\[(\w+)\]", r"\1", peer.step(None)[0]["text"])
    assert env.reset()[0]["text"] == start
    for text, action in actions:
        out = env.step(json.dumps(action) if env.steps % 2 and isinstance(action, dict) else action)
        compare(peer, peer.step(text), env, out, f"{env.example.id} step {env.steps}: {action}")
        if out[2]:
            return out[4]
    return out[4]


@pytest.mark.parametrize("split", ["low", "high"])
@pytest.mark.parametrize("apart", [5, pytest.param(1, marks=pytest.mark.long)])
def test_same_as_package_on_every_example(undrawn, split, apart):
    peers = package_examples(split)
    rng = random.Random(split)
    crafted = 0
    for index, peer_example in list(enumerate(peers))[::apart]:
        env = PlancraftEnv(split, index, max_steps=1000)
        expert = package_env(peer_example.model_copy(deep=True))
        expert_pairs = [(as_text(action), action) for action in expert_actions(env.example)]
        info = drive(expert, env, expert_pairs)
        assert info["success"], env.example.id
        wild = package_env(peer_example)
        cut = rng.randrange(len(expert_pairs) + 1)
        noise = (random_action(rng, env) for _ in range(25))
        drive(wild, env, (pair for part in (expert_pairs[:cut], noise) for pair in part))
        crafted += len(env.game.counts().keys() - env.example.inventory.keys())
    assert crafted > 100 / apart  # the random part reached crafted and smelted items, not only moves


def test_wrong_impossible_call_ends_like_the_package(undrawn):
    peer_example = next(e for e in get_plancraft_examples("val") if not e.impossible)
    index = next(i for i, e in enumerate(examples("low")) if e.id == peer_example.id)
    give_up = {"name": "impossible", "arguments": {"reason": "no idea"}}
    info = drive(PlancraftGymWrapper(peer_example), PlancraftEnv("low", index), [(as_text(give_up), give_up)])
    assert info == {"success": False, "steps": 1, "reason": "impossible_wrong"}


def test_same_pixels_as_the_package():
    """Three crafted examples, stale quantities of half-used ingredients included."""
    for index in (0, 31, 44):
        peer_example = get_plancraft_examples("val")[index]
        peer, env = PlancraftGymWrapper(peer_example), PlancraftEnv("low", index)
        env.reset()
        assert np.array_equal(peer.step(None)[0]["image"], env.render())
        rng = random.Random(index)
        for number in range(12):
            text, action = random_action(rng, env)
            theirs = peer.step(text)[0]["image"]
            env.step(action)
            if number % 3 == 2:  # render now and then: what was not drawn in between must not be missed
                assert np.array_equal(theirs, env.render())
    assert env.render().dtype == np.uint8


def test_package_slips_are_not_copied(undrawn):
    """The package edits its example, truncates one call late, and cannot be reset."""
    peer_example = get_plancraft_examples("val")[0]
    before = json.dumps(peer_example.model_dump(), sort_keys=True)
    peer, env = PlancraftGymWrapper(peer_example, max_steps=2), PlancraftEnv("low", 0, max_steps=2)
    slots = dict(env.example.slots)
    source = next(slot for slot, (_, n) in slots.items() if n > 2)
    action = call("move", source, "A1", 1)
    theirs = [peer.step(as_text(action))[3] for _ in range(3)]
    ours = [env.step(action) for _ in range(2)]
    assert theirs == [False, False, True]
    assert [out[3] for out in ours] == [False, True]
    assert ours[1][0]["text"].startswith("Craft an item")
    assert ours[1][4]["reason"] == "max_steps"
    assert json.dumps(peer_example.model_dump(), sort_keys=True) != before
    assert env.example.slots == slots == examples("low")[0].slots
    assert not hasattr(peer, "reset")
    with pytest.raises(ValueError, match="finite"):  # and it cannot load the repeated split
        get_plancraft_examples("val.repeated")
    assert env.reset()[0]["inventory"] == PlancraftEnv("low", 0).reset()[0]["inventory"]


def test_gymnasium_checker_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)  # the package leaves a file open when imported
        check_env(PlancraftEnv("high", 3))


def test_observations_do_not_change_afterwards():
    env = PlancraftEnv("low", 0)
    first, _ = env.reset(seed=1)
    copy = json.loads(json.dumps(first))
    for action in expert_actions(env.example):
        env.step(action)
    assert first == copy


def test_nothing_happens_after_the_end():
    env = PlancraftEnv("low", 0)
    env.reset()
    for action in expert_actions(env.example):
        out = env.step(action)
    assert out[2] and not out[3]
    again = env.step(expert_actions(env.example)[0])
    assert again[0]["inventory"] == out[0]["inventory"]
    assert (again[1], again[2], again[4]) == (0.0, True, out[4])


@pytest.mark.parametrize("action", [None, {"name": "noop"}, {"name": "noop", "arguments": {}}])
def test_noop_costs_a_step_and_changes_nothing(action):
    env = PlancraftEnv("low", 0, max_steps=2)
    before, _ = env.reset()
    obs, reward, terminated, truncated, info = env.step(action)
    assert (obs, reward, terminated, truncated, info["steps"]) == (before, 0.0, False, False, 1)
    assert env.step(action)[3]


@pytest.mark.parametrize(
    ("action", "word"),
    [
        ("{", "JSON"),
        ("[1]", "tool call"),
        ("[" * 100_000, "JSON"),
        (call("move", "I1", "A1", "9" * 5000), "whole number"),
        ({"name": "move", "arguments": "I1"}, "object"),
        ({"name": "move"}, "slot_from"),
        ({"name": None}, "None"),
        (call("move", None, "A1", 1), "'None'"),
        (call("move", "I1", "A1", True), "True"),
        (call("move", "I1", "A1", 1.5), "1.5"),
        (call("move", "I1", "A1", None), "None"),
        (call("move", "I1", "A1", [1]), "[1]"),
        (call("smelt", "A1", "0", 1), "slot 0"),
    ],
)
def test_malformed_action_is_answered_by_one_sentence(action, word):
    env = PlancraftEnv("low", 0)
    before, _ = env.reset()
    obs, reward, terminated, truncated, info = env.step(action)
    assert obs["inventory"] == before["inventory"]
    assert (reward, terminated, truncated, info) == (0.0, False, False, {"success": False, "steps": 1})
    assert word in obs["text"] and re.fullmatch(r"\w[^\n]+\.", obs["text"])


def test_brackets_and_digit_strings_are_understood():
    plain, loose = PlancraftEnv("low", 0), PlancraftEnv("low", 0)
    slot = next(iter(plain.example.slots))
    assert plain.step(call("move", slot, "A1", 1)) == loose.step(call("move", f"[{slot}]", "[A1]", "1"))
    assert "A1" in plain.game.slots


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(("lowest", 0), "split"), (("low", 570), "570"), (("low", -1), "-1"), (("low", 0, 0), "max_steps")],
)
def test_bad_arguments_are_named(arguments, word):
    with pytest.raises(MnemocraftError, match=word):
        PlancraftEnv(*arguments)


def test_spec_rebuilds_the_environment():
    env = PlancraftEnv("high", 7, max_steps=5)
    twin = gymnasium.make(env.spec, disable_env_checker=True).unwrapped
    assert (twin.example, twin.max_steps) == (env.example, 5)
