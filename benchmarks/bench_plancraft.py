"""Plancraft: our environment and planner beside the ``plancraft`` package's own, in one run.

Prints times and ratios; ``--save`` also writes them to ``benchmarks/results/plancraft.json``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import scipy.optimize  # noqa: F401  (loaded on first use; not part of the times)
from plancraft.environment.planner import optimal_planner
from plancraft.simple import PlancraftGymWrapper, get_plancraft_examples

from mnemocraft.envs.plancraft import Example, PlancraftEnv, examples, expert_actions, plan, planner

RESULTS = Path(__file__).parent / "results" / "plancraft.json"


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """Time of one call."""
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def as_text(action: dict) -> str:
    """A tool call in the package's action language."""
    if action["name"] == "impossible":
        return "impossible: it cannot be made"
    slot_from, slot_to, quantity = action["arguments"].values()
    return f"{action['name']}: from [{slot_from}] to [{slot_to}] with quantity {quantity}"


def environment(episodes: int) -> list[tuple[str, float, float]]:
    """Median set-up and step times (text mode: nobody asks for a picture), the package's and ours."""
    theirs, ours = get_plancraft_examples("val"), examples("low")
    times: dict[str, list[float]] = {key: [] for key in ("peer set-up", "set-up", "peer step", "step")}
    for index in np.linspace(0, len(ours) - 1, episodes).astype(int).tolist():
        actions = expert_actions(ours[index])
        start = time.perf_counter()
        peer = PlancraftGymWrapper(theirs[index])
        peer.step(None)
        times["peer set-up"].append(time.perf_counter() - start)
        times["peer step"] += [seconds(peer.step, as_text(action)) for action in actions]
        start = time.perf_counter()
        env = PlancraftEnv("low", index)
        env.reset()
        times["set-up"].append(time.perf_counter() - start)
        times["step"] += [seconds(env.step, action) for action in actions]
    median = {key: float(np.median(values)) for key, values in times.items()}
    return [(what, median[f"peer {what}"], median[what]) for what in ("set-up", "step")]


def plan_times(split: str) -> list[float]:
    """Time of a plan for each initial state of a split; nothing is remembered from one to the next."""
    times = []
    for example in examples(split):
        planner._solve.cache_clear()
        times.append(seconds(plan, example.inventory, example.target))
    return times


def peer_plan_times(sample: list[Example], timeout: float) -> list[float]:
    """The same of the package's planner, stopped after ``timeout`` seconds."""
    solve = partial(optimal_planner, timeout=timeout)
    return [seconds(solve, e.target, dict(e.inventory)) for e in sample]


def percentiles(times: list[float]) -> tuple[float, float, float]:
    """Median, 99th percentile and maximum."""
    return float(np.median(times)), float(np.percentile(times, 99)), max(times)


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="episodes to play with each environment")
    parser.add_argument("--plans", type=int, default=40, help="states to give to the package's planner")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds it may take for each")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    plan({"wheat": 3}, "bread")  # reads the recipes

    rows = environment(options.episodes)
    every = examples("low") + examples("high")
    ours = percentiles(plan_times("low") + plan_times("high"))
    sample = [every[i] for i in np.linspace(0, len(every) - 1, options.plans).astype(int).tolist()]
    theirs = percentiles(peer_plan_times(sample, options.timeout))
    labels = ("plan p50", "plan p99", "plan max")
    rows += list(zip(labels, theirs, ours, strict=True))

    print(f"{'':10}{'plancraft':>14}{'mnemocraft':>14}{'ratio':>10}")
    for label, peer, mine in rows:
        print(f"{label:10}{peer * 1e3:11.3f} ms{mine * 1e3:11.3f} ms{peer / mine:9.0f}x")
    print(f"Plans: ours over {len(every)} states; the package's over {len(sample)}, ", end="")
    print(f"stopped after {options.timeout:g} s each.")
    if options.save:
        RESULTS.parent.mkdir(exist_ok=True)
        table = {label: {"plancraft_s": peer, "mnemocraft_s": mine} for label, peer, mine in rows}
        RESULTS.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
