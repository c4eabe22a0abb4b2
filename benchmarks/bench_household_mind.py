"""Household: how many games the stand-in wins within 50 steps when it knows everything, by agent.

    python -m benchmarks.bench_household_mind [--agents dep gig_ld] [--every 10] [--workers 2] [--save]

A stand-in that knows everything, overlooks nothing and never slips must win nearly everywhere, or its mind or
the format in which an agent asks is at fault. Each agent plays once our 120 small games, which are so seen to
be winnable, and the 134 of ``valid_unseen`` ($ALFWORLD_DATA). Games already in the run folder are not played
again, so that a run that was stopped goes on where it stood. Agents that plan once are left out: their format
cannot say "look until you find it".

Prints a table by agent and lists what was not won; ``--save`` also writes it to
``benchmarks/results/household_mind.json``.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import Condition, ModelSpec, Stream, Study, run_study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.household import load, sweep
from mnemocraft.worlds.household import task_names

RESULTS = Path(__file__).parent / "results" / "household_mind.json"
STEM = "household_mind"
MODEL = "surrogate:knowledge=1,attention=1,slip=0"
AGENTS = ("react", "base", "recap", "gig_ld", "inner_monologue", "dep", "zero_shot_rp")
"""All agents that play in households and are asked again as they learn what is where."""
TARGET = 0.95


def study(agents: Sequence[str], every: int) -> Study:
    """Every agent on every game (or one of ``every`` of them); a stream a game, named by its place."""
    games, streams = task_names(), []
    for agent in agents:
        condition = Condition(agent, {"agent": agent, "max_steps": sweep.MAX_STEPS, "sub_goals": False})
        streams += [Stream(condition, n, (games[n],)) for n in range(0, len(games), every)]
    return Study(STEM, tuple(streams), sweep.start, fingerprint(sweep.start, sweep.DATA))


def by_agent(records: pd.DataFrame) -> pd.DataFrame:
    """A row a set of games and agent: games, games won, their share, median and most steps of those won."""
    rows = []
    of = records["task"].str.partition("/")[0].rename("set")
    for (games, agent), played in records.groupby([of, "agent"], sort=False):
        steps = played.loc[played["success"], "steps"]
        rows.append(
            {"set": games, "agent": agent, "games": len(played), "won": int(played["success"].sum())}
            | {"share": round(float(played["success"].mean()), 4)}
            | {"median_steps": float(steps.median()), "most_steps": steps.max()}
        )
    return pd.DataFrame(rows)


def main() -> int:
    """Play, print, and save if asked to; 1 if an agent wins less than is wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", nargs="+", choices=AGENTS, default=AGENTS, help="default: all of them")
    parser.add_argument("--every", type=int, default=1, help="take every so many games only (default: 1)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--save", action="store_true", help="write the results file")
    given = parser.parse_args()
    spec = ModelSpec.of_notebook(MODEL, None, None)
    if problem := load.problem("full"):
        raise MnemocraftError(problem)
    records = run_study(
        study(given.agents, given.every), spec, out=paths.run_dir(STEM, MODEL), workers=given.workers
    )
    table, lost = by_agent(records), records[~records["success"].astype(bool)]
    print(table.to_string(index=False))
    print(lost[["agent", "task", "reason", "steps"]].to_string(index=False) if len(lost) else "All won.")
    if given.save:
        results = {
            "model": MODEL,
            "max_steps": sweep.MAX_STEPS,
            "machine": platform.processor() or platform.machine(),
            "python": platform.python_version(),
            "agents": table.to_dict("records"),
            "lost": lost[["agent", "task", "reason"]].to_dict("records"),
        }
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"the least is {table['share'].min():.1%}, at least {TARGET:.0%} wanted")
    return int(table["share"].min() < TARGET)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MnemocraftError as error:
        sys.exit(f"error: {error}")
