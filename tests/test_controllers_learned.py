"""The learned controller: what it sees, how it is trained, what it refuses."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("numba", reason="OverworldEnv needs numba (extra `minecraft`)")
pytest.importorskip("torch", reason="the learned controller needs PyTorch (extra `graph`)")

import torch

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import GOALS, features, token
from mnemocraft.controllers.learned import LearnedController, draw
from mnemocraft.controllers.looks import LOOKS, look_around
from mnemocraft.controllers.network import (
    HORIZONS,
    WEIGHTS,
    Network,
    expected_steps,
    load_network,
)
from mnemocraft.controllers.pursuit import pursue
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.skills import PRACTISED, SKILLS, begin
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.errors import MnemocraftError
from mnemocraft.weights import write
from overworld_helpers import act, arena
from training.controller import demonstrations, evaluate, panorama, train, views
from training.controller.rows import UNKNOWN, held_out, horizon_class, horizons_of, mirrored_blocks

STEPS = 20
TURNED = 9
"""Place of the turns from the nearest axis in the numbers."""
KILL_SHEEP, KILL_COW = ("kill", "sheep"), ("kill", "cow")


def rows(number: int) -> np.ndarray:
    """Random rows of demonstrations."""
    rng = np.random.default_rng(0)
    made = np.zeros(number, demonstrations.FIELDS)
    made["image"] = rng.integers(0, 256, made["image"].shape)
    made["blocks"] = rng.integers(0, 9, made["blocks"].shape)
    made["goal"] = rng.integers(len(GOALS), size=number)
    made["action"], made["left"] = made["goal"], 1 + 7 * np.arange(len(GOALS))
    made["episode"] = np.arange(number)
    return made


def around(places: int) -> np.ndarray:
    """Looks around so many places."""
    made = np.zeros((places, LOOKS), views.LOOKS_AROUND)
    made["episode"] = np.arange(places)[:, None]
    return made


def test_the_blocks_around_turn_with_the_view() -> None:
    env = arena(image_size=(64, 64))
    for block, offset in (("log", (0, 0, 1)), ("gravel", (-1, 1, 0)), ("sand", (1, 0, 1))):
        env.set_block(block, offset)  # ahead, to the right, ahead to the left, of who looks south
    south = features(act(env)[0], Recollection()).blocks
    for x, z in ((0, 1), (1, 1), (-1, 0)):
        env.set_block("air", (x, 0, z))
        env.set_block("air", (x, 1, z))
    for block, offset in (("log", (-1, 0, 0)), ("gravel", (0, 1, -1)), ("sand", (-1, 0, 1))):
        env.set_block(block, offset)
    west = features(act(env, yaw=90)[0], Recollection()).blocks
    assert (south == west).all()
    assert not (mirrored_blocks(south[None])[0] == south).all()
    assert (mirrored_blocks(mirrored_blocks(south[None]))[0] == south).all()


def test_every_skill_of_motion_has_a_token_and_others_are_refused() -> None:
    assert {GOALS[token(skill.goal)] for skill in PRACTISED} == set(GOALS)
    assert token(Goal("mine", "wool")) == token(Goal("kill", "sheep"))
    assert token(Goal("mine", "beef")) == token(Goal("mine", "leather")) == token(Goal("kill", "cow"))
    assert token(Goal("mine", "log")) == token(Goal("mine", "oak_log"))
    with pytest.raises(MnemocraftError, match="gold_ore"):
        token(Goal("mine", "gold_ore"))


def test_another_image_size_is_refused() -> None:
    with pytest.raises(MnemocraftError, match="64 x 64"):
        features(act(arena(image_size=(32, 32)))[0], Recollection())
    with pytest.raises(MnemocraftError, match="160 x 256"):
        features(act(arena(image_size=(160, 256)))[0], Recollection())


def test_larger_images_are_reduced_to_what_the_smaller_ones_show() -> None:
    large, small = (act(arena(image_size=(side, side)))[0] for side in (128, 64))
    reduced = features(large, Recollection()).image
    assert reduced.shape == small["rgb"].shape and reduced.dtype == np.uint8
    alike = np.corrcoef(reduced.ravel(), features(small, Recollection()).image.ravel())[0, 1]
    mirrored = np.corrcoef(reduced[..., ::-1].ravel(), small["rgb"].ravel())[0, 1]
    assert alike > 0.9 > mirrored
    assert np.array_equal(features(large, Recollection(), 128).image, large["rgb"])


def test_looking_around_with_small_images_of_one_size_is_refused() -> None:
    world = arena(image_size=(64, 64))
    of_one_size = SimpleNamespace(step=world.step)
    with pytest.raises(MnemocraftError, match=r"128 x 128.*64 x 64.*image_size"):
        look_around(of_one_size, act(world)[0])


def test_horizon_classes_are_ordered_and_come_back() -> None:
    steps = np.arange(1, 20_000)
    classes = horizon_class(steps)
    assert classes[0] == 0 and (np.diff(classes) >= 0).all() and classes.max() == len(HORIZONS) - 1
    sure = torch.full((len(HORIZONS), len(HORIZONS)), -30.0)
    sure.fill_diagonal_(30.0)
    assert np.allclose(expected_steps(sure), HORIZONS)


def test_draws_follow_the_temperature() -> None:
    logits = torch.tensor([[0.0, 1.0, 3.0]]).repeat(4000, 1)
    rng = np.random.default_rng(0)
    warm = np.bincount(draw(logits, 1.0, rng), minlength=3) / 4000
    assert np.allclose(warm, torch.softmax(logits[0], 0), atol=0.03)
    assert (draw(logits, 0.01, rng) == 2).all()


def test_cloning_learns_and_a_broken_off_training_ends_the_same(tmp_path: Path, monkeypatch: object) -> None:
    data = rows(200)
    monkeypatch.setattr(train, "BATCH", 32)  # type: ignore[attr-defined]
    monkeypatch.setattr(train, "CHECKPOINT", 10)  # type: ignore[attr-defined]
    monkeypatch.setattr(train, "MIRROR", range(a.ACTIONS))  # type: ignore[attr-defined]
    part = train.clone(data, 0, STEPS, tmp_path / "one.safetensors", STEPS // 2)
    whole = train.clone(data, 0, STEPS, tmp_path / "one.safetensors", STEPS)
    before, after = (train.measure(n, data[held_out(data)])["action_loss"] for n in (part, whole))
    assert after < min(before, 2.2), "the goal decides the action here; ln 14 = 2.6"

    class Stop(Exception):
        """As if the machine went off."""

    kept = train._keep

    def keep(path: Path, network: Network, optimiser: torch.optim.Optimizer, step: int) -> None:
        kept(path, network, optimiser, step)
        if step == 10:
            raise Stop

    monkeypatch.setattr(train, "_keep", keep)  # type: ignore[attr-defined]
    with pytest.raises(Stop):
        train.clone(data, 0, STEPS, tmp_path / "two.safetensors", STEPS)
    monkeypatch.setattr(train, "_keep", kept)  # type: ignore[attr-defined]
    again = train.clone(data, 0, STEPS, tmp_path / "two.safetensors", STEPS)
    pairs = zip(whole.state_dict().values(), again.state_dict().values(), strict=True)
    assert all(torch.allclose(one, other, atol=1e-5) for one, other in pairs)


def test_a_demonstration_is_of_its_goal_and_comes_again() -> None:
    skill = next(s for s in PRACTISED if s.goal.item == "dirt")
    noted = demonstrations.demonstrate(skill, 5)
    assert noted is not None and len(noted) and (noted["left"] == 0).all()
    assert (noted["goal"] == token(skill.goal)).all() and noted["image"].std() > 5
    again = demonstrations.demonstrate(skill, 5)
    assert again is not None and noted.tobytes() == again.tobytes()


def test_the_clone_leads_astray_and_the_teacher_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone that only ever turns is told what to do instead."""
    network = Network()
    with torch.no_grad():
        network.action.weight.zero_()
        network.action.bias.fill_(-30)
        network.action.bias[a.index(a.STAND, a.TURN_LEFT)] = 30
    network.save(tmp_path / "clone.safetensors", {})
    monkeypatch.setattr(demonstrations, "TRIAL", 0.1)
    monkeypatch.setattr(demonstrations, "LONGEST_TRIAL", 10)
    skill = next(s for s in PRACTISED if s.goal.item == "dirt")
    noted = demonstrations.demonstrate(skill, 5, tmp_path / "clone.safetensors")
    alone = demonstrations.demonstrate(skill, 5)
    assert noted is not None and alone is not None
    told, by_itself = (set(rows["numbers"][:, TURNED].round(2)) for rows in (noted, alone))
    assert len(told) > len(by_itself), "it looks where the teacher never does"
    assert (noted["action"] != a.index(a.STAND, a.TURN_LEFT)).mean() > 0.5


