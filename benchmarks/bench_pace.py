"""How slow the sighted controller is beside the learned one: steps to kill an animal.

The learned controller's are those of ``data/models/controller_skills.csv``; the sighted one plays the same
worlds now, at full speed and at its own pace. An animal that was not killed in 600 steps counts as 600.
``--save`` writes ``benchmarks/results/pace.json``.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import pandas as pd

from mnemocraft.controllers import SightedController, pursue
from mnemocraft.controllers.sighted import PACE
from mnemocraft.controllers.skills import FARM, SKILLS, Skill, begin
from mnemocraft.studies.minecraft import load

RESULTS = Path(__file__).parent / "results" / "pace.json"
HUNTS = [skill for skill in SKILLS if skill.goal.verb == "kill" and skill.goal.item in FARM]
LEARNED = {"success_rate": "success", "mean_steps": "steps", "episodes": "worlds"}


def hunt(run: tuple[int, Skill, int]) -> tuple[str, str, bool, int]:
    """What is hunted, by whom, whether it was killed, and the steps."""
    pace, skill, world = run
    env, observation = begin(skill, world, None)
    done = pursue(env, SightedController(env, pace), skill.goal, observation, skill.max_steps)
    return skill.name, f"sighted, {pace} steps an action", done.success, done.steps


def main() -> None:
    """Measure, print, and save if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", action="store_true")
    save = parser.parse_args().save
    known = load.skills().query("controller == 'learned'").rename(columns=LEARNED)
    known = known[known["skill"].isin([skill.name for skill in HUNTS])]
    runs = list(product((1, PACE), HUNTS, range(int(known["worlds"].max()))))
    with ProcessPoolExecutor() as pool:
        rows = list(pool.map(hunt, runs, chunksize=8))
    hunts = pd.DataFrame(rows, columns=["skill", "controller", "success", "steps"])
    by = hunts.groupby(["skill", "controller"], sort=False)["steps"]
    found = hunts.groupby(["skill", "controller"], sort=False).mean().assign(worlds=by.size()).reset_index()
    table = pd.concat([found, known[found.columns]]).round({"success": 3, "steps": 1})
    print(table.sort_values("skill", kind="stable").to_string(index=False))
    if save:
        RESULTS.write_text(json.dumps(table.to_dict("records"), indent=1) + "\n")


if __name__ == "__main__":
    main()
