"""MineDojoEnv against the real package, with our overworld in the place of the game.

Two overworlds of one seed run side by side: one is driven directly, the other through the whole Python stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import Scripted, play
from minedojo_world import Game, served
from mnemocraft.agents.deps.methods import agent
from mnemocraft.envs.minedojo import MineDojoEnv, launch
from mnemocraft.envs.minedojo.connection import Connection
from mnemocraft.envs.overworld import OverworldEnv
from mnemocraft.envs.overworld.items import CRAFTS
from mnemocraft.envs.overworld.spaces import NO_OP, SIZES
from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.worlds.minecraft import demand
from mnemocraft.worlds.minecraft_tasks import minecraft_task
from mnemocraft.worlds.overworld import ControllerWorld

TESTS = Path(__file__).parent
WORKER = Path(launch.__file__).parent
TIMEOUT = 900.0
"""Importing MineDojo takes seven seconds of one core, and this machine may have other work."""
CRAFT_INDEX = {item: index for index, (item, _) in enumerate(CRAFTS)}
FORWARD, SPRINT, PITCH, YAW, FUNCTION, CRAFT, SLOT = 0, 2, 3, 4, 5, 6, 7
USE, DROP, ATTACK, MAKE, EQUIP, PLACE, DESTROY = range(1, 8)
SIZE = (24, 32)
PICKAXE = (
    'craft({"planks": 12}, {"log": 3}, station=None)',
    'craft({"stick": 4}, {"planks": 2}, station=None)',
    'craft({"crafting_table": 1}, {"planks": 4}, station=None)',
    'craft({"wooden_pickaxe": 1}, {"planks": 3, "stick": 2}, station="crafting_table")',
)
TARGET = {"stone_pickaxe": 1, "iron_ingot": 2}
KIT = {
    "crafting_table": 1,
    "furnace": 1,
    "cobblestone": 70,
    "log": 6,
    "coal": 3,
    "iron_ore": 2,
    "iron_boots": 1,
    "bread": 4,
    "wool": 3,
    "sand": 5,
    "milk_bucket": 1,
    "pumpkin": 1,
    "reeds": 2,
}


@pytest.fixture(scope="module")
def python() -> Path:
    """The interpreter that has MineDojo."""
    try:
        return launch.environment()
    except MissingExtra as error:
        pytest.skip(str(error))


@contextmanager
def bridged(python: Path, game: Game) -> Iterator[list[str]]:
    """A worker's command with the game behind its bridge."""
    with served(game) as port:
        yield [str(python), "-I", str(TESTS / "minedojo_bridge.py"), str(WORKER), str(TESTS), str(port)]


@contextmanager
def minedojo(python: Path, game: Game, **settings: Any) -> Iterator[MineDojoEnv]:
    """MineDojoEnv over the real package with a game behind its bridge."""
    with bridged(python, game) as command, pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "command", lambda: command)
        env = MineDojoEnv(**{"image_size": SIZE, "timeout": TIMEOUT} | settings)
        yield env
        env.close()


@pytest.fixture(scope="module")
def game() -> Game:
    return Game()


@pytest.fixture(scope="module")
def harvest(python: Path, game: Game) -> Iterator[MineDojoEnv]:
    """The family "harvest" with things to do; making it takes long, so the tests share it."""
    settings: dict[str, Any] = {"specified_biome": "plains", "initial_inventory": KIT, "max_steps": 400}
    with minedojo(python, game, target=TARGET, **settings) as env:
        yield env


def overworld(seed: int) -> OverworldEnv:
    """The same world, driven directly."""
    return OverworldEnv(
        seed, TARGET, max_steps=400, image_size=SIZE, specified_biome="plains", initial_inventory=KIT
    )


def assert_same(theirs: Any, ours: Any, path: str = "observation") -> None:
    """Two observations agree in keys, types, shapes and every value."""
    if isinstance(ours, dict):
        assert set(theirs) == set(ours), path
        for key in ours:
            assert_same(theirs[key], ours[key], f"{path}/{key}")
    elif isinstance(ours, str):
        assert theirs == ours, path
    else:
        assert theirs.shape == ours.shape, path
        assert theirs.dtype == ours.dtype or theirs.dtype.kind == ours.dtype.kind == "U", path
        np.testing.assert_array_equal(theirs, ours, path)


def step_both(env: MineDojoEnv, twin: OverworldEnv, action: list[int]) -> tuple[dict, dict, bool]:
    """One step in both; all they return must agree. Observation, MineDojo's info, and whether it is over."""
    observation, reward, terminated, truncated, info = env.step(action)
    expected = twin.step(action)
    assert_same(observation, expected[0])
    assert (reward, terminated, truncated) == expected[1:4]
    assert told(info, action) == told(expected[4], action), action
    assert env.observation_space.contains(observation)
    return observation, info, terminated or truncated