def test_the_spots_are_where_the_sources_of_the_goals_are_seen() -> None:
    env = arena(image_size=(64, 64))
    env.set_block("log", (0, 1, 3))
    assert env.spawn_mobs("sheep", (-2, 0, 3))  # ahead to the right of who looks south
    observation, _ = act(env)
    cells = demonstrations.see(env)[1]
    log, sheep, cow = (
        cells >> token(Goal(*goal)) & 1 for goal in (("mine", "oak_log"), KILL_SHEEP, KILL_COW)
    )
    assert log[7:9, 7:9].all() and not log[:, :4].any() and not log[:, 12:].any()
    assert sheep[8:, 9:].any() and not sheep[:, :8].any() and not cow.any()
    white = (observation["rgb"].min(0) > 150).reshape(16, 4, 16, 4).any((1, 3))
    assert white[sheep.astype(bool)].mean() > 0.5, "where wool is painted"
    act(env, yaw=180)
    assert not (demonstrations.see(env)[1] >> token(Goal(*KILL_SHEEP)) & 1).any()


def test_a_stack_is_spotted_only_by_the_goal_that_asks_for_it() -> None:
    env = arena(image_size=(64, 64), inventory={"cobblestone": 1})
    act(env, function="drop")
    act(env, 10, pitch=15)  # it lies ahead on the floor
    cells = demonstrations.see(env)[1]
    assert (cells >> token(Goal("mine", "cobblestone")) & 1).any()
    assert not (cells >> token(Goal("mine", "diamond")) & 1).any()


