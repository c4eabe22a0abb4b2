"""Measures the controllers: ``python -m training.controller.evaluate``.

Writes the table of skills (DEPS, Table 18) for the scripted, the learned and a random controller, and how
often the horizon head puts two goals of a world in their true order. No world was seen in training.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from statsmodels.stats.proportion import proportion_confint
from tqdm import tqdm

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.herd import FARM
from mnemocraft.controllers.inventory import InventoryHand
from mnemocraft.controllers.learned import LearnedController
from mnemocraft.controllers.looks import look_around
from mnemocraft.controllers.network import WEIGHTS
from mnemocraft.controllers.pursuit import Controller, pursue
from mnemocraft.controllers.scripted import ScriptedController
from mnemocraft.controllers.skills import AXE, SKILLS, Skill, begin, wander
from mnemocraft.controllers.success import Observation
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.overworld import OverworldEnv

EPISODES = 30
WORLDS = 40
"""Worlds in which horizons are compared."""
WALK = 60
"""Steps of wandering before horizons are asked for in every other world."""
PICKAXE = ("iron_pickaxe", 1)
CONTROLLERS = ("scripted", "learned", "random")


class RandomController:
    """Draws from the 42 actions for ``mine`` and ``kill``; what goes through the inventory is as ever.

    Args:
        seed: Of the draws.
    """

    problem, looks = "", False

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """A new episode."""
        self._hand, self._random = InventoryHand(), np.random.default_rng(self._seed)

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """A random one of the 42 actions, with the right tool in the hand."""
        action = self._hand.act(observation, goal)
        return a.to_minedojo(int(self._random.integers(a.ACTIONS))) if action is None else action

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """It does not know."""
        return np.zeros(len(goals))


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.controller.evaluate", description="Measure the controllers."
    )
    parser.add_argument("--episodes", type=int, default=EPISODES, help="worlds a skill")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="worlds for the horizons")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--controllers", nargs="+", choices=CONTROLLERS, default=CONTROLLERS)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--folder", type=Path, default=WEIGHTS.parent, help="where to write the tables")
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    with ProcessPoolExecutor(options.workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        rows = skill_rows(pool, options.controllers, options.episodes, options.weights)
        table = skill_table(pd.DataFrame(rows))
        table.to_csv(options.folder / "controller_skills.csv", index=False, lineterminator="\n")
        print(table.to_string(index=False))
        worlds = list(tqdm(pool.map(_horizons, range(options.worlds)), total=options.worlds, desc="horizons"))
    horizons = order_table(pd.DataFrame([row for rows in worlds for row in rows]), options.weights)
    horizons.to_csv(options.folder / "controller_horizons.csv", index=False, lineterminator="\n")
    print(horizons.to_string(index=False))


# --- skills ---------------------------------------------------------------------------------------------


def controller_of(kind: str, env: OverworldEnv, seed: int, weights: Path = WEIGHTS) -> Controller:
    """A controller by its name in :data:`CONTROLLERS`."""
    if kind == "scripted":
        return ScriptedController(env, seed)
    return LearnedController(weights, seed) if kind == "learned" else RandomController(seed)


def try_skill(kind: str, place: int, seed: int, weights: Path = WEIGHTS) -> dict[str, object]:
    """One episode of a skill (by its place in ``SKILLS``): success, steps, and why not."""
    skill = SKILLS[place]
    env, observation = begin(skill, seed, (64, 64) if skill.moves and kind == "learned" else None)
    outcome = pursue(env, controller_of(kind, env, seed, weights), skill.goal, observation, skill.max_steps)
    return {
        "place": place,
        "controller": kind,
        "seed": seed,
        "success": outcome.success,
        "steps": outcome.steps,
        "reason": outcome.reason,
    }


def skill_rows(
    pool: ProcessPoolExecutor, kinds: Sequence[str], episodes: int, weights: Path
) -> list[dict[str, object]]:
    """All episodes, in a fixed order whatever the workers."""
    jobs = [
        (kind, place, seed, weights)
        for kind in kinds
        for place, skill in enumerate(SKILLS)
        if kind != "random" or skill.moves
        for seed in range(episodes)
    ]
    futures = [pool.submit(try_skill, *job) for job in jobs]
    return [future.result() for future in tqdm(futures, desc="skills", unit="episode")]


def skill_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Success rate with its 95 % Wilson interval, and length, by skill and controller, beside the paper's."""
    rows = rows.assign(skill=[SKILLS[place].name for place in rows["place"]])
    facts = {skill.name: skill for skill in reversed(SKILLS)}
    table = []
    for name in dict.fromkeys(skill.name for skill in SKILLS):
        for kind in dict.fromkeys(rows["controller"]):
            part = rows[(rows["skill"] == name) & (rows["controller"] == kind)]
            if len(part):
                table.append(
                    {"skill": name, **_paper(facts[name]), "controller": kind, **_rate(part, facts[name])}
                )
    return pd.DataFrame(table)


def _paper(skill: Skill) -> dict[str, object]:
    return {"max_steps": skill.max_steps, "paper_success_rate": skill.paper, "biome": skill.biome}


