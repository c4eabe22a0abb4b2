"""Plans of household games by the engine's own planner, for tests: ``python alfworld_plans.py GAME ...``.

Runs in a process of its own, as the engine changes ``sys.argv`` and ``sys.stdout``; prints a JSON list of
commands a game. What it uses is what an agent must never see.
"""

from __future__ import annotations

import json
import os
import sys


def main(paths: list[str]) -> None:
    import textworld
    from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
    from textworld.envs.pddl import PddlEnv

    out = os.dup(1)
    env = AlfredDemangler(PddlEnv(textworld.EnvInfos(won=True, extras=["walkthrough"])))
    for path in paths:
        env.load(path)
        state = env.reset()
        assert not state["won"]
        os.write(out, json.dumps(state["extra.walkthrough"]).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
