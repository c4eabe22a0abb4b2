"""The pictures carry what an encoder needs: biome, trees, animals, depth, light."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")

from mnemocraft.envs import OverworldEnv
from overworld_helpers import act, arena, world


def picture(env: OverworldEnv, **words) -> np.ndarray:
    act(env, **words)
    return env.frame(64, 64).astype(int)


def mean_colour(image: np.ndarray) -> np.ndarray:
    return image.reshape(-1, 3).mean(axis=0)


def test_up_is_sky_and_down_is_ground():
    env = world()
    up, down = picture(env, pitch=-90), None
    down = picture(env, pitch=180)
    assert (up[..., 2] > up[..., 0]).all()  # blue
    green = mean_colour(down)
    assert green[1] > green[2] + 20


def test_night_is_dark():
    env = world()
    day = mean_colour(picture(env))
    env.set_time(18_000)
    assert mean_colour(picture(env)).sum() < 0.4 * day.sum()


def test_a_forest_is_greener_than_a_desert():
    views = {}
    for biome in ("forest", "desert", "ice_plains"):
        colours = []
        for seed in range(3):
            env = world(seed=seed, specified_biome=biome)
            colours.append(mean_colour(picture(env, pitch=30)))
        views[biome] = np.mean(colours, axis=0)
    assert views["forest"][1] > views["forest"][0] + 10
    assert views["desert"][0] > views["desert"][2] + 30 and views["desert"][0] > views["desert"][1]
    assert views["ice_plains"].min() > views["forest"].max()


@pytest.mark.parametrize("mob", ["sheep", "cow", "pig", "chicken", "zombie", "creeper", "spider"])
def test_a_mob_is_seen_where_it_stands(mob):
    env = arena()
    empty = picture(env, pitch=15)
    assert env.spawn_mobs(mob, (0, 0, 3))
    changed = np.abs(env.frame(64, 64).astype(int) - empty).sum(axis=2) > 30
    rows, columns = np.nonzero(changed)
    assert len(rows) > 25
    assert abs(columns.mean() - 31.5) < 8  # ahead
    act(env, yaw=180)
    act(env)
    body = env.world["bodies"][0, 1]
    player = env.world["bodies"][0, 0]
    body["x"], body["z"] = player["x"], player["z"] + 3 * 65536
    behind = env.frame(64, 64)
    env.world["status"]["bodies"] = 0
    assert (env.frame(64, 64) == behind).all()


def test_things_behind_a_wall_are_hidden():
    env = arena()
    for x in range(-5, 6):
        for y in range(5):
            env.set_block("stone", (x, y, 2), 0)
    wall = picture(env)
    env.spawn_mobs("cow", (0, 0, 4))
    assert (env.frame(64, 64) == wall).all()


def test_a_block_fills_the_angle_it_should():
    """The face of a block two blocks ahead, 1.5 away, under a field of view of 70 degrees."""
    env = arena()
    empty = picture(env)
    env.set_block("gold_block", (0, 1, 2))
    changed = np.abs(env.frame(64, 64).astype(int) - empty).sum(axis=2) > 20
    rows, columns = np.nonzero(changed)
    half = 64 / 2 / np.tan(np.radians(35))
    assert columns.max() - columns.min() + 1 == pytest.approx(half / 1.5, abs=2)
    assert rows.min() == pytest.approx(32 - half * (2 - 1.62) / 1.5, abs=2)


def test_left_is_left():
    env = arena()
    empty = picture(env)
    env.set_block("gold_block", (1, 1, 2))  # east; the player looks south
    changed = np.abs(env.frame(64, 64).astype(int) - empty).sum(axis=2) > 20
    assert np.nonzero(changed)[1].mean() < 28


def test_torches_light_up_the_dark():
    env = arena()
    for x in range(-2, 3):
        for z in range(-2, 3):
            env.set_block("stone", (x, 3, z))
            for y in range(3):
                if max(abs(x), abs(z)) == 2:
                    env.set_block("stone", (x, y, z))
    dark = mean_colour(picture(env)).sum()
    env.set_block("torch", (1, 0, 0))
    assert mean_colour(picture(env)).sum() > 1.8 * dark


def test_open_water_fades_into_the_distance_without_a_rim():
    """From the horizon down the sea only gets less hazy: the red of the haze never comes back."""
    env = world(seed=9, specified_biome=None)
    env.teleport_agent(-80.5, 64, 0.5)
    sea = env.frame(64, 64).astype(int)
    assert env.step(env.action_space.no_op())[0]["biome"] == "ocean"
    below = sea[33:, :, 0]
    assert (np.diff(below, axis=0) < 16).all()
    assert below[0].mean() > below[-1].mean() + 40


def test_any_size():
    env = world()
    act(env)
    assert env.frame(30, 90).shape == (30, 90, 3)
    small, large = env.frame(32, 32).astype(int), env.frame(128, 128).astype(int)
    shrunk = large.reshape(32, 4, 32, 4, 3).mean(axis=(1, 3))
    assert np.abs(small - shrunk).mean() < 16
