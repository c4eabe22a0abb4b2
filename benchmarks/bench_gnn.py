"""How long GiG's graphs and memory take: parsing, features, encoding by nodes; queries by size of bank.

    python benchmarks/bench_gnn.py [--save]

One thread, median of nine calls. Node features are looked up in the table of known texts; what the sentence
encoder takes for all nodes without any table (one call; the paper's Figure 8a) stands beside it.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from functools import partial
from pathlib import Path

import pandas as pd
import torch

from mnemocraft.encoders import get_encoder
from mnemocraft.gnn import scene_graph
from mnemocraft.gnn.features import kitchen_features
from mnemocraft.studies.gig.scaling import latency


def features(nodes: int) -> tuple[float, float]:
    """Milliseconds for the features of a graph's nodes: looked up, and from the sentence encoder."""
    texts = scene_graph(latency.kitchen(nodes)).texts
    encoder = get_encoder("minilm")
    encoder.encode(["Something that no node says."])  # loads it; what it has embedded it does not embed again
    start = time.perf_counter()
    for place, text in enumerate(texts):
        encoder.encode([f"{text} {nodes} {place}"])  # the paper has no table of texts, nor a cache
    uncached = 1000 * (time.perf_counter() - start)
    return latency.milliseconds(partial(kitchen_features(), texts)), uncached


def processor() -> str:
    """The processor's name, and how many of its cores there are."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/gnn.json")
    save = parser.parse_args().save
    torch.set_num_threads(1)
    graphs = latency.graphs()
    cached, uncached = zip(*map(features, graphs["nodes"]), strict=True)
    graphs = graphs.assign(features_ms=cached, features_uncached_ms=uncached).round(3)
    banks = latency.banks(latency.BANKS["full"]).round(3)
    print(f"{graphs.to_string(index=False)}\n\n{banks.to_string(index=False)}")
    if save:
        found = {"machine": processor(), "graphs": _lists(graphs), "banks": _lists(banks)}
        latency.RESULTS.write_text(json.dumps(found, indent=2) + "\n")


def _lists(table: pd.DataFrame) -> dict[str, list[float]]:
    return {str(name): table[name].tolist() for name in table}


if __name__ == "__main__":
    main()
