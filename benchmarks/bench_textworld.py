"""The text world beside MC-TextWorld: steps and listings of legal actions a second, on one core.

MC-TextWorld has no package and no licence to copy it by, so it is not here. In its place stand its recorded
rates (two busy cores) and a plain engine of a few lines that goes about it as it does: look the name up in a
list, try one dictionary after another, list by trying all 1,450 variants. What the plain engine does on this
machine tells how the machine compares: the targets (twice the recorded steps, twenty times the listings) are
multiplied by that factor. ``--save`` writes ``benchmarks/results/textworld.json``.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from mnemocraft.envs import TextWorldEnv
from mnemocraft.envs.minecraft import plan
from mnemocraft.envs.minecraft.engine import engine

RESULTS = Path(__file__).parent / "results" / "textworld.json"
RECORDED = {"steps of plans": 57_000, "random steps": 66_000, "listings": 1_060}
"""MC-TextWorld's rates a second, as measured on the machine of the reference data."""
TIMES = {"steps of plans": 2, "random steps": 2, "listings": 20}
"""How many times faster ours has to be."""
TARGETS = ("stick", "stone_pickaxe", "white_bed", "iron_pickaxe", "hopper_minecart", "cooked_beef", "clock")

Variant = tuple[dict[str, int], dict[str, int], dict[str, int]]


class PlainEngine:
    """Materials, tools and outputs in dictionaries, tried one after another."""

    def __init__(self) -> None:
        self.actions: list[str] = []
        self.variants: dict[str, list[Variant]] = {}
        for (verb, item), ways in engine("1.16.5", "mc-textworld").operators.items():
            name = f"{verb}_{item}".rstrip("_")
            self.actions.append(name)
            self.variants[name] = [variant for way in ways for variant in spelt(way)]

    def step(self, inventory: dict[str, int], name: str) -> bool:
        """Apply the first variant that fits."""
        if name not in self.actions:
            return False
        for takes, needs, gives in self.variants[name]:
            if enough(inventory, takes) and enough(inventory, needs):
                for item, units in takes.items():
                    inventory[item] -= units
                for item, units in gives.items():
                    inventory[item] = inventory.get(item, 0) + units
                return True
        return False

    def legal(self, inventory: dict[str, int]) -> list[str]:
        """Names of all actions of which a variant fits, once for each that does."""
        return [
            name
            for name, variants in self.variants.items()
            for takes, needs, _ in variants
            if enough(inventory, takes) and enough(inventory, needs)
        ]


def spelt(way: Any) -> list[Variant]:
    """One variant for every choice of members."""
    demands = [*way.takes, *way.needs]
    variants = []
    for chosen in product(*(members for members, _ in demands)):
        units = [(item, n) for item, (_, n) in zip(chosen, demands, strict=True)]
        takes, needs = dict(units[: len(way.takes)]), dict(units[len(way.takes) :])
        variants.append((takes, needs, dict(way.gives)))
    return variants


def enough(inventory: dict[str, int], wanted: dict[str, int]) -> bool:
    """Every wanted item in its number."""
    for item, units in wanted.items():  # noqa: SIM110 (a loop is faster, and what the peer has)
        if item not in inventory or inventory[item] < units:
            return False
    return True


def rates(works: Mapping[str, Callable[[], int]], seconds: float, repeats: int) -> dict[str, float]:
    """Calls a second of processor time in the best of ``repeats`` samples, taken in turns."""
    best = dict.fromkeys(works, 0.0)
    for _ in range(repeats):
        for who, work in works.items():
            start, done = time.process_time(), 0
            while (spent := time.process_time() - start) < seconds:
                done += work()
            best[who] = max(best[who], done / spent)
    return best


def play(env: TextWorldEnv, episodes: list[list[dict[str, Any]]]) -> int:
    """Episodes of an environment; the number of steps."""
    for actions in episodes:
        env.reset()
        for action in actions:
            env.step(action)
    return sum(map(len, episodes))


def play_plain(plain: PlainEngine, episodes: list[list[dict[str, Any]]]) -> int:
    """The same in the plain engine, which takes names."""
    for actions in episodes:
        inventory: dict[str, int] = {}
        for action in actions:
            plain.step(inventory, f"{action['name']}_{action['arguments']['item']}")
    return sum(map(len, episodes))


def call(name: tuple[str, str]) -> dict[str, Any]:
    """An action as a tool call."""
    return {"name": name[0], "arguments": {"item": name[1]}}


def measure(seconds: float, repeats: int) -> dict[str, dict[str, float]]:
    """Rates of the plain engine, of ours under the peer's rules, and of ours under the game's."""
    plain, env = PlainEngine(), TextWorldEnv(rules="mc-textworld", max_steps=10**6)
    game = TextWorldEnv(max_steps=10**6)
    names = [name for name in env.engine.operators if name[1]]
    picks = random.Random(0).choices(names, k=2000)
    workloads = {
        "steps of plans": [plan(target, rules="mc-textworld").actions for target in TARGETS],
        "random steps": [[call(name) for name in picks[i : i + 100]] for i in range(0, len(picks), 100)],
    }
    table = {}
    for what, episodes in workloads.items():
        works = {
            "plain": partial(play_plain, plain, episodes),
            "peer's rules": partial(play, env, episodes),
            "game": partial(play, game, episodes),
        }
        table[what] = rates(works, seconds, repeats)
    states = [{}, {"oak_log": 5, "crafting_table": 1}]
    states.append(
        {"oak_planks": 12, "stick": 8, "cobblestone": 20, "crafting_table": 1, "furnace": 1, "coal": 4}
    )
    states.append(
        states[-1] | {"iron_ingot": 12, "white_wool": 3, "leather": 2, "gold_ingot": 4, "diamond": 3}
    )
    listed = {
        "plain": lambda: sum(1 for held in states if plain.legal(held)),
        "peer's rules": lambda: sum(1 for held in states if env.engine.legal(held)),
        "game": lambda: sum(1 for held in states if game.engine.legal(held)),
    }
    table["listings"] = rates(listed, seconds, repeats)
    return table


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of one sample")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    table = measure(options.seconds, options.repeats)
    factor = table["listings"]["plain"] / RECORDED["listings"]
    heads = ("recorded", "plain", "target", "ours", "x recorded", "game")
    print(f"{'a second':16}" + "".join(f"{head:>12}" for head in heads))
    for what, row in table.items():
        ours, target = row["peer's rules"], TIMES[what] * RECORDED[what] * factor
        row |= {"recorded": RECORDED[what], "target": target}
        numbers = f"{RECORDED[what]:12,}{row['plain']:12,.0f}{target:12,.0f}{ours:12,.0f}"
        print(f"{what:16}{numbers}{ours / RECORDED[what]:12.1f}{row['game']:12,.0f}")
    print(f"This machine's factor, by the plain engine's listings: {factor:.2f}")
    if options.save:
        RESULTS.parent.mkdir(exist_ok=True)
        rounded = {what: {who: round(n) for who, n in row.items()} for what, row in table.items()}
        RESULTS.write_text(json.dumps({"machine factor": round(factor, 2)} | rounded, indent=2) + "\n")


if __name__ == "__main__":
    main()
