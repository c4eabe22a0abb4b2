"""ALFWorld: steps per CPU second beside the plain engine in the same run, and memory over many episodes.

Every game of ``valid_unseen`` ($ALFWORLD_DATA) is played once by each worker with the same commands, drawn
from the admissible ones; the two must say the same. Load and reset count. Then episode after episode is
played on our own games, as an experiment does, and the memory of every worker is noted.

Prints a table; ``--save`` also writes the parts that were measured to ``benchmarks/results/alfworld.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from random import Random
from typing import Any

from mnemocraft.envs.alfworld import AlfworldEnv, generated_path, known_games, read_game, valid_unseen_path
from mnemocraft.envs.alfworld.games import Game
from mnemocraft.envs.alfworld.process import MAX_MIB, Worker, workers

RESULTS = Path(__file__).parent / "results" / "alfworld.json"
PARTS = ("memory", "speed")
TIMEOUT = 600.0
TARGET = 2.0
"""Times the plain engine's steps per CPU second."""


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far (Linux)."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def playing(worker: Worker, game: Game, steps: int) -> tuple[list[str], float]:
    """What a worker says in an episode of random commands, and the CPU seconds it takes."""
    random, start = Random(game.sha256), cpu_seconds(worker.pid)
    seen = worker.ask(TIMEOUT, do="begin", episode=0, sha256=game.sha256, game=game.content)
    said = [seen["text"], *seen["commands"]]
    for _ in range(steps):
        seen = worker.ask(TIMEOUT, do="step", episode=0, command=random.choice(seen["commands"]))
        said += [seen["text"], *seen["commands"], str(seen["won"])]
    worker.ask(TIMEOUT, do="end", episode=0)
    return said, cpu_seconds(worker.pid) - start


def compared(steps: int, every: int) -> dict[str, float]:
    """Steps per CPU second of the plain engine and of ours, in turns, a game at a time."""
    plain, ours = Worker(plain=True), Worker()
    spent = {"plain": 0.0, "ours": 0.0}
    games = list(known_games()["valid_unseen"])[::every]
    for name in games:
        game = read_game(valid_unseen_path(name))
        said, seconds = playing(plain, game, steps)
        spent["plain"] += seconds
        same, seconds = playing(ours, game, steps)
        spent["ours"] += seconds
        assert said == same, f"{name}: the texts differ"
    rates = {f"{name}_steps_per_cpu_s": len(games) * steps / seconds for name, seconds in spent.items()}
    peak = {"plain_mib": plain.mib, "ours_mib": ours.mib}
    plain.close()
    ours.close()
    return {
        "games": len(games),
        "steps_a_game": steps,
        **rates,
        "ratio": spent["plain"] / spent["ours"],
        **peak,
    }


def memory(episodes: int, steps: int) -> dict[str, float]:
    """The most memory that a worker has at the end of an episode, and how many workers it takes."""
    names, random = list(known_games()["generated"]), Random(0)
    most, pids = 0.0, set()
    for episode in range(episodes):
        env = AlfworldEnv(generated_path(names[episode % len(names)]), max_steps=steps)
        while not env.reason:
            env.step(random.choice(env.valid_actions))
        assert workers.now is not None
        most = max(most, workers.now.mib)
        pids.add(workers.now.pid)
    return {
        "games": len(names),
        "episodes": episodes,
        "steps_an_episode": steps,
        "most_mib": most,
        "replaced_beyond_mib": MAX_MIB,
        "workers": len(pids),
    }


def main() -> None:
    """Measure, print, and save if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=50, help="commands a game (default: 50)")
    parser.add_argument("--every", type=int, default=1, help="take every so many games only (default: 1)")
    parser.add_argument("--episodes", type=int, default=1000, help="episodes for the memory (default: 1000)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--save", action="store_true", help="write the results file")
    given = parser.parse_args()
    results: dict[str, Any] = {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
    }
    if "memory" in given.parts:
        results["memory"] = memory(given.episodes, 5)
    if "speed" in given.parts:
        results["speed"] = compared(given.steps, given.every)
    print(json.dumps(results, indent=1))
    if "speed" in results:
        print(f"ratio {results['speed']['ratio']:.1f}, at least {TARGET} wanted")
    if given.save:
        before = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
        RESULTS.write_text(json.dumps(before | results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
