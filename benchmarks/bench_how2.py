"""How long the full How2 grid takes with the surrogate: 6 set-ups x 4 teachers x 2 splits x 3 seeds x 570.

    python benchmarks/bench_how2.py [--workers 2] [--profile full] [--save]

``base`` has no teacher, so that the grid has 42 conditions and 71,820 episodes; the ablations are left out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies.how2 import sweep


def measure(profile: str, workers: int) -> dict[str, float]:
    """Play the main grid in a fresh folder."""
    whole = sweep.study(profile, [0, 1, 2])
    main = tuple(s for s in whole.streams if s.condition.settings["variant"] == "main")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        records = run_study(
            replace(whole, streams=main), ModelSpec("surrogate"), out=Path(folder), workers=workers
        )
        seconds = time.perf_counter() - started
    return {
        "episodes": len(records),
        "workers": workers,
        "minutes": round(seconds / 60, 2),
        "episodes_per_s": round(len(records) / seconds, 1),
    }


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", choices=sorted(sweep.TASKS), default="full")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/how2.json")
    options = parser.parse_args()
    found = measure(options.profile, options.workers)
    print("\n".join(f"{name:16} {value}" for name, value in found.items()))
    if options.save:
        path = Path(__file__).parent / "results" / "how2.json"
        path.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
