"""TextWorldEnv under the game's rules: what succeeds, what fails and in which words."""

import copy
import json
import pickle
import warnings
from collections import Counter

import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.envs import TextWorldEnv
from mnemocraft.envs.minecraft import VERSIONS
from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.minecraft import Demand
from mnemocraft.worlds.textworld import TextWorld


def call(verb, item="", **more):
    return {"name": verb, "arguments": {"item": item, **more}}


def world(inventory=None, **more):
    env = TextWorldEnv(inventory=inventory, **more)
    env.reset(seed=0)
    return env


def do(env, verb, item="", **more):
    obs, _, _, _, info = env.step(call(verb, item, **more))
    return obs["inventory"], info


@pytest.mark.parametrize("rules", ["game", "mc-textworld"])
def test_gymnasium_accepts_it(rules):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(TextWorldEnv(rules=rules, target="stick"), skip_render_check=True)


def test_an_episode_from_nothing_to_sticks():
    env = world(target={"stick": 4})
    for verb, item in (("mine", "oak_log"), ("craft", "oak_planks")):
        _, info = do(env, verb, item)
        assert info["action_success"] and not info["success"]
    obs, reward, terminated, truncated, info = env.step(json.dumps(call("craft", "stick")))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["success"] and info["steps"] == 3 and info["reason"] == "success"
    assert obs["inventory"] == {"oak_planks": 2, "stick": 4}
    assert "2 oak_planks" in obs["text"]
    after, info = do(env, "mine", "dirt")
    assert after == obs["inventory"] and not info["action_success"]
    assert env.reset()[0]["inventory"] == {}


def test_a_copy_goes_its_own_way():
    env = world({"oak_log": 1})
    twin, third = copy.deepcopy(env), pickle.loads(pickle.dumps(env))  # noqa: S301 (our own bytes)
    assert do(env, "craft", "oak_planks")[0] == {"oak_planks": 4}
    assert twin.inventory == third.inventory == {"oak_log": 1}
    assert twin.engine is env.engine is third.engine


def test_the_step_limit():
    env = world(target="diamond", max_steps=2)
    assert env.step(call("mine", "dirt"))[2:4] == (False, False)
    *_, terminated, truncated, info = env.step(call("no_op"))
    assert (terminated, truncated, info["reason"]) == (False, True, "max_steps")


@pytest.mark.parametrize(
    ("held", "action", "kind", "words"),
    [
        ({"stick": 1, "cobblestone": 1}, ("craft", "stone_pickaxe"), "missing_material_and_tool",
         ["1 more stick (have 1 of 2)", "2 more cobblestone or blackstone (have 1 of 3)", "crafting_table"]),
        ({"stick": 2, "cobblestone": 3}, ("craft", "stone_pickaxe"), "missing_tool", ["crafting_table"]),
        ({}, ("mine", "iron_ore"), "missing_tool", ["stone_pickaxe or iron_pickaxe"]),
        ({"furnace": 1}, ("smelt", "iron_ingot"), "missing_material", ["1 more iron_ore"]),
        ({"furnace": 1, "iron_ore": 1}, ("smelt", "iron_ingot"), "missing_fuel", ["fuel"]),
        ({}, ("craft", "oak_planks"), "missing_material", ["1 more oak_log", "others"]),
        ({"wooden_pickaxe": 1}, ("mine", "quartz"), "missing_tool", ["10 obsidian", "flint_and_steel"]),
        ({}, ("equip", "shield"), "missing_material", ["a shield"]),
        ({}, ("craft", "log"), "unknown_action", ["no item 'log'"]),
        ({}, ("craft", "stik"), "unknown_action", ["did you mean stick"]),
        ({}, ("mine", "iron_ingot"), "unknown_action", ["craft, smelt"]),
        ({}, ("fly", "stick"), "unknown_action", ["no action 'fly'", "craft"]),
        ({"minecart": 36}, ("mine", "dirt"), "inventory_full", ["slot"]),
    ],
)  # fmt: skip
def test_failures_say_what_is_missing(held, action, kind, words):
    env = world(held)
    after, info = do(env, *action)
    assert after == held and not info["action_success"] and info["category"] == kind
    assert all(word in info["failure"] for word in words), info["failure"]
    assert info["failure"].endswith((".", "?")) and "\n" not in info["failure"]


