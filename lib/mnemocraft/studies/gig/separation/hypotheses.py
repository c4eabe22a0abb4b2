"""The claims of GiG's section 4.2 as tests, judged together."""

from __future__ import annotations

import pandas as pd

from mnemocraft import stats
from mnemocraft.memory.traces import TAU
from mnemocraft.stats import Cells, Key, difference, rate
from mnemocraft.studies import claims
from mnemocraft.studies.claims import Claim
from mnemocraft.studies.gig.separation.tables import MEASURES, pair_cells

CONSISTENTLY = 0.95
"""Share of neighbouring steps below τ that we take the paper's "consistently" to mean."""
CONTROLS = ("untrained", "bag of nodes", "shuffled edges", "λ = 0")
TRAINED: Key = ("trained",)
USES = {"same_task": "of the same task", "agrees": "with the oracle's action"}
CLAIMS = (
    Claim("separation", "Distances within a trace are below those between kitchens: AUC - 0.5",
          "chance", {TRAINED: 1}),
    *(Claim("separation", f"The encoder separates kitchens better than '{other}': difference of {measure}",
            measure, difference([TRAINED], [(other,)])) for other in CONTROLS for measure in MEASURES),
    Claim("neighbours", f"Neighbouring steps are below τ: their share minus {CONSISTENTLY}",
          "below", {TRAINED: 1}),
    *(Claim("retrieval",
            f"What is retrieved under τ is {text} more often than by chance: difference of shares",
            use, {("memory bank",): 1}) for use, text in USES.items()),
)  # fmt: skip


def verdicts(pairs: pd.DataFrame, steps: pd.DataFrame, states: pd.DataFrame) -> pd.DataFrame:
    """One row a claim: the contrast with its interval, p corrected by Holm, the verdict and a sentence.

    Args:
        pairs: Of :func:`~mnemocraft.studies.gig.separation.tables.pairs`.
        steps: Of :func:`~mnemocraft.studies.gig.separation.tables.adjacent`.
        states: Of :func:`~mnemocraft.studies.gig.separation.retrieval.queries` under the trained encoder.
    """
    mine = steps[steps["encoder"] == "trained"]
    hits = states[(states["pool"] == "memory bank") & (states["distance"] < TAU)]
    measured = {measure: pair_cells(pairs, measure, apart=True) for measure in MEASURES}
    measured["chance"] = pair_cells(pairs.assign(auc=pairs["auc"] - 0.5), "auc", apart=True)
    measured["below"] = _over(mine.assign(over=mine["below"] - CONSISTENTLY), "encoder")
    for use in USES:
        measured[use] = _over(hits.assign(over=hits[use] - hits[f"chance_{use}"]), "pool")
    table = claims.judge(CLAIMS, measured, "kitchens", {}).rename(columns={"finding": "sentence"})
    shown = ["claim", "effect", "low", "high", "p", "n", "kitchens", "p_holm", "verdict", "sentence"]
    return table[shown]


def _over(rows: pd.DataFrame, by: str) -> Cells:
    """Means of the column ``over``, resampled by kitchen."""
    return stats.cells(rows, rate("over"), by=[by], cluster="kitchen")


def sentences(table: pd.DataFrame) -> str:
    """The verdicts as a list in Markdown."""
    return "\n".join(f"- **{row.claim}**: *{row.verdict}*. {row.sentence}." for row in table.itertuples())
