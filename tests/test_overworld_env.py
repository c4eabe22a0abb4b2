"""OverworldEnv keeps the schema of MineDojo 0.1 and the promises of a Gymnasium environment."""

from __future__ import annotations

import copy
import hashlib
import os
import re
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from mnemocraft.envs import OverworldEnv
from mnemocraft.errors import MnemocraftError
from overworld_helpers import act, action, arena, held, world

MINEDOJO = {
    "inventory": {"name", "quantity", "variant", "cur_durability", "max_durability"},
    "equipment": {"name", "quantity", "variant", "cur_durability", "max_durability"},
    "life_stats": {"life", "armor", "food", "saturation", "oxygen", "xp", "is_sleeping"},
    "location_stats": {
        "pos",
        "yaw",
        "pitch",
        "rainfall",
        "temperature",
        "light_level",
        "sky_light_level",
        "sun_brightness",
        "sea_level",
        "biome_id",
        "is_raining",
        "can_see_sky",
    },
    "nearby_tools": {"table", "furnace"},
    "voxels": {
        "block_name",
        "block_meta",
        "is_collidable",
        "is_tool_not_required",
        "blocks_movement",
        "is_liquid",
        "is_solid",
        "can_burn",
        "blocks_light",
        "cos_look_vec_angle",
    },
    "masks": {"action_type", "action_arg", "equip", "place", "destroy", "craft_smelt"},
    "delta_inv": {
        f"{kind}_{what}_by_{way}"
        for kind in ("inc", "dec")
        for what in ("name", "quantity")
        for way in ("craft", "other")
    },
}
"""The keys of MineDojo 0.1's observations, from its documentation."""


def walk(seed: int, steps: int, world_seed: int = 3) -> list[np.ndarray]:
    """Random actions, mostly walking and digging."""
    draw = np.random.default_rng(seed)
    actions = draw.integers(0, [3, 3, 4, 25, 25, 8, 244, 36], size=(steps, 8))
    actions[:, 0] = draw.choice([0, 1, 1, 1], steps)
    actions[:, 3:5] = draw.choice([11, 12, 12, 12, 13], (steps, 2))
    actions[:, 5] = draw.choice([0, 3, 3, 3, 3, 1, 2, 4, 5, 6, 7], steps)
    return list(actions)


def episode_digest(steps: int = 300) -> str:
    """A digest of all that was seen in an episode with mobs and images."""
    env = OverworldEnv(seed=11, image_size=(24, 32), start_time=13_000)
    digest = hashlib.sha256()
    for chosen in walk(5, steps):
        observation, *_ = env.step(chosen)
        digest.update(observation["text"].encode() + observation["image"].tobytes())
        digest.update(observation["voxels"]["cos_look_vec_angle"].tobytes())
    return digest.hexdigest()


def test_schema_is_minedojos():
    env = OverworldEnv(seed=0)
    observation, _ = env.reset()
    for group, keys in MINEDOJO.items():
        assert set(observation[group]) == keys, group
    assert len(observation["damage_source"]) == 10
    assert observation["rgb"].shape == (3, 64, 64) and observation["rgb"].dtype == np.uint8
    assert (observation["rgb"] == observation["image"].transpose(2, 0, 1)).all()
    assert env.action_space.nvec.tolist() == [3, 3, 4, 25, 25, 8, 244, 36]
    assert env.action_space.no_op().tolist() == [0, 0, 0, 12, 12, 0, 0, 0]


def test_contract_keys():
    observation, info = OverworldEnv(seed=1, image_size=(48, 80)).reset(seed=2)
    assert observation["image"].shape == (48, 80, 3)
    assert observation["voxels"].shape == np.asarray(observation["voxels"]).shape == (3, 3, 3)
    assert observation["voxels"][1, 0, 1] == observation["voxels"]["block_name"][1, 0, 1]
    assert observation["biome"] in observation["text"]
    assert observation["position"].tolist() == observation["location_stats"]["pos"].tolist()
    assert observation["life"] == 20
    assert info == {"success": False, "steps": 0, "action_success": True}
    assert "image" not in world().reset()[0]


def test_same_seed_same_episode_in_another_process():
    here = episode_digest()
    code = "import test_overworld_env as t; print(t.episode_digest())"
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    there = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=600
    )
    assert there.stdout.strip() == here == episode_digest()


def test_images_do_not_change_the_episode():
    blind, seeing = (OverworldEnv(seed=4, image_size=size, start_time=13_500) for size in (None, (16, 16)))
    for chosen in walk(6, 200):
        a, b = blind.step(chosen)[0], seeing.step(chosen)[0]
        assert a["text"] == b["text"]
    assert blind.world.tobytes() == seeing.world.tobytes()


def test_reset_leaves_nothing_behind():
    env, fresh = OverworldEnv(seed=8, image_size=None), OverworldEnv(seed=9, image_size=None)
    for chosen in walk(1, 150):
        env.step(chosen)
    env.reset(seed=9)
    for chosen in walk(2, 150):
        assert env.step(chosen)[0]["text"] == fresh.step(chosen)[0]["text"]


def test_no_fused_arithmetic():
    """A fused multiply-add rounds once instead of twice: processors that have it would see other images."""
    from numba import njit

    from mnemocraft.envs.overworld import camera, sensing

    for compiled in (camera.render, sensing.sense):  # kept machine code cannot be inspected: the settings can
        options = dict(compiled.targetoptions)
        assert not options.get("fastmath")
        sample = njit(**{key: value for key, value in options.items() if key != "nopython"})(
            lambda a, b, c: a * b + c
        )
        assert sample(2.0, 3.0, 4.0) == 10.0
        (assembly,) = sample.inspect_asm().values()
        assert "mul" in assembly and not re.search("v?fn?m(add|sub|la|ls)", assembly.lower())


