"""The claims of GiG's section 4.2 as tests, with Holm's correction over all of them, and where results go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from mnemocraft import stats, weights
from mnemocraft.gnn.encoder import WEIGHTS
from mnemocraft.memory.traces import TAU
from mnemocraft.runs import code_version, write_table
from mnemocraft.stats import Estimate
from mnemocraft.studies.gig.separation_tables import MEASURES, pair_cells

CONSISTENTLY = 0.95
"""Share of neighbouring steps below τ that we take the paper's "consistently" to mean."""
Claim = tuple[str, Estimate]
CONTROLS = ("untrained", "bag of nodes", "shuffled edges")


def verdicts(pairs: pd.DataFrame, steps: pd.DataFrame, states: pd.DataFrame) -> pd.DataFrame:
    """One row a claim: the contrast with its interval, p corrected by Holm, the verdict and a sentence.

    Args:
        pairs: Of :func:`~mnemocraft.studies.gig.separation_tables.pairs`.
        steps: Of :func:`~mnemocraft.studies.gig.separation_tables.adjacent`.
        states: Of :func:`~mnemocraft.studies.gig.retrieval.queries` under the trained encoder.
    """
    claims = [*_separation(pairs), _below_tau(steps), *_retrieval(states)]
    table = pd.DataFrame(
        [
            {
                "claim": text,
                "effect": e.value,
                "low": e.low,
                "high": e.high,
                "p": e.p,
                "n": e.n,
                "kitchens": e.clusters,
            }
            for text, e in claims
        ]
    )
    table = stats.holm(table)
    judged = [
        stats.verdict(estimate, p, "positive")
        for (_, estimate), p in zip(claims, table["p_holm"], strict=True)
    ]
    return table.assign(verdict=[v.outcome for v in judged], sentence=[v.sentence for v in judged])


def _separation(pairs: pd.DataFrame) -> list[Claim]:
    cells = {measure: pair_cells(pairs, measure, apart=True) for measure in MEASURES}
    chance = pair_cells(pairs.assign(auc=pairs["auc"] - 0.5), "auc", apart=True)
    text = "Distances within a trace are below those between kitchens: AUC - 0.5"
    found = [(text, chance.estimate({("trained",): 1}))]
    for other in (*CONTROLS, "λ = 0"):
        contrast = stats.difference([("trained",)], [(other,)])
        for measure in MEASURES:
            text = f"The encoder separates kitchens better than '{other}': difference of {measure}"
            found.append((text, cells[measure].estimate(contrast)))
    return found


def _below_tau(steps: pd.DataFrame) -> Claim:
    mine = steps[steps["encoder"] == "trained"].assign(over=lambda t: t["below"] - CONSISTENTLY)
    cells = stats.cells(mine, stats.rate("over"), by=["encoder"], cluster="kitchen")
    text = f"Neighbouring steps are below τ: their share minus {CONSISTENTLY}"
    return text, cells.estimate({("trained",): 1})


def _retrieval(states: pd.DataFrame) -> list[Claim]:
    """Under τ in the memory bank: is the found better than a random stored transition?"""
    hits = states[(states["pool"] == "memory bank") & (states["distance"] < TAU)]
    found = []
    for use, text in (("same_task", "of the same task"), ("agrees", "with the oracle's action")):
        over = hits.assign(over=hits[use] - hits[f"chance_{use}"])
        cells = stats.cells(over, stats.rate("over"), by=["pool"], cluster="kitchen")
        claim = f"What is retrieved under τ is {text} more often than by chance: difference of shares"
        found.append((claim, cells.estimate({("memory bank",): 1})))
    return found


def sentences(table: pd.DataFrame) -> str:
    """The verdicts as a list in Markdown."""
    return "\n".join(f"- **{row.claim}**: *{row.verdict}*. {row.sentence}." for row in table.itertuples())


def write(found: Mapping[str, pd.DataFrame], seeds: Sequence[int], folder: Path) -> None:
    """Write tables as ``<name>.csv`` with their provenance: no language model, seeds, commit, encoder."""
    source = {
        "model": "none",
        "seeds": " ".join(map(str, seeds)),
        "commit": code_version(),
        "encoder_sha256": weights.sha256(WEIGHTS)[:12],
    }
    for name, table in found.items():
        rounded = table.round(4)
        write_table(rounded.assign(**source), folder / f"{name}.csv")
