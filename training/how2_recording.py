"""Makes the recording that notebook 01 replays: ``python -m training.how2_recording``.

Plays :func:`~mnemocraft.studies.how2.sweep.small` live with the small model and writes its answers to
``data/recordings``. It can be stopped and started again; a night on two cores is about right.
"""

import argparse
import os
from collections.abc import Sequence

from mnemocraft import paths
from mnemocraft.llm.replay import RECORDINGS, SUFFIX, export_recording
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies.how2 import sweep
from mnemocraft.studies.how2.load import ADAPTER


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.how2_recording", description=__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="processor threads")
    chosen = parser.parse_args(argv)
    model = f"local:{ADAPTER}"
    out = paths.output_root() / "build" / "recording"
    # One stream after the other: their long conversations would push each other out of the server's cache.
    options = {"threads": chosen.threads}
    spec = ModelSpec(model, out / "answers.sqlite", options=options, max_concurrency=1)
    records = run_study(sweep.small("full"), spec, out=out, workers=1)
    file = RECORDINGS / f"{ADAPTER}{SUFFIX}"
    answers = export_recording(out / "answers.sqlite", file)
    print(f"{len(records)} episodes, {answers} answers, {file.stat().st_size / 1e6:.1f} MB: {file}")


if __name__ == "__main__":
    main()
