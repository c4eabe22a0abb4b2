"""Makes what lies in ``data/models/``: ``python -m training.scene_encoder`` (two minutes, one core).

Embeds the node texts of kitchens, trains the encoder on the 50 sequences (and twice more with another λ, for
notebook 05) and writes the table of texts, the weights and their card.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from mnemocraft import weights
from mnemocraft.gnn import encoder as model
from mnemocraft.gnn import features, loss, training
from mnemocraft.gnn.sequences import KitchenTrace, training_sequences
from training.kitchen_texts import kitchen_texts, save_table

CARD = """\
# Card of `gig_encoder.safetensors`

The scene-graph encoder of GiG (*Embodied Task Planning via Graph-Informed Action Generation*, section 3.1 and
appendix A.4.2), trained anew by `python -m training.scene_encoder`. Nothing of the paper's authors is in it:
their weights and data are not public.

| file | λ | SHA-256 |
|---|---|---|
{hashes}

`kitchen_texts.safetensors` holds the MiniLM embeddings (`all-MiniLM-L6-v2`, Apache 2.0) of the {texts} node
texts that kitchens can make, in half precision. Made with torch {torch} and PyG {pyg}; another version or
processor may train other weights.

## Data

{sequences} exploration sequences ({solved} that reach the goal, {failed} that do not), {states} states, from
kitchen seeds 0 to 9. None of the benchmark's seeds (42 to 420) is among them. Seed of the training: {seed}.

## What the paper prints

Two GATConv layers (4 heads, then 1), BatchNorm after each and after pooling, dropout {dropout},
mean pooling, output {output}, margin {margin}, λ = {uniformity} (the other λ are for notebook 05), {epochs}
epochs, 50 sequences, the loss of equation 2 to the letter: squared distances in the triplet term,
squared cosines over N² in the other.

## What it leaves out, and what we chose

| choice | value | why |
|---|---|---|
| sentence encoder | MiniLM, {features} numbers | small, free, on PyPI |
| node text | type and what is said of the node alone, no name | equal things look equal in all kitchens |
| hidden size | {hidden} a head | with 16 and 32 any step of a trace is near any other |
| activation σ | ELU | as in the GAT paper |
| dropout | on attention and on what each GAT layer hands on | "across all layers" |
| optimiser | Adam, rate {rate} | higher rates stretch all distances, so that fewer neighbours are below τ |
| epoch | one batch: {pairs} random pair of neighbours from each sequence | half a minute a training |
| negative | a random state of another sequence in the batch | as in section 3.1.3 |
| last BatchNorm | after the linear layer; scale 1/√128 at first | so that unrelated states are α apart |

Hidden size and rate were chosen on kitchens with seeds 0 to 4, never on those of the benchmark.

## What came out (Euclidean distances on the training sequences)

| | ours | the paper's two sequences |
|---|---|---|
| neighbouring states, median | {adjacent:.3f} | |
| neighbouring states below τ = 0.1 | {below:.1%} | "consistently" |
| states of one sequence, median | {intra:.3f} | |
| states of two sequences, median | {inter:.3f} | peak "around 0.8" |

Notebook 05 measures held-out kitchens, against controls. Limits: edges carry no relation (equation 1 has
none), so that being *at* a station and *on top of* it differ by the number of edges only; what is going on
unseen (a cut begun, a pot on the fire) is not in the observation and so not in the embedding; states that
differ by names only are one.
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.scene_encoder", description="Train GiG's encoder."
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=model.WEIGHTS.parent, help="where to write")
    options = parser.parse_args(argv)
    texts = kitchen_texts()
    save_table(texts, options.folder / features.TABLE.name)
    traces = list(training_sequences())
    hashes = []
    for uniformity, path in ({loss.UNIFORMITY: model.WEIGHTS} | model.ABLATION).items():
        encoder = training.train_encoder(
            [trace.graphs for trace in traces], options.seed, options.epochs, uniformity
        )
        encoder.save(options.folder / path.name)
        hashes.append(f"| `{path.name}` | {uniformity:g} | {weights.sha256(options.folder / path.name)} |")
    main_one = model.load_encoder(options.folder / model.WEIGHTS.name)
    facts = _choices() | _data(traces) | _distances(main_one, traces)
    facts |= {
        "hashes": "\n".join(hashes),
        "texts": len(texts),
        "seed": options.seed,
        "epochs": options.epochs,
    }
    card = (options.folder / model.WEIGHTS.name).with_suffix(".md")
    card.write_text(CARD.format(**facts), encoding="utf-8")
    print(f"wrote {card}: neighbours below 0.1 {facts['below']:.1%}, other sequences at {facts['inter']:.2f}")


def _choices() -> dict[str, object]:
    return {
        "torch": version("torch"),
        "pyg": version("torch-geometric"),
        "dropout": model.DROPOUT,
        "output": model.OUTPUT,
        "hidden": model.HIDDEN,
        "features": features.SIZE,
        "margin": loss.MARGIN,
        "uniformity": loss.UNIFORMITY,
        "rate": training.RATE,
        "pairs": training.PAIRS,
    }


def _data(traces: Sequence[KitchenTrace]) -> dict[str, int]:
    reached = sum(trace.solved for trace in traces)
    states = sum(len(trace.graphs) for trace in traces)
    return {"sequences": len(traces), "solved": reached, "failed": len(traces) - reached, "states": states}


def _distances(encoder: model.Encoder, traces: Sequence[KitchenTrace]) -> dict[str, float]:
    """Medians of the distances of neighbours, within traces, and between them."""
    from scipy.spatial.distance import cdist

    embeddings = [encoder.encode(trace.graphs) for trace in traces]
    adjacent = np.concatenate([np.linalg.norm(np.diff(z, axis=0), axis=1) for z in embeddings])
    every = np.concatenate(embeddings)
    owner = np.repeat(np.arange(len(traces)), [len(z) for z in embeddings])
    distance, upper = cdist(every, every), np.triu(np.ones((len(every), len(every)), dtype=bool), 1)
    same = owner[:, None] == owner
    return {
        "adjacent": float(np.median(adjacent)),
        "below": float((adjacent < 0.1).mean()),
        "intra": float(np.median(distance[upper & same])),
        "inter": float(np.median(distance[upper & ~same])),
    }


if __name__ == "__main__":
    main()
