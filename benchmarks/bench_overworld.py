"""Overworld: steps and resets per second, and memory, beside the PyPI package ``crafter`` in the same run.

``crafter`` (a 2D survival world in Python, the usual light stand-in for Minecraft) is measured where it is
alike; the median of the rounds is reported.

Prints a table; ``--save`` also writes it to ``benchmarks/results/overworld.json``.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mnemocraft.envs import OverworldEnv
from mnemocraft.studies.minecraft.load import RIVAL

RESULTS = Path(__file__).parent / "results" / "overworld.json"
TARGETS = {"blind": 20_000, "seeing": 1_000, "reset_ms": 20, "memory_mb": 300, "times_crafter": 10}
EPISODE = 12_000
CRAFTER = """
import sys, time
import numpy as np
import crafter
env, seconds = crafter.Env(area=(64, 64), size=(64, 64), seed=0), float(sys.argv[1])
env.reset()
draw = np.random.default_rng(0)
for line in sys.stdin:
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        if env.step(int(draw.integers(env.action_space.n)))[2]:
            env.reset()
        steps += 1
    print(steps / (time.perf_counter() - start), flush=True)
"""
"""A crafter that measures itself for a while whenever it is sent a line."""
MEMORY = """
import resource, sys
from benchmarks.bench_overworld import EPISODE, walking
from mnemocraft.envs import OverworldEnv
env = OverworldEnv(seed=0, image_size=(64, 64))
policy = walking(0)
for _ in range(EPISODE):
    if env.step(policy())[2]:
        env.reset()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
"""


def uniform(seed: int) -> Callable[[], np.ndarray]:
    """Uniformly random actions."""
    draw = np.random.default_rng(seed)
    actions: Iterator[np.ndarray] = iter(())

    def act() -> np.ndarray:
        nonlocal actions
        chosen = next(actions, None)
        if chosen is None:
            actions = iter(draw.integers(0, [3, 3, 4, 25, 25, 8, 244, 36], size=(10_000, 8)))
            chosen = next(actions)
        return chosen

    return act


def walking(seed: int) -> Callable[[], np.ndarray]:
    """Forwards, jumping, a turn now and then, always hitting what is ahead."""
    draw = np.random.default_rng(seed)

    def act() -> np.ndarray:
        yaw = 12 if draw.random() < 0.95 else int(draw.integers(10, 15))
        return np.array([1, 0, 1, 12, yaw, 3, 0, 0])

    return act


def steps_per_second(env: OverworldEnv, policy: Callable[[], np.ndarray], seconds: float) -> float:
    """How many steps a second, dead players starting anew."""
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        _, _, terminated, truncated, _ = env.step(policy())
        if terminated or truncated:
            env.reset()
        steps += 1
    return steps / (time.perf_counter() - start)


def reset_ms(env: OverworldEnv, resets: int) -> float:
    """Median time of a reset in a new world, in milliseconds."""
    times = []
    for seed in range(resets):
        start = time.perf_counter()
        env.reset(seed=1000 + seed)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def start_crafter(python: str, seconds: float) -> subprocess.Popen | None:
    """A crafter in an interpreter that has it; None if that one has not."""
    if subprocess.run([python, "-c", "import crafter"], capture_output=True).returncode:
        return None
    command = [python, "-c", CRAFTER, str(seconds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process: subprocess.Popen) -> float:
    """One round of the crafter."""
    assert process.stdin and process.stdout
    process.stdin.write("go\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def measure(seconds: float, rounds: int, python: str) -> dict[str, Any]:
    """Median rates of all kinds, taking turns."""
    blind, seeing = OverworldEnv(seed=0, image_size=None), OverworldEnv(seed=0, image_size=(64, 64))
    kinds: dict[str, Callable[[], float]] = {
        f"{name}, {how}": partial(steps_per_second, env, make(0), seconds)
        for name, env in (("without images", blind), ("with 64x64 images", seeing))
        for how, make in (("random", uniform), ("walking", walking))
    }
    crafter = start_crafter(python, seconds)
    if crafter is not None:
        kinds[RIVAL] = lambda: ask(crafter)
    rates: dict[str, list[float]] = {kind: [] for kind in kinds}
    for run in kinds.values():
        run()  # warm up
    for _ in range(rounds):
        for kind, run in kinds.items():
            rates[kind].append(run())
    if crafter is not None:
        crafter.kill()
    result: dict[str, Any] = {kind: round(statistics.median(found), 1) for kind, found in rates.items()}
    result["reset with image, ms"] = round(reset_ms(seeing, 20), 2)
    return result


def memory_mb() -> float:
    """Peak memory of a fresh process that plays an episode with images."""
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], cwd=root, capture_output=True, text=True, check=True
    )
    return round(float(done.stdout), 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--crafter", default=sys.executable, metavar="PYTHON", help="interpreter that has crafter"
    )
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    found = measure(options.seconds, options.rounds, options.crafter)
    found["peak memory of 12,000 steps, MB"] = memory_mb()
    for kind, value in found.items():
        print(f"{kind:36} {value:10,.1f}")
    rival = found.get(RIVAL)
    if rival:
        times = round(found["with 64x64 images, random"] / rival, 1)
        print(f"With images, {times} times crafter's steps per second (target {TARGETS['times_crafter']}).")
        found["times crafter, with images"] = times
    else:
        print("crafter is not installed: `pip install crafter`, or name an interpreter with --crafter.")
    print(f"Targets: {TARGETS}")
    if options.save:
        host = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
        RESULTS.write_text(json.dumps({"host": host, "targets": TARGETS} | found, indent=1) + "\n")


if __name__ == "__main__":
    main()