def _rate(part: pd.DataFrame, skill: Skill) -> dict[str, object]:
    """Success rate, and mean steps (a failure counts as all steps allowed) with a bootstrap interval."""
    successes = int(part["success"].sum())
    low, high = proportion_confint(successes, len(part), method="wilson")
    mean = part.loc[part["success"], "steps"].mean()
    steps = part["steps"].where(part["success"], skill.max_steps).to_numpy(float)
    draws = steps[np.random.default_rng(0).integers(0, len(steps), (2000, len(steps)))].mean(1)
    fewest, most = np.percentile(draws, [2.5, 97.5])
    return {
        "episodes": len(part),
        "successes": successes,
        "success_rate": round(successes / len(part), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "mean_steps_of_successes": None if np.isnan(mean) else round(float(mean), 1),
        "mean_steps": round(float(steps.mean()), 1),
        "mean_steps_low": round(float(fewest), 1),
        "mean_steps_high": round(float(most), 1),
    }


# --- horizons -------------------------------------------------------------------------------------------

ASKED = tuple(
    Goal(verb, item)
    for verb, item in (
        ("mine", "oak_log"),
        ("mine", "cobblestone"),
        ("mine", "wheat_seeds"),
        ("mine", "dirt"),
        ("mine", "coal"),
        ("mine", "iron_ore"),
        ("mine", "diamond"),
        ("kill", "sheep"),
        ("kill", "cow"),
        ("kill", "chicken"),
        ("kill", "pig"),
    )
)
"""Goals whose order is asked for; all can be reached with an iron pickaxe."""
BIOMES = ("plains", "forest", "extreme_hills", "savanna")


def _start(seed: int) -> tuple[OverworldEnv, Observation]:
    """A world with animals, seen from its first place or after some wandering."""
    skill = Skill("", ASKED[0], BIOMES[seed % len(BIOMES)], (PICKAXE, AXE), FARM, 6000)
    env, observation = begin(skill, seed, (64, 64))
    if seed // len(BIOMES) % 2:
        observation = wander(env, np.random.default_rng(seed), WALK)
    return env, observation


def _horizons(seed: int) -> list[dict[str, object]]:
    """How long the script really takes for each goal from the same state of a world."""
    rows: list[dict[str, object]] = []
    for goal in ASKED:
        env, observation = _start(seed)
        outcome = pursue(env, ScriptedController(env, seed), goal, observation, 3000)
        rows.append({"seed": seed, "goal": str(goal), "steps": outcome.steps, "success": outcome.success})
    return rows


def order_table(rows: pd.DataFrame, weights: Path = WEIGHTS) -> pd.DataFrame:
    """How often pairs of goals are put in their true order.

    By the horizon head from one view, by the panorama head from looks around, and by their typical order.

    Pairs of goals that the script reached, at least two steps apart. ``typical`` orders by the median of the
    *other* worlds: what is known without looking. The interval is a bootstrap over worlds.
    """
    learned = LearnedController(weights)
    seeds = sorted(set(rows["seed"]))
    predicted = {seed: _predictions(learned, seed) for seed in seeds}
    steps = rows.pivot_table(index="seed", columns="goal", values="steps")[[str(goal) for goal in ASKED]]
    reached = rows.pivot_table(index="seed", columns="goal", values="success")[steps.columns]
    true = steps.where(reached > 0).to_numpy()
    table = []
    for part, chosen in (("all goals", range(len(ASKED))), ("above ground", _above())):
        for order in ("horizon head", "panorama head", "typical"):
            scores = [_score(true, predicted, place, seed, order, chosen) for place, seed in enumerate(seeds)]
            table.append({"pairs_of": part, "order_by": order, **_interval(np.array(scores))})
    return pd.DataFrame(table)


def _predictions(learned: LearnedController, seed: int) -> dict[str, np.ndarray]:
    """Predicted steps in a world, by head."""
    env, observation = _start(seed)
    first = learned.horizon(observation, ASKED)
    return {
        "horizon head": first,
        "panorama head": learned.horizon(observation, ASKED, look_around(env, observation)),
    }


def _above() -> list[int]:
    deep = {"coal", "iron_ore", "diamond"}
    return [place for place, goal in enumerate(ASKED) if goal.item not in deep]


def _score(
    true: np.ndarray,
    predicted: dict[int, dict[str, np.ndarray]],
    place: int,
    seed: int,
    order: str,
    chosen: Sequence[int],
) -> tuple[int, int]:
    """Pairs in the right order, and pairs, of one world."""
    others = np.delete(true, place, 0)
    guess = np.nanmedian(others, 0) if order == "typical" else predicted[seed][order]
    right = pairs = 0
    for i, k in combinations(chosen, 2):
        if abs(true[place, i] - true[place, k]) >= 2:  # False where one was not reached
            pairs += 1
            right += (true[place, i] < true[place, k]) == (guess[i] < guess[k])
    return right, pairs


def _interval(scores: np.ndarray) -> dict[str, object]:
    rng = np.random.default_rng(0)
    draws = scores[rng.integers(0, len(scores), (2000, len(scores)))].sum(1)
    low, high = np.percentile(draws[:, 0] / draws[:, 1], [2.5, 97.5])
    right, pairs = scores.sum(0)
    return {
        "worlds": len(scores),
        "pairs": int(pairs),
        "accuracy": round(float(right / pairs), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
    }


if __name__ == "__main__":
    main()
