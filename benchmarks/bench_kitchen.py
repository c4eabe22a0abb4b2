"""Kitchen: our engine beside Robotouille's on the hardest asynchronous task (async/9, seed 42).

The speed of the real engine was recorded on another machine (its numbers stand below as constants). How much
faster this machine may be is not known, so the last column says by which factor it would have to be for us to
miss the target. ``--engine PATH`` measures the real engine of a checkout here and now instead (branch
``release``, with its own requirements installed; this part could not be run where it was written).

Prints a table; ``--save`` also writes it to ``benchmarks/results/kitchen.json``.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import platform
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import State
from mnemocraft.envs.kitchen.scene import Scene, task_scene

RESULTS = Path(__file__).parent / "results" / "kitchen.json"
TASK, SEED = "async/9", 42
RECORDED = {"expansions": 1.4, "steps": 13.0}
"""Of the real engine, per second; the upper ends of what was recorded: 1.1 to 1.4 node expansions (16 to 21
successors at a branching factor of 15, copying only what changes) and 10 to 13 steps with text."""
RECORDED_ON = "Python 3.11.7, gym 0.26.2, one core of a shared 2-core AMD EPYC, load about 1"
TARGETS = {"expansions": 100, "steps": 50}


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units per second; ``work`` does some units of work and says how many."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        done += work()
    return done / (time.perf_counter() - start)


def expand(scene: Scene, state: State) -> list[State]:
    """A node's valid actions, its successors, and of each what is true and whether it meets the goal."""
    after = [scene.engine.step(state, action) for action in scene.engine.actions(state)]
    for successor in after:
        scene.engine.names(successor.facts)
        scene.goal.holds(successor.facts)
    return after


def random_states(scene: Scene, number: int) -> list[State]:
    """States along random walks of 60 steps."""
    draw, states = random.Random(0), list[State]()
    while len(states) < number:
        state = scene.engine.initial
        for _ in range(60):
            states.append(state)
            state = scene.engine.step(state, draw.choice(scene.engine.actions(state)))
    return states[:number]


def ours(seconds: float) -> dict[str, float]:
    """Our expansions and steps (with observation text) per second, on states seen once and again."""
    env = KitchenEnv(TASK, SEED, max_steps=10**9)
    states = random_states(env.scene, 600)
    draw = random.Random(1)

    def expansions() -> int:
        for state in states:
            expand(env.scene, state)
        return len(states)

    def episode() -> int:
        _, info = env.reset()
        for _ in range(82):
            *_, info = env.step(draw.choice(info["valid_actions"]))
        return 82

    return {"expansions": rate(expansions, seconds), "steps": rate(episode, seconds)}


def real(checkout: Path, seconds: float) -> dict[str, float]:
    """The same of the real engine in a checkout of it; it reads files relative to its root."""
    (file,) = (checkout / "environments/env_generator/examples/asynchronous").glob("9_*.json")
    sys.path.insert(0, str(checkout))
    with contextlib.chdir(checkout), contextlib.redirect_stdout(None):
        from robotouille.robotouille_env import create_robotouille_env  # type: ignore[import-not-found]

        env: Any = create_robotouille_env(f"asynchronous/{file.stem}", SEED, noisy_randomization=False)
        env.reset()
        draw, start = random.Random(0), env.current_state

        def expansions() -> int:
            shared = {id(x): x for x in (start.goal, start.domain, start.actions)}
            for action in start.get_valid_actions_and_str()[0]:
                copy.deepcopy(start, dict(shared)).step([action])
            return 1

        def step() -> int:
            env.step([draw.choice(env.current_state.get_valid_actions_and_str()[0])])
            return 1

        return {"expansions": rate(expansions, seconds), "steps": rate(step, seconds)}


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each number")
    parser.add_argument("--engine", type=Path, help="checkout of the real engine to measure")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()

    start = time.perf_counter()
    task_scene(TASK, SEED, False)
    create = time.perf_counter() - start
    mine = ours(options.seconds)
    theirs = real(options.engine.resolve(), options.seconds) if options.engine else RECORDED
    source = "measured here" if options.engine else f"recorded: {RECORDED_ON}"
    here = f"Python {platform.python_version()}, one core, {platform.machine()}"

    print(
        f"{TASK}, seed {SEED}. Robotouille {source}.\nmnemocraft: {here}; created in {create * 1e3:.0f} ms."
    )
    print(f"{'per second':12}{'Robotouille':>12}{'mnemocraft':>12}{'ratio':>8}{'target':>8}{'to spare':>10}")
    for what, target in TARGETS.items():
        ratio = mine[what] / theirs[what]
        print(
            f"{what:12}{theirs[what]:12.1f}{mine[what]:12.0f}{ratio:7.0f}x{target:7}x{ratio / target:9.1f}x"
        )
    if options.save:
        table = {"task": TASK, "seed": SEED, "robotouille": theirs | {"source": source}}
        table["mnemocraft"] = mine | {"create_s": create, "source": here}
        RESULTS.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