def test_views_show_animals_and_ores_and_nobody_acts() -> None:
    worlds = [views.look_at(seed) for seed in (5, 6, 7)]
    parts = [np.split(rows, np.cumsum([views.STARTS, views.MEADOWS]) * views.VIEWS) for rows in worlds]
    starts, meadows, tunnels = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert all((part["action"] == views.LOOKED).all() for part in (starts, meadows, tunnels))
    near, far, wood = (GOALS.index(goal) for goal in ("cobblestone", "diamond", "oak_log"))
    assert (starts["left"][:, near] < starts["left"][:, far]).all() and starts["left"].min() > 0
    assert (tunnels["left"][:, near] < tunnels["left"][:, wood]).all()
    assert (meadows["left"] == 0).all(), "they have more animals than nature"
    for animal in ("sheep", "cow", "pig", "llama"):
        seen, below = (part["spots"] >> GOALS.index(animal) & 1 for part in (meadows, tunnels))
        assert seen.any() and not below.any()
    ores = [tunnels["spots"] >> GOALS.index(ore) & 1 for ore in ("coal", "iron_ore", "diamond")]
    assert np.bitwise_or.reduce(ores).any((1, 2)).mean() > 0.4
    assert worlds[0].tobytes() == views.look_at(5).tobytes()


def test_unknown_horizons_and_who_only_looked_teach_nothing_false() -> None:
    data = rows(64)
    data["left"][:32] = 0
    assert (horizons_of(data)[:32] == UNKNOWN).all()
    assert (horizons_of(data)[32:] >= 0).all()
    ignored = torch.nn.CrossEntropyLoss().ignore_index
    assert UNKNOWN == views.LOOKED == ignored


def test_looks_around_have_one_label_a_place_and_ores_are_asked_for_in_every_eighth_world() -> None:
    some, eighth = views.look_around_in(9), views.look_around_in(8)
    assert some.shape == eighth.shape == (views.PLACES, LOOKS)
    deep = [GOALS.index(goal) for goal in ("coal", "iron_ore", "diamond")]
    above = [GOALS.index(goal) for goal in ("cobblestone", "dirt", "sheep")]
    assert (some["left"][..., deep] == 0).all() and (eighth["left"][..., deep] > 0).all()
    for found in (some, eighth):
        assert (found["left"][..., above] > 0).all() and (found["left"] == found["left"][:, :1]).all()
        assert len({image.tobytes() for image in found[0]["image"]}) == LOOKS


def test_the_panorama_head_learns_alone_and_forgets_the_order_of_the_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(panorama, "BATCH", 32)  # 128 take 20 seconds more;
    monkeypatch.setattr(panorama, "RATE", 6e-3)  # this is easy, and learnt at three times the rate too
    torch.manual_seed(0)
    network, data = Network().eval(), around(100)
    bright = np.arange(100) % 2 == 0  # goals are near where one of the looks is bright
    data["image"], data["left"] = 20, 900
    data["image"][bright, 3], data["left"][bright] = 250, 9
    data["image"][:, 0, :, :8] = 120
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    loss = panorama.fit(network, data, 0)
    assert loss < 0.5, "two classes, told apart by one of six looks"
    after = network.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before if not name.startswith("panorama"))
    images, numbers = (torch.from_numpy(data[name].copy()) for name in ("image", "numbers"))
    order = torch.arange(5, -1, -1)
    with torch.inference_mode():
        near, far, turned = (
            expected_steps(network.around(images[place][order], numbers[place][order]))
            for place, order in ((0, slice(None)), (1, slice(None)), (0, order))
        )
    assert (near < 40).all() and (far > 300).all() and np.allclose(near, turned, rtol=1e-3)