def test_why_a_smelt_fails_does_not_depend_on_who_asked_before():
    held = ({"iron_ore": 1}, {"iron_ore": 1, "coal": 3})
    told = [
        [do(world(each), "smelt", "iron_ingot")[1]["failure"] for each in order]
        for order in (held, held[::-1])
    ]
    assert told[0] == told[1][::-1] and "fuel" in told[0][0] and "fuel" not in told[0][1]


@pytest.mark.parametrize(
    "action",
    ["{", None, 3, [], {}, {"name": 3}, {"name": "craft"}, {"name": "craft", "arguments": "stick"},
     {"name": "craft", "arguments": {"item": ["stick"]}}, call("craft", "stick", using="oak_planks"),
     {"name": "craft", "arguments": {"item": "stick", "quantity": 3}}],
)  # fmt: skip
def test_malformed_actions_are_answered(action):
    env = world({"oak_planks": 2})
    obs, reward, terminated, truncated, info = env.step(action)
    assert (
        info["category"] == "unknown_action" and info["failure"] and obs["text"].startswith(info["failure"])
    )
    assert obs["inventory"] == {"oak_planks": 2} and (reward, terminated, truncated) == (0.0, False, False)


def test_members_of_a_family_mix_in_the_game_and_not_in_the_peer():
    held = {"oak_planks": 4, "birch_planks": 4, "crafting_table": 1}
    after, info = do(world(held), "craft", "chest")
    assert info["action_success"] and after == {"crafting_table": 1, "chest": 1}
    assert not do(world(held, rules="mc-textworld"), "craft", "chest")[1]["action_success"]


def test_a_coal_smelts_eight():
    env = world({"furnace": 1, "iron_ore": 9, "coal": 1})
    for n in range(8):
        held, info = do(env, "smelt", "iron_ingot")
        assert info["action_success"] and held.get("coal", 0) == 0 and held["iron_ingot"] == n + 1
    assert do(env, "smelt", "iron_ingot")[1]["category"] == "missing_fuel"


def test_the_world_knows_that_the_furnace_is_still_hot():
    env = world({"furnace": 1, "iron_ore": 9, "coal": 1})
    game = TextWorld("iron", env, Demand({"iron_ingot": 9}, {}))
    assert game.act("smelt 3 iron_ingot").success and game.inventory.get("coal", 0) == 0
    assert game.act("smelt 5 iron_ingot").success
    assert "fuel" in game.act("smelt 1 iron_ingot").failure


def test_fuel_may_be_chosen_and_material_is_not_burnt():
    held, _ = do(world({"furnace": 1, "sand": 1, "coal": 1, "stick": 2}), "smelt", "glass", using=["stick"])
    assert held == {"furnace": 1, "coal": 1, "glass": 1}
    env = world({"furnace": 1, "oak_log": 1})
    held, info = do(env, "smelt", "charcoal")
    assert info["category"] == "missing_fuel" and held == {"furnace": 1, "oak_log": 1}
    held, _ = do(world({"furnace": 1, "oak_log": 2}), "smelt", "charcoal")
    assert held == {"furnace": 1, "charcoal": 1}


def test_a_bucket_of_lava_comes_back_empty_and_a_cake_returns_three():
    held, _ = do(world({"furnace": 1, "sand": 1, "lava_bucket": 1}), "smelt", "glass")
    assert held == {"furnace": 1, "glass": 1, "bucket": 1}
    cake = {"milk_bucket": 3, "sugar": 2, "egg": 1, "wheat": 3, "crafting_table": 1}
    assert do(world(cake), "craft", "cake")[0] == {"crafting_table": 1, "cake": 1, "bucket": 3}


