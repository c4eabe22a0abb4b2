"""Records of the How2 study whose truth is known, as the runs would write them."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd

from mnemocraft.agents.how2.settings import MEMORY_SETUPS, SETUPS, TEACHERS
from mnemocraft.envs.plancraft.data import examples
from mnemocraft.studies.how2.load import SPLITS


def conditions() -> list[tuple[str, str, str, str]]:
    agents = [("base", "none"), *product(SETUPS[1:], TEACHERS)]
    main = [(*agent, split, "main") for split in SPLITS for agent in agents]
    ablations = [("how2", t, "high", v) for v in ("curriculum", "ask_first") for t in TEACHERS]
    return main + ablations + [(*agent, "high", "no_think") for agent in agents]


def success_rate(setup: str, teacher: str) -> float:
    """The planted truth: every claim of the paper holds, with large effects."""
    rate = {"base": 0.2, "just_ask": 0.6, "memory_only": 0.5, "parse": 0.5, "relevance": 0.6, "how2": 0.5}[
        setup
    ]
    if teacher == "executable":
        rate += {"just_ask": 0.15, "memory_only": -0.3}.get(setup, 0)
    if teacher == "subgoal-partially-executable":
        rate += 0.15 if setup in MEMORY_SETUPS else 0
    return rate


def synthetic(
    seeds: int = 2,
    size: int = 570,
    chosen: list[tuple[str, str, str, str]] | None = None,
    rate: Callable[[str, str], float] = success_rate,
) -> pd.DataFrame:
    """Records as the runs write them, of ``size`` tasks a split."""
    rng = np.random.default_rng(0)
    frames = []
    for (setup, teacher, split, variant), seed in product(chosen or conditions(), range(seeds)):
        settings = {"setup": setup, "teacher": teacher, "split": split, "variant": variant}
        frames.append(_stream(rng, settings, seed, size, rate(setup, teacher)))
    return pd.concat(frames, ignore_index=True)


def _stream(
    rng: np.random.Generator, settings: dict[str, str], seed: int, size: int, rate: float
) -> pd.DataFrame:
    setup, tasks = settings["setup"], examples(settings["split"])[:size]
    n = len(tasks)
    impossible = np.array([t.impossible for t in tasks])
    success = np.where(impossible, rng.random(n) < 0.9, rng.random(n) < rate)
    wrong = rng.choice(["impossible_wrong", "max_steps", "eager_crafting"], n)
    reason = np.where(success, np.where(impossible, "impossible_correct", "success"), wrong)
    reason = np.where(impossible & ~success, "max_steps", reason)
    asks = {"base": 0, "just_ask": 0.95, "memory_only": 0.3, "relevance": 0.7}.get(setup, 0.5)
    misses = (rng.random(n) < asks) * rng.integers(1, 4, n)
    hits = rng.integers(0, 3, n) if setup in MEMORY_SETUPS else np.zeros(n, int)
    return pd.DataFrame(
        {
            "study": "01_how2_teacher_spectrum",
            "condition": "/".join(settings.values()),
            "model": "surrogate",
            "seed": seed,
            "index": rng.permutation(n),
            "task": [t.id for t in tasks],
            "status": "ok",
            "success": success,
            "reason": reason,
            "steps": 10,
            "wall_s": 0.1,
            "commit": "abc1234",
            "config": "0123456789ab",
            **settings,
            "cache_hits": hits,
            "cache_misses": misses,
            "interventions": misses,
            "first_read": rng.integers(0, 5, n),
            "impossible_called": np.isin(reason, ["impossible_correct", "impossible_wrong"]).astype(int),
            "actions": 9,
            "expert_actions": np.where(impossible, -1, 7),
            "difficulty": [t.difficulty for t in tasks],
            "target": [t.target for t in tasks],
            "tokens_actor_prompt": 20_000,
            "tokens_actor_completion": 400,
            "tokens_actor_calls": 99_999,
            "tokens_ask_prompt": 100,
            "tokens_ask_completion": 0,
        }
    )