def test_importing_the_environments_does_not_load_the_compiler():
    code = "import sys, mnemocraft.envs as e; e.OverworldEnv; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_numba_a_sentence_says_what_to_install():
    code = "import sys; sys.modules['numba'] = None; from mnemocraft.envs import OverworldEnv; OverworldEnv()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith("OverworldEnv needs Numba; install it with `pip install 'mnemocraft[minecraft]'`.")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"image_size": (0, 64)}, "image height"),
        ({"image_size": 64}, "image_size must be"),
        ({"target": "oak_log"}, "no item 'oak_log'"),
        ({"target": {"log": 0}}, "whole number from 1"),
        ({"specified_biome": "hell"}, "specified_biome must be one of plains"),
        ({"start_time": 24_000}, "start_time"),
        ({"initial_inventory": {"dirt": 64 * 37}}, "37 slots"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(settings, words):
    with pytest.raises(MnemocraftError, match=words):
        OverworldEnv(**settings)


def test_bad_actions_are_refused_and_change_nothing():
    env = world()
    before = env.world.tobytes()
    for bad in ([0] * 7, [3, *[0] * 7], [-1, *[0] * 7], [0.5, *[0] * 7], None, "forward", [0] * 6 + [244, 0]):
        with pytest.raises(MnemocraftError, match="eight whole numbers"):
            env.step(bad)
    with pytest.raises(MnemocraftError, match="seed must be a whole number from 0"):
        env.reset(seed=-1)
    assert env.world.tobytes() == before and env.steps == 0


def test_the_specification_makes_the_same_world_again():
    env = OverworldEnv(6, "log", image_size=None, specified_biome="taiga", initial_inventory={"stick": 2})
    again = gymnasium.make(env.spec, disable_env_checker=True)
    assert again.reset()[0]["text"] == env.reset()[0]["text"]
    assert again.unwrapped.target == {"log": 1}


def test_a_copy_goes_its_own_way():
    env = arena({"log": 1})
    twin = copy.deepcopy(env)
    act(env, function="craft", craft="planks")
    env.set_time(18_000)
    assert held(env) == {"planks": 4} and held(twin) == {"log": 1}
    assert act(twin)[0]["location_stats"]["sun_brightness"] == 1
    act(twin, function="craft", craft="planks")
    twin.set_time(18_000)
    assert act(twin)[0]["text"] == act(env)[0]["text"]


def test_success_counts_what_was_gained():
    env = arena({"log": 2, "stick": 3}, target={"stick": 4})
    assert not act(env)[1]["success"]
    act(env, function="craft", craft="planks")
    observation, reward, terminated, truncated, info = env.step(action("craft", craft="stick"))
    assert (reward, terminated, truncated, info["success"], info["reason"]) == (
        1,
        True,
        False,
        True,
        "success",
    )
    assert observation["delta_inv"]["inc_name_by_craft"].tolist() == ["stick"]
    assert observation["delta_inv"]["inc_quantity_by_craft"].tolist() == [4]
    assert observation["delta_inv"]["dec_name_by_craft"].tolist() == ["planks", "air", "air", "air"]
    again = env.step(action("craft", craft="planks"))
    assert again[0] is observation and again[4]["steps"] == 3 and "over" in again[4]["failure"]


def test_max_steps_truncates():
    env = world(max_steps=2)
    assert env.step(action())[3] is False
    _, _, terminated, truncated, info = env.step(action())
    assert not terminated and truncated and info["reason"] == "max_steps"


def test_a_fall_kills():
    env = world()
    x, _, z = env.reset()[0]["position"].tolist()
    env.teleport_agent(x, 120, z)
    done = False
    while not done:
        observation, reward, done, _, info = env.step(action())
    assert info["reason"] == "death" and observation["life"] == 0 and reward == 0


def test_masks_follow_the_inventory():
    env = arena({"iron_helmet": 1, "log": 1, "stick": 5})
    masks = act(env)[0]["masks"]
    assert masks["equip"][:4].tolist() == [True, True, True, False]  # the helmet can be put on from the hand
    assert masks["place"][:3].tolist() == [False, True, False]
    other = arena({"tallgrass": 1, "reeds": 1, "pumpkin": 1})  # sugar cane is no block to MineDojo
    assert act(other)[0]["masks"]["place"][:3].tolist() == [True, False, True]
    assert masks["action_type"].tolist() == [True] * 8
    act(env, function="drop")
    masks = act(env, function="destroy", slot=1)[0]["masks"]
    assert masks["action_type"].tolist() == [True, True, False, True, False, True, False, True]


def test_a_block_that_cannot_be_put_is_a_sentence_and_so_are_too_many():
    env = arena()
    with pytest.raises(MnemocraftError, match=r"Blocks lie from y 1 to 127, and \(0, 100, 0\)"):
        env.set_block("stone", (0, 100, 0))
    changes = env.world["edits"][0]
    env.world["status"]["edits"] = len(changes)  # most of the same place: its last is kept
    env.set_block("stone", (3, 0, 3))
    assert env.world["status"]["edits"] < 1000
    changes[:, 0] = range(len(changes))
    env.world["status"]["edits"] = len(changes)
    with pytest.raises(MnemocraftError, match=r"remembers .* changed blocks"):
        env.set_block("stone", (3, 0, 3))