def told(info: dict, action: list[int]) -> dict:
    """What both can know: MineDojo cannot tell if a use did anything, nor why a block found no place."""
    known = {key: value for key, value in info.items() if key != "task_reward"}
    if action[FUNCTION] == USE:
        known = {key: known[key] for key in ("success", "steps")}
    elif action[FUNCTION] == PLACE and "failure" in known:
        known["failure"] = known["failure"].split(":")[0]
    return known


def do(**parts: int) -> list[int]:
    """An action in which only some of the eight numbers are not idle; turns in degrees."""
    action = list(NO_OP)
    for name, value in parts.items():
        action[globals()[name.upper()]] += value // 15 if name in ("pitch", "yaw") else value
    return action


def first_of_name(observation: dict, slot: int) -> int:
    """MineDojo names items, not slots, to the game, which takes the first stack of the name."""
    names = observation["inventory"]["name"]
    return int(np.flatnonzero(names == names[slot])[0])


def wild(chance: np.random.Generator, observation: dict) -> list[int]:
    """A random action that often does something."""
    action = [int(chance.integers(size)) for size in SIZES]
    action[PITCH], action[YAW] = (int(chance.integers(10, 15)) for _ in range(2))
    masks = observation["masks"]
    possible = np.flatnonzero(masks["craft_smelt"])
    if len(possible) and chance.random() < 0.8:
        action[CRAFT] = int(chance.choice(possible))
    held = np.flatnonzero(observation["inventory"]["quantity"])
    if len(held) and chance.random() < 0.8:
        action[SLOT] = int(chance.choice(held))
    if action[FUNCTION] in (EQUIP, PLACE):
        action[SLOT] = first_of_name(observation, action[SLOT])
    return action


@pytest.mark.parametrize("seed", [3, 4])
def test_random_episodes_agree_in_everything(harvest: MineDojoEnv, seed: int) -> None:
    twin, chance = overworld(seed), np.random.default_rng(seed)
    observation, info = harvest.reset(seed=seed)
    assert_same(observation, twin.reset()[0])
    start, gained = units(observation, TARGET), info["task_reward"]
    for _ in range(120):
        observation, info, over = step_both(harvest, twin, wild(chance, observation))
        gained += info["task_reward"]
        if over:
            break
    assert gained == units(observation, TARGET) - start


def units(observation: dict, items: dict[str, int]) -> float:
    """Units of some items in the inventory."""
    inventory = observation["inventory"]
    names = [item.replace("_", " ") for item in items]
    return float(inventory["quantity"][np.isin(inventory["name"], names)].sum())


def test_a_scripted_episode_succeeds_in_the_same_step(harvest: MineDojoEnv) -> None:
    twin = overworld(8)
    observation, _ = harvest.reset(seed=8)
    twin.reset()
    slots = {
        name: place for place, name in reversed(list(enumerate(observation["inventory"]["name"].tolist())))
    }
    ways = [
        do(pitch=60),
        do(function=PLACE, slot=slots["crafting table"]),
        do(function=MAKE, craft=CRAFT_INDEX["planks"]),
        do(function=MAKE, craft=CRAFT_INDEX["stick"]),
        do(function=MAKE, craft=CRAFT_INDEX["stone_pickaxe"]),
        do(function=EQUIP, slot=slots["iron boots"]),
        do(yaw=90),
        do(function=PLACE, slot=slots["furnace"]),
        do(function=MAKE, craft=CRAFT_INDEX["iron_ingot"]),
        do(function=MAKE, craft=CRAFT_INDEX["iron_ingot"]),
    ]
    rewards = []
    for action in ways:
        _, info, over = step_both(harvest, twin, action)
        rewards.append(info["task_reward"])
    assert over and info["success"] and info["reason"] == "success"
    assert rewards == [0, 0, 0, 0, 1, 0, 0, 0, 1, 1], "the reward of a craft comes two ticks before the last"
    again = harvest.step(do())
    assert again[1:4] == (0.0, True, False) and again[4]["steps"] == len(ways)


def test_what_cannot_be_done_does_nothing_and_is_explained(harvest: MineDojoEnv) -> None:
    twin = overworld(5)
    observation, _ = harvest.reset(seed=5)
    twin.reset()
    names = observation["inventory"]["name"].tolist()
    for action in (
        do(function=EQUIP, slot=35),
        do(function=PLACE, slot=35),
        do(function=DESTROY, slot=35),
        do(function=PLACE, slot=names.index("coal")),
        do(function=MAKE, craft=CRAFT_INDEX["diamond_pickaxe"]),
        do(function=MAKE, craft=CRAFT_INDEX["furnace"]),
        do(function=MAKE, craft=CRAFT_INDEX["iron_ingot"]),
        do(function=DESTROY, slot=0),
        do(function=DROP),
    ):
        _, info, _ = step_both(harvest, twin, action)
        assert ("failure" in info) == (action[FUNCTION] != DESTROY or action[SLOT] == 35)


