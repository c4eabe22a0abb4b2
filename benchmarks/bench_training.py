"""How fast the small model learns with attention in blocks, beside the kernel of PyTorch that they call.

Run ``PYTHONPATH=. python benchmarks/bench_training.py`` on an otherwise idle machine (five minutes on two
cores); ``--save`` keeps the table. A step of training is timed on dialogues of random tokens that begin with
the same 900, as a system message does; the first is a warm-up.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from mnemocraft.paths import ROOT
from training.finetune import attention
from training.finetune.__main__ import best_dtype
from training.finetune.base import load_base
from training.finetune.render import Sequence
from training.finetune.training import Batch, Hyperparameters, Trainer, add_adapter

SHARED = 900
STEPS = {"short": ((700, 690, 650), (2400,)), "long": ((7600,),)}
"""Of each step the batches: tokens of every dialogue after the shared ones."""
LEARNT = 0.25
"""Share of those that are learnt: an answer here, a longer message there."""
TOKENS = 6_000
"""Tokens that texts are made of."""


def batches(step: tuple[tuple[int, ...], ...]) -> list[Batch]:
    """A step of dialogues of random tokens."""
    rng = np.random.default_rng(0)
    start = rng.integers(TOKENS, size=SHARED)

    def dialogue(length: int) -> Sequence:
        learn = np.arange(SHARED + length) >= SHARED + length * (1 - LEARNT)
        return Sequence(np.append(start, rng.integers(TOKENS, size=length)), learn, SHARED)

    return [[dialogue(length) for length in batch] for batch in step]


def seconds(kind: str, step: list[Batch], repeats: int, threads: int) -> float:
    """The median of some steps."""
    torch.set_num_threads(threads)
    model, _ = load_base(best_dtype())
    model.set_attn_implementation(kind)
    recipe = Hyperparameters()
    with tempfile.TemporaryDirectory() as folder:
        steps = [step] * (repeats + 1)
        trainer = Trainer(add_adapter(model, recipe), [steps], recipe, list(range(TOKENS)), Path(folder))
        ends = [(trainer.step(), time.perf_counter())[1] for _ in steps]
    return float(np.median([after - before for before, after in pairwise(ends)]))


def main() -> None:
    """Print the table; with ``--save`` keep it too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="processor threads")
    parser.add_argument("--repeats", type=int, default=3, help="steps that are timed")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/training.json")
    chosen = parser.parse_args()
    rows = []
    for name, step in STEPS.items():
        took = {
            kind: seconds(kind, batches(step), chosen.repeats, chosen.threads)
            for kind in ("sdpa", attention.NAME)
        }
        tokens = sum(map(sum, step))
        rows.append({"step": name, "tokens": tokens, **took, "ratio": took["sdpa"] / took[attention.NAME]})
    print(pd.DataFrame(rows).round(2).to_string(index=False))
    if chosen.save:
        head = {"threads": chosen.threads, "machine": platform.processor() or platform.machine()}
        path = ROOT / "benchmarks" / "results" / "training.json"
        path.write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
