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
from mnemocraft.controllers.herd import FARM
from mnemocraft.controllers.sighted import PACE
from mnemocraft.controllers.skills import SKILLS, begin
from mnemocraft.studies.minecraft import load
from training.controller.evaluate import EPISODES, skill_table

RESULTS = Path(__file__).parent / "results" / "pace.json"
HUNTS = [place for place, skill in enumerate(SKILLS) if skill.goal.verb == "kill" and skill.goal.item in FARM]
COLUMNS = [
    "skill",
    "controller",
    "success_rate",
    "mean_steps",
    "mean_steps_low",
    "mean_steps_high",
    "episodes",
]


def hunt(run: tuple[int, int, int]) -> dict[str, object]:
    """What is hunted, by whom, whether it was killed, and the steps."""
    pace, place, world = run
    skill = SKILLS[place]
    env, observation = begin(skill, world, None)
    done = pursue(env, SightedController(env, pace), skill.goal, observation, skill.max_steps)
    who = f"sighted, {pace} steps an action"
    return {"place": place, "controller": who, "success": done.success, "steps": done.steps}


def main() -> None:
    """Measure, print, and save if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", action="store_true")
    save = parser.parse_args().save
    with ProcessPoolExecutor() as pool:
        rows = pool.map(hunt, product((1, PACE), HUNTS, range(EPISODES)), chunksize=8)
        sighted = skill_table(pd.DataFrame(list(rows)))
    learned = load.skills().query("controller == 'learned'")
    learned = learned[learned["skill"].isin(sighted["skill"])]
    table = pd.concat([sighted, learned])[COLUMNS].sort_values("skill", kind="stable")
    print(table.to_string(index=False))
    if save:
        RESULTS.write_text(json.dumps(table.to_dict("records"), indent=1) + "\n")


if __name__ == "__main__":
    main()