def test_arranging_the_world_reaches_it(harvest: MineDojoEnv, game: Game) -> None:
    twin = overworld(6)
    harvest.reset(seed=6)
    twin.reset()
    for env in (harvest, twin):
        env.set_inventory({"planks": 65, "iron_sword": 1})
        env.set_block("log", (0, 0, 2), 1)
        env.spawn_mobs("cow", (2, 0, 2))
        env.set_time(13_000)
    observation, _, _ = step_both(harvest, twin, do())
    assert observation["inventory"]["name"][:4].tolist() == ["planks", "planks", "iron sword", "air"]
    step_both(harvest, twin, do(function=EQUIP, slot=2))  # by the name that lies there now
    x, y, z = (float(place) for place in observation["position"])
    for env in (harvest, twin):
        env.teleport_agent(round(x) + 20.5, y + 30, round(z) + 0.5, 90, 45)
    for _ in range(60):
        _, info, over = step_both(harvest, twin, do())
        if over:
            break
    assert info["reason"] == "death", "a fall of thirty blocks"
    with pytest.raises(MnemocraftError, match="no block"):
        twin.set_block("no_such_block", (0, 0, 2))


def test_the_settings_reach_the_game(harvest: MineDojoEnv, game: Game) -> None:
    harvest.reset(seed=2**40)
    assert f'seed="{2**40}"' in game.missions[-1]
    harvest.reset()
    assert f'seed="{2**40}"' in game.missions[-1], "without a seed it stays"
    assert harvest.prompt == "Harvest 1 stone pickaxe, 2 iron ingot."


def test_a_game_that_is_lost_is_an_error_and_not_an_end(harvest: MineDojoEnv, game: Game) -> None:
    harvest.reset(seed=1)
    harvest.step(do())
    game.lose_at = 2
    with pytest.raises(
        MnemocraftError, match="does not answer MineDojo any more; reset\\(\\) starts it anew"
    ):
        harvest.step(do())
    with pytest.raises(MnemocraftError, match="call reset"):
        harvest.step(do())


def test_what_minedojo_refuses_is_one_sentence(python: Path) -> None:
    defaults = {"image_size": SIZE, "seed": 0, "world_seed": "0", "use_voxel": True, "fast_reset": False}
    with bridged(python, Game()) as command:
        connection = Connection(command, launch.variables(), TIMEOUT)
        for task, settings, problem in (
            ("no_such_task", {}, "Invalid task id"),
            ("harvest_1_log", {"use_voxel": False}, "the task itself sets use_voxel"),
            ("harvest", {"target_names": "log", "target_quantities": 1, "start_time": 0}, "start_time"),
        ):
            with pytest.raises(MnemocraftError, match=f"^MineDojo cannot make: .*{problem}"):
                connection.ask("make", task_id=task, settings=settings, defaults=defaults)
        body, _ = connection.ask("make", task_id="harvest_1_log", settings={}, defaults=defaults)
        assert "log" in body["prompt"]
        connection.ask("reset", seed=1)
        connection.close()


def test_the_open_ended_family_takes_the_simulators_settings(python: Path) -> None:
    quiet = {"allow_mob_spawn": False, "allow_time_passage": False, "start_time": 18_000}
    with minedojo(python, Game(), task_id="open-ended", max_steps=3, **quiet) as env:
        twin = OverworldEnv(9, None, max_steps=3, image_size=SIZE, **quiet)
        assert_same(env.reset(seed=9)[0], twin.reset()[0])
        for action in (do(forward=1, sprint=3), do(function=ATTACK), do(forward=1)):
            _, info, over = step_both(env, twin, action)
        assert over and info["reason"] == "max_steps" and not info["success"]


def test_deps_plays_in_minedojo_as_in_the_overworld(python: Path) -> None:
    """The same plans and the learned controller: the episodes agree, but for the animals around."""
    from mnemocraft.controllers import LearnedController

    axe_and_logs: dict[str, Any] = {
        "initial_inventory": {"diamond_axe": 1, "log": 3},
        "image_size": (128, 128),
    }
    wanted = demand(minecraft_task("wooden_pickaxe"), "1.11.2")
    played = []
    with minedojo(python, Game(), target="wooden_pickaxe", specified_biome="plains", **axe_and_logs) as env:
        twin = OverworldEnv(0, max_steps=12_000, specified_biome="plains", **axe_and_logs)
        for each in (env, twin):
            world = ControllerWorld("minedojo/wooden_pickaxe", each, LearnedController(), wanted)
            first, second = "\n".join(PICKAXE[::3]), "\n".join(PICKAXE[1:])
            model = Scripted([first, "Because there are no sticks.", second])
            played.append((play(agent("deps"), world, model), world, model))
    (theirs, world, model), (ours, *_) = played
    assert theirs.success and ours.success and world.inventory["wooden_pickaxe"] == 1
    assert "Biome: plains" in model.requests[0].messages[-1]["content"]
    told = [
        [(event["type"], event.get("failure"), event.get("reason")) for event in each.trajectory]
        for each in (theirs, ours)
    ]
    assert told[0] == told[1] and theirs.steps == ours.steps
