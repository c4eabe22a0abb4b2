"""Which goals of a plan are parallel, and which of them each selector takes."""

import json

import numpy as np
import pytest

from mnemocraft.agents.deps import selectors
from mnemocraft.agents.deps.selectors import (
    FixedOrder,
    HorizonSelector,
    ImageText,
    NearestBySimulator,
    RandomOrder,
    parallel,
    probabilities,
)
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.kitchen import KitchenWorld
from mnemocraft.worlds.minecraft import Demand, line_of
from mnemocraft.worlds.textworld import TextWorld

LOGS, PLANKS, STICKS = Goal("mine", "log", 3), Goal("craft", "planks", 12), Goal("craft", "stick", 4)
TABLE, WOOL, COW = Goal("craft", "crafting_table"), Goal("mine", "wool", 3), Goal("kill", "cow")
GOALS = [LOGS, WOOL, COW]


class Views:
    """A stage with given horizons and a given frame."""

    version = "1.11.2"

    def __init__(self, horizons, image=None):
        self.horizons, self.image = np.array(horizons, float), image

    def look_around(self):
        """There is one view only."""

    def turn_to(self, goal):
        """There is one view only."""

    def horizon(self, goals):
        return self.horizons[: len(goals)]

    def frame(self):
        return self.image


def stage(**inventory):
    return TextWorld("diamond", TextWorldEnv("1.11.2", inventory=inventory), Demand({"diamond": 1}, {}))


def draws(selector, stage, times=2000):
    random = np.random.default_rng(0)
    return (
        np.bincount([selector.choose(GOALS, stage, random).place for _ in range(times)], minlength=3) / times
    )


# --- parallel goals ---------------------------------------------------------------------------------------


def candidates(goals, **inventory):
    return [str(goals[place]) for place in parallel(goals, stage(**inventory))]


def test_goals_that_need_nothing_are_parallel():
    assert candidates([LOGS, PLANKS, WOOL, STICKS, COW]) == ["mine 3 log", "mine 3 wool", "kill 1 cow"]


def test_a_goal_waits_for_what_an_earlier_one_gains_even_if_some_is_there():
    assert candidates([LOGS, PLANKS, WOOL], log=3) == ["mine 3 log", "mine 3 wool"]
    assert candidates([PLANKS, STICKS, TABLE], log=3, planks=9) == ["craft 12 planks"]
    assert candidates([STICKS, TABLE, WOOL], planks=12) == [
        "craft 4 stick",
        "craft 1 crafting_table",
        "mine 3 wool",
    ]


def test_fuel_counts_as_used_up():
    smelt, coal = Goal("smelt", "cooked_beef"), Goal("mine", "coal")
    held = {"furnace": 1, "beef": 1, "planks": 2, "wooden_pickaxe": 1}
    assert candidates([coal, smelt], **held) == ["mine 1 coal"]
    assert candidates([smelt, coal], **held) == ["smelt 1 cooked_beef", "mine 1 coal"]


def test_a_better_tool_on_the_way_does_not_hold_up_what_can_be_done_now():
    pickaxe, stone = Goal("craft", "wooden_pickaxe"), Goal("mine", "cobblestone", 2)
    held = {"planks": 3, "stick": 2, "crafting_table": 1}
    assert candidates([pickaxe, stone], **held) == ["craft 1 wooden_pickaxe"]
    assert len(candidates([pickaxe, stone], **held, stone_pickaxe=1)) == 2


def test_a_plan_that_is_broken_at_its_first_goal_has_no_other_candidates():
    assert candidates([STICKS, LOGS, WOOL]) == ["craft 4 stick"]
    assert candidates([Goal("craft", "nonsense"), LOGS]) == ["craft 1 nonsense"]
    assert candidates([]) == []


def test_whatever_order_is_chosen_the_plan_still_works():
    """Eight random orders of a plan in which materials are just enough."""
    pickaxe, furnace = Goal("craft", "wooden_pickaxe"), Goal("craft", "furnace")
    iron = [Goal("craft", "stone_pickaxe"), Goal("mine", "iron_ore"), Goal("mine", "log", 1)]
    plan = [LOGS, PLANKS, STICKS, TABLE, pickaxe, Goal("mine", "cobblestone", 11), furnace, COW, *iron]
    plan += [Goal("smelt", "iron_ingot")]
    orders = set()
    for seed in range(8):
        random, world, left, order = np.random.default_rng(seed), stage(), list(plan), []
        while left:
            places = parallel(left, world)
            goal = left.pop(places[int(random.integers(len(places)))])
            assert world.act(line_of(goal), 100).success, (goal, world.inventory)
            order.append(str(goal))
        orders.add(tuple(order))
        assert world.inventory["iron_ingot"] == 1
    assert len(orders) > 4


