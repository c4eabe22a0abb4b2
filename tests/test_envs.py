"""All environments: registered with Gymnasium, quick to import, made again by their specification."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import mnemocraft.envs
from mnemocraft.controllers.herd import DRAWS, HERD, PASTURE, herd
from mnemocraft.envs.task_env import ENVIRONMENTS
from mnemocraft.errors import MnemocraftError

NO_OP = [0, 0, 0, 12, 12, 0, 0, 0]
CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("Kitchen", {"task": "sync/3"}, "Dance"),
    ("Overworld", {"image_size": None, "target": "log"}, NO_OP),
    ("Plancraft", {"split": "low", "index": 3}, {"name": "smelt", "arguments": "?"}),
    ("Tabletop", {"task": "packing", "seed": 3}, "pick the box"),
    ("TextWorld", {"target": "stick"}, {"name": "craft", "arguments": {"item": "stick"}}),
]


@pytest.mark.parametrize(("name", "settings", "action"), CASES, ids=[case[0] for case in CASES])
def test_several_at_once_are_a_vector_environment(name: str, settings: Any, action: Any) -> None:
    if name == "Overworld":
        pytest.importorskip("numba")
    made = [getattr(mnemocraft.envs, f"{name}Env")(**settings) for _ in range(2)]
    assert made[0].observation_space == made[1].observation_space
    assert made[0].action_space == made[1].action_space
    assert made[0].observation_space != gymnasium.spaces.Dict({"text": gymnasium.spaces.Discrete(2)})
    both = gymnasium.vector.SyncVectorEnv([lambda env=env: env for env in made])
    texts = both.reset()[0]["text"]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("name", "settings", "action"), CASES, ids=[case[0] for case in CASES])
def test_made_by_gymnasium_it_is_the_environment_itself(name: str, settings: Any, action: Any) -> None:
    if name == "Overworld":
        pytest.importorskip("numba")
    made = gymnasium.make(f"mnemocraft/{name}-v0", **settings)
    direct = getattr(mnemocraft.envs, f"{name}Env")(**settings)
    again = gymnasium.make(made.spec)
    for env in (made, direct, again):
        assert type(env) is type(direct)  # no wrapper: a wrong action gets an answer, not an assertion
        assert env.spec.id == f"mnemocraft/{name}-v0" and env.spec.kwargs.keys() >= settings.keys()
    texts = {env.reset()[0]["text"] for env in (made, direct, again)}
    texts_after = {env.step(action)[0]["text"] for env in (made, direct, again)}
    assert len(texts) == len(texts_after) == 1


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("Alfworld", {"game_path": "no-such-game"}),
        ("Kitchen", {"task": "sync/12"}),
        ("MineDojo", {"task_id": "harvest"}),
        ("Overworld", {"target": "oak_log"}),
        ("Plancraft", {"split": "lowest", "index": 0}),
        ("Tabletop", {"rates": {"throw": 0.5}}),
        ("TextWorld", {"target": "unobtainium"}),
    ],
)
def test_wrong_settings_get_our_sentence_from_gymnasium_too(name: str, settings: dict[str, Any]) -> None:
    if name == "Overworld":
        pytest.importorskip("numba")
    with pytest.raises(MnemocraftError) as told:
        gymnasium.make(f"mnemocraft/{name}-v0", **settings)
    assert "\n" not in str(told.value) and str(told.value)[-1] in ".?"


def test_importing_the_package_registers_and_loads_no_world() -> None:
    code = (
        "import sys, mnemocraft, gymnasium; "
        "print(sum(name.startswith('mnemocraft/') for name in gymnasium.registry), "
        "[name for name in sys.modules if name.startswith(('mnemocraft.envs.', 'numba', 'pandas', 'torch'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{len(ENVIRONMENTS)} ['mnemocraft.envs.task_env']"


def test_unknown_names_are_no_environments() -> None:
    with pytest.raises(AttributeError, match="OvenEnv"):
        _ = mnemocraft.envs.OvenEnv


class _Meadow:
    """Notes where mobs are put; there is ground at one height, or MineDojo, which never tells."""

    def __init__(self, ground: int | None) -> None:
        self.ground = ground
        self.put: list[tuple[int, int, int]] = []

    def spawn_mobs(self, mob: str, offset: tuple[int, int, int]) -> bool | None:
        if self.ground not in (None, offset[1]):
            return False
        self.put.append(offset)
        return None if self.ground is None else True


@pytest.mark.parametrize(("ground", "put"), [(None, HERD), (-3, HERD), (20, 0)])
def test_a_herd_goes_by_what_mobs_can_be_put(ground: int | None, put: int) -> None:
    meadow, random = _Meadow(ground), np.random.default_rng(5)
    herd(meadow, "cow", random)  # type: ignore[arg-type]
    assert len(meadow.put) == put and all(abs(x) <= PASTURE >= abs(z) for x, _, z in meadow.put)
    fresh = np.random.default_rng(5)
    fresh.integers(-PASTURE, PASTURE + 1, (DRAWS * HERD, 2))
    assert random.random() == fresh.random()  # whatever found room, as many draws