def test_durability_is_optional():
    env = world({"wooden_pickaxe": 1}, durability=True, max_steps=100)
    outcomes = [do(env, "mine", "cobblestone")[1]["action_success"] for _ in range(61)]
    assert outcomes == [True] * 59 + [False] * 2
    env = world({"wooden_pickaxe": 1}, max_steps=100)
    assert all(do(env, "mine", "cobblestone")[1]["action_success"] for _ in range(61))


def test_equipping():
    env = world({"shield": 1, "oak_log": 1})
    obs, *_ = env.step(call("equip", "shield"))
    assert obs["equipped"] == "shield"
    assert env.reset()[0]["equipped"] == ""


def test_a_tag_as_target():
    env = world(target="#wooden_doors", inventory={"spruce_planks": 6, "crafting_table": 1})
    assert env.step(call("craft", "spruce_door"))[2]


def test_a_block_may_be_named_for_what_it_leaves():
    held, _ = do(world({"wooden_pickaxe": 1}), "mine", "coal_ore")
    assert held == {"wooden_pickaxe": 1, "coal": 1}
    held, _ = do(world(), "kill", "cow")
    assert held == {"leather": 1, "beef": 1}


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"version": "1.8"}, "it is one of"),
        ({"rules": "real"}, "it is one of"),
        ({"version": "1.11.2", "rules": "mc-textworld"}, "1.16.5"),
        ({"target": "dimond"}, "did you mean diamond"),
        ({"target": "#metals"}, "no tag"),
        ({"target": {"stick": 0}}, "from 1, not 0"),
        ({"target": ["stick"]}, "target gives items their numbers"),
        ({"inventory": ["stick"]}, "inventory gives items their numbers"),
        ({"inventory": {"stick": -1}}, "from 0, not -1"),
        ({"inventory": {"stick": 1.5}}, "whole number"),
        ({"inventory": {"stik": 1}}, "did you mean stick"),
        ({"max_steps": 0}, "from 1, not 0"),
        ({"rules": "mc-textworld", "durability": True}, "durability"),
    ],
)
def test_bad_settings_are_told_in_one_sentence(settings_, words):
    with pytest.raises(MnemocraftError, match=words):
        TextWorldEnv(**settings_)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(VERSIONS), st.lists(st.integers(0, 10**6), min_size=5, max_size=40))
def test_units_are_accounted_for(version, picks):
    """What an action changes is what its operator says; an illegal action changes nothing."""
    env = TextWorldEnv(version, max_steps=10**6)
    env.reset()
    names = list(env.engine.operators)
    for i, pick in enumerate(picks):
        legal = env.valid_actions()
        verb, item = legal[pick % len(legal)] if i % 3 else names[pick % len(names)]
        before, heat = dict(env.inventory), env.heat
        way = env.engine.choose((verb, item), before, heat)
        after, info = do(env, verb, item)
        assert info["action_success"] == (way is not None) == ((verb, item) in legal)
        change = Counter(after)
        change.subtract(before)
        if way is None:
            assert not any(change.values()) and env.heat == heat
        elif not way.heat:
            assert sum(change.values()) == sum(n for _, n in way.gives) - sum(n for _, n in way.takes)
        assert all(units > 0 for units in after.values())
        assert env.engine.slots(after) <= 36


@pytest.mark.parametrize("version", VERSIONS)
def test_listing_is_what_a_trial_of_every_action_says(version):
    game = engine(version, "game")
    log = "log" if version == "1.11.2" else "oak_log"
    crowded = {item: 64 for item in sorted(game.items) if game.rules.items[item].stack == 64}
    for held in ({}, {log: 5, "crafting_table": 1, "cobblestone": 20}, dict(list(crowded.items())[:36])):
        tried = [name for name in game.operators if game.choose(name, held)]
        assert sorted(game.legal(held)) == sorted(tried)