# --- selectors --------------------------------------------------------------------------------------------


def test_fixed_and_random_order():
    assert draws(FixedOrder(), Views([9, 1, 5])).tolist() == [1, 0, 0]
    assert np.allclose(draws(RandomOrder(), Views([9, 1, 5])), 1 / 3, atol=0.05)


def test_the_horizon_selector_draws_from_equation_2():
    assert draws(HorizonSelector(), Views([300, 40, 200])).tolist() == [0, 1, 0]
    expected = np.exp([-2, -1, -3]) / np.exp([-2, -1, -3]).sum()
    assert np.allclose(probabilities(np.array([2.0, 1.0, 3.0])), expected)
    assert np.allclose(draws(HorizonSelector(), Views([2, 1, 3])), expected, atol=0.04)
    assert np.allclose(probabilities(np.array([1e9, 1e9])), 0.5)


def test_image_and_text():
    seen = []

    def scorer(image, texts):
        seen.append((image.shape, tuple(texts)))
        return np.array([0.1, 0.3, 0.2])

    image = np.zeros((4, 6, 3), np.uint8)
    assert ImageText(scorer).choose(GOALS, Views([1, 1, 1], image), np.random.default_rng(0)).place == 1
    assert seen == [((4, 6, 3), ("mine log", "mine wool", "kill cow"))]


def test_what_a_selector_cannot_do_is_said():
    random = np.random.default_rng(0)
    with pytest.raises(MnemocraftError, match="needs images, which textworld/diamond does not have"):
        ImageText(lambda image, texts: np.zeros(3)).choose(GOALS, stage(), random)
    with pytest.raises(MnemocraftError, match="needs horizons, which kitchen/sync/0 does not have"):
        HorizonSelector().choose(GOALS, KitchenWorld(KitchenEnv("sync/0", 0)), random)
    with pytest.raises(MnemocraftError, match="only be known in the overworld"):
        NearestBySimulator().choose(GOALS, stage(), random)
    with pytest.raises(MnemocraftError, match="name a CLIP model"):
        selectors.clip("")


def test_clip_scores_by_the_angle_between_view_and_words(tmp_path):
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    words = ["<|startoftext|>", "<|endoftext|>", *"cegiklnopw", *(f"{letter}</w>" for letter in "cegiklnopw")]
    vocabulary, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocabulary.write_text(json.dumps({word: number for number, word in enumerate(words)}))
    merges.write_text("#version: 0.2\n")
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"vocab_size": len(words), "bos_token_id": 0, "eos_token_id": 1}
    torch.manual_seed(0)
    config = transformers.CLIPConfig(
        text_config=small | ends, vision_config=small | {"image_size": 32, "patch_size": 16}, projection_dim=8
    )
    model = transformers.CLIPModel(config).eval()
    tokenizer = transformers.CLIPTokenizer(str(vocabulary), str(merges))
    images = transformers.CLIPImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    processor = transformers.CLIPProcessor(images, tokenizer)
    model.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)

    view = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    texts = ["ice", "pig", "cow"]
    found = selectors.clip(str(tmp_path))(view, texts)
    with torch.inference_mode():
        inputs = processor(text=texts, images=view, return_tensors="pt", padding=True)
        seen = model.visual_projection(model.vision_model(inputs["pixel_values"]).pooler_output)[0].numpy()
        read = model.text_projection(
            model.text_model(inputs["input_ids"], inputs["attention_mask"]).pooler_output
        ).numpy()
    angles = read @ seen / np.linalg.norm(read, axis=1) / np.linalg.norm(seen)
    assert found.shape == (3,) and len(set(found.round(6))) == 3
    assert np.argsort(found).tolist() == np.argsort(angles).tolist()
    assert np.allclose(found / angles, found[0] / angles[0], rtol=1e-4), "a temperature, the same for all"