def test_rare_cells_weigh_more() -> None:
    spots = np.zeros((10, 16, 16), np.uint16)
    spots[:, :8] |= 1 << GOALS.index("dirt")
    spots[0, 0, :10] |= 1 << GOALS.index("pig")
    weights = dict(zip(GOALS, train.rarity(spots).flatten().tolist(), strict=True))
    assert weights["dirt"] == 1 and np.isclose(weights["pig"], np.sqrt(255), atol=1) | (
        weights["pig"] == train.RAREST
    )
    assert weights["cow"] == train.RAREST


def test_weights_come_back_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.safetensors"
    network = Network()
    network.save(path, {"seed": 0})
    loaded = load_network(path)
    for one, other in zip(network.state_dict().values(), loaded.state_dict().values(), strict=True):
        assert torch.allclose(one, other, atol=1e-2, rtol=1e-2)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(MnemocraftError):
        load_network(path)
    write(path, {"goal.weight": np.zeros(3)}, {})
    with pytest.raises(MnemocraftError, match="another network"):
        load_network(path)
    with pytest.raises(MnemocraftError, match=r"training\.controller"):
        load_network(tmp_path / "none.safetensors")


def test_rates_are_joined_by_row_of_the_table_with_wilson_intervals() -> None:
    places = [place for place, skill in enumerate(SKILLS) if skill.name == "Craft w/ crafting_table"]
    assert len(places) == 2
    rows = [
        {"place": place, "controller": "scripted", "success": seed < 12, "steps": seed}
        for place in places
        for seed in range(15)
    ]
    (row,) = evaluate.skill_table(pd.DataFrame(rows)).to_dict("records")
    assert (row["episodes"], row["successes"], row["paper_success_rate"]) == (30, 24, 0.9)
    assert (row["low"], row["high"]) == (0.6269, 0.9049)  # Wilson, 24 of 30, by hand
    assert row["mean_steps_of_successes"] == 5.5 and row["mean_steps"] == (24 * 5.5 + 6 * 600) / 30
    assert row["mean_steps_low"] < row["mean_steps"] < row["mean_steps_high"]


def test_pairs_count_only_where_both_goals_were_reached() -> None:
    true = np.array([[10.0, 20.0, np.nan], [10.0, 11.0, 30.0], [50.0, 20.0, 30.0]])
    orders = ([1.0, 2.0, 0.0], [1.0, 3.0, 2.0], [9.0, 1.0, 2.0])
    guess = {world: {"horizon head": np.array(order)} for world, order in enumerate(orders)}
    by_head = [evaluate._score(true, guess, i, i, "horizon head", range(3)) for i in range(3)]
    assert by_head == [(1, 1), (1, 2), (3, 3)]  # 10 and 11 are a tie
    assert evaluate._score(true, guess, 2, 2, "typical", range(3)) == (1, 3)  # the others: 10, 15.5, 30


def test_it_acts_alike_for_equal_seeds() -> None:
    skill, runs = SKILLS[0], []
    for _ in range(2):
        torch.manual_seed(0)
        env, observation = begin(skill, 3)
        controller = LearnedController(Network().eval(), seed=1)
        taken = []
        for _ in range(15):
            taken.append(controller.act(observation, skill.goal))
            assert env.action_space.contains(taken[-1])
            observation = env.step(taken[-1])[0]
        runs.append(np.array(taken))
    assert (runs[0] == runs[1]).all()


@pytest.mark.skipif(not WEIGHTS.exists(), reason="the weights are not trained yet")
def test_the_trained_one_digs_cobblestone_and_knows_that_diamonds_are_far() -> None:
    skill = next(s for s in PRACTISED if s.goal.item == "cobblestone")
    env, observation = begin(skill, 1)
    controller = LearnedController()
    near, far = controller.horizon(observation, [Goal("mine", "dirt"), Goal("mine", "diamond")])
    assert near < far
    assert pursue(env, controller, skill.goal, observation).success
