"""How long GiG's graphs and memory take (Figure 8a): measured now, for a look, and as once recorded.

Times differ from run to run, so that none of them goes into a result table; the figure is drawn from the
recorded ones, which name their machine.
"""

from __future__ import annotations

import json
import statistics
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn import load_encoder, scene_graph
from mnemocraft.memory import TraceMemory

NODES = (10, 20, 50, 100, 200, 500)
BANKS = {"smoke": (100, 1_000), "quick": (100, 1_000, 10_000, 100_000), "full": (10**3, 10**4, 10**5, 10**6)}
"""Sizes of the memory banks that a profile searches; the largest takes half a gigabyte."""
RESULTS = paths.ROOT / "benchmarks" / "results" / "gnn.json"
BUDGET_MS, BUDGET_NODES = 5.0, 100
"""What building and encoding a graph may take: our target."""
KITCHEN_NODES = 20
"""About as many as a kitchen of the benchmark has (15 to 27)."""
PAPER_MS = 150.0
"""Bound on building a graph in Figure 8a, on a machine and for sizes that the paper's text does not name."""
NEAR_LINEAR, NEAR_CONSTANT = 1.25, 0.25
"""Largest exponents that we call so."""
REPEATS = 9
SIZE = 64
"""Numbers in an embedding."""
TRACE = 50
"""States in each trace of a bank."""


def kitchen(nodes: int) -> str:
    """The observation of a kitchen of about as many entities: tables, each with a slice of bread."""
    blocks = []
    for i in range(1, nodes // 2 + 1):
        blocks.append(
            f"Station table{i}:\ntable{i} is a table\ntable{i} has bread{i}\n"
            f"table{i} has bread{i} directly on top of it\ntable{i} has no players at it"
        )
        blocks.append(
            f"Item bread{i}:\nbread{i} is a bread slice\nbread{i} is at table{i}\n"
            f"bread{i} is directly on top of table{i}\nbread{i} has nothing above it"
        )
    return "\n\n".join(blocks)


def graphs() -> pd.DataFrame:
    """Milliseconds to parse an observation and to encode its graph (known node texts), by number of nodes."""
    encoder = load_encoder()
    rows = []
    for text in map(kitchen, NODES):
        graph = scene_graph(text)
        encoder.encode([graph])  # the first time loads the node texts
        parse = milliseconds(partial(scene_graph, text))
        rows.append((len(graph), parse, milliseconds(partial(encoder.encode, [graph]))))
    return pd.DataFrame(rows, columns=["nodes", "build_ms", "encode_ms"])


def banks(sizes: Sequence[int]) -> pd.DataFrame:
    """Milliseconds to find the closest state in banks of random states, by number of states."""
    rng = np.random.default_rng(0)
    memory, rows = TraceMemory(), []
    for size in sorted(sizes):
        while len(memory) < size:
            memory.add("a sandwich", rng.normal(size=(TRACE, SIZE)), ["Do nothing"] * TRACE)
        query = rng.normal(size=SIZE)
        rows.append((len(memory), milliseconds(partial(memory.closest, query))))
    return pd.DataFrame(rows, columns=["bank", "query_ms"])


def milliseconds(work: Callable[[], object]) -> float:
    """Median time of a call, in milliseconds."""
    return 1000 * statistics.median(timeit.repeat(work, number=1, repeat=REPEATS))


@dataclass(frozen=True)
class Recorded:
    """Times in milliseconds that the benchmark kept.

    Attributes:
        graphs: Columns ``nodes``, ``build_ms`` (parsing), ``encode_ms`` (node texts looked up, then the graph
            neural network), ``features_ms`` (the look-up alone), ``features_uncached_ms`` (the sentence
            encoder on every node anew).
        banks: Columns ``bank``, ``query_ms``.
        machine: Where they were taken.
    """

    graphs: pd.DataFrame
    banks: pd.DataFrame
    machine: str


def recorded() -> Recorded:
    """The times in ``benchmarks/results/gnn.json``. Raises MnemocraftError if it holds something else."""
    try:
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))
        return Recorded(pd.DataFrame(kept["graphs"]), pd.DataFrame(kept["banks"]), kept["machine"])
    except (OSError, ValueError, KeyError) as error:
        raise MnemocraftError(
            f"{RESULTS} does not hold the recorded times ({error}); benchmarks/bench_gnn.py --save writes it."
        ) from None


def facts(times: Recorded) -> str:
    """The recorded times beside our target and what section 4.7 says, as a Markdown list."""
    graphs = times.graphs.set_index("nodes")
    anew = graphs["build_ms"] + graphs["features_uncached_ms"]
    ours, theirs = graphs.loc[BUDGET_NODES, ["build_ms", "encode_ms"]].sum(), anew[KITCHEN_NODES]
    growth, constant = _exponent(anew), _exponent(graphs["encode_ms"])
    few, many = graphs["encode_ms"].loc[:BUDGET_NODES].agg(["min", "max"])
    near = f"{few:.1f} to {many:.1f} ms up to {BUDGET_NODES} nodes"
    told = (
        f"{BUDGET_NODES} nodes, texts looked up: {ours:.2f} ms (our target: {BUDGET_MS:g} ms)",
        f"{KITCHEN_NODES} nodes, no look-up: {theirs:.0f} ms (the paper: less than {PAPER_MS:g} ms, on a "
        "machine and for sizes that its text does not name)",
        f"building, no look-up: nodes to the power of {growth:.2f} (the paper: near linear)",
        f"encoding: nodes to the power of {constant:.2f}, and {near} (the paper: constant)",
    )
    return "\n".join(f"- {text}." for text in told)


def _exponent(ms: pd.Series) -> float:
    """Slope of times over nodes, their index, on logarithmic axes: 0 is constant, 1 proportional."""
    slope = np.polyfit(np.log(ms.index.to_numpy(float)), np.log(ms.to_numpy(float)), 1)[0]
    return round(float(slope), 2) + 0.0  # -0.0 becomes 0.0
