"""What a state finds under τ in other traces: the same task, a usable action, or just a similar kitchen.

GiG retrieves by structure alone and shows goal and action of the nearest stored state (section 3.3). Here the
states of solved held-out traces ask, of which the oracle's next action is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from mnemocraft import stats
from mnemocraft.agents.gig.answers import kind
from mnemocraft.gnn.sequences import KitchenTrace
from mnemocraft.memory.traces import TAU
from mnemocraft.studies.estimates import grid
from mnemocraft.studies.gig.separation.embeddings import DECIMALS, Embed, Floats, relation

POOLS = ("memory bank", "other held-out traces")
"""Where is looked: the agents' 50 traces of the mode, or all solved held-out traces but the state's own."""
ENCODERS = ("trained", "untrained", "bag of nodes")
"""The encoders that are asked, beside those that were trained anew."""
USES = ("same_task", "valid", "possible", "agrees")
"""What may be good about a retrieved transition: its trace had the same task; its action is valid here, word
for word; it is valid but for the numbers in names; it is the oracle's next action but for those numbers."""
TAUS = (0.02, 0.05, TAU, 0.2, 0.3, 0.5)


def queries(embed: Embed, asked: Sequence[KitchenTrace], bank: Sequence[KitchenTrace]) -> pd.DataFrame:
    """One row a state and pool: distance of the nearest stored state, what it brings, and what chance would.

    Returns:
        Columns ``pool``, ``mode``, ``kitchen``, ``distance``, ``relation``, :data:`USES` (0 or 1) and
        ``chance_<use>``: the share of all stored transitions of which it is true.
    """
    rows = []
    for mode in ("sync", "async"):
        own = [trace for trace in asked if trace.task.startswith(mode)]
        stored = [trace for trace in bank if trace.task.startswith(mode)]
        for pool, traces in zip(POOLS, (stored, own), strict=True):
            z = [embed(trace.graphs[:-1]) for trace in traces]
            for trace in own:
                others = [i for i, other in enumerate(traces) if other is not trace]
                stored_here = np.concatenate([z[i] for i in others])
                rows += _ask(trace, embed(trace.graphs[:-1]), [traces[i] for i in others], stored_here, pool)
    return pd.DataFrame(rows)


def _ask(
    trace: KitchenTrace, states: Floats, stored: Sequence[KitchenTrace], z: Floats, pool: str
) -> list[dict[str, object]]:
    """The rows of one trace."""
    places = [(owner, action) for owner in stored for action in owner.actions]
    words, kinds = (Counter(name(action) for _, action in places) for name in (str, kind))
    same_task = np.mean([owner.task == trace.task for owner, _ in places])
    distance = cdist(states, z).round(DECIMALS)
    rows = []
    for step, wanted in enumerate(trace.actions):
        owner, found = places[distance[step].argmin()]
        valid = trace.valid[step]
        possible = {kind(action) for action in valid}
        rows.append(
            {"pool": pool, "mode": trace.task.partition("/")[0], "kitchen": f"{trace.task} {trace.seed}"}
            | {"distance": distance[step].min(), "relation": relation(trace, owner)}
            | {"same_task": int(owner.task == trace.task), "valid": int(found in valid)}
            | {"possible": int(kind(found) in possible), "agrees": int(kind(found) == kind(wanted))}
            | {"chance_same_task": same_task}
            | {"chance_valid": sum(words[action] for action in valid) / len(places)}
            | {"chance_possible": sum(kinds[name] for name in possible) / len(places)}
            | {"chance_agrees": kinds[kind(wanted)] / len(places)}
        )
    return rows


def table(asked: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """By encoder, pool, mode and τ: how often :func:`queries` find something, and how good it is.

    The last τ is infinite: whatever is nearest. The controls have that one only.
    """
    rows = []
    for encoder, states in asked.items():
        for tau in (*(TAUS if encoder == "trained" else ()), np.inf):
            hit = (states["distance"] < tau).astype(int)
            marked = states.assign(hit=hit, **{use: states[use] * hit for use in USES})
            rows += [_summary(marked, measure, encoder, tau) for measure in ("found", *USES)]
    return pd.concat(rows, ignore_index=True)


def _summary(marked: pd.DataFrame, measure: str, encoder: str, tau: float) -> pd.DataFrame:
    by = ["pool", "mode"]
    rate = stats.rate("hit") if measure == "found" else stats.rate(measure, over="hit")
    cells = stats.cells(marked, rate, by=by, cluster="kitchen")
    table = grid(cells, by, cells.value).assign(encoder=encoder, tau=tau, measure=measure, chance=np.nan)
    if measure != "found":
        chance = marked[marked["hit"] == 1].groupby(by)[f"chance_{measure}"].mean()
        table["chance"] = chance.reindex(pd.MultiIndex.from_frame(table[by])).to_numpy()
    return table[["encoder", *by, "tau", "measure", "value", "low", "high", "chance", "n"]]


def origins(states: pd.DataFrame) -> pd.DataFrame:
    """Of the states that find something under τ: what its kitchen shares with theirs, by pool and mode."""
    found = states[states["distance"] < TAU]
    counts = found.groupby(["pool", "mode", "relation"]).size().rename("states").reset_index()
    totals = states.groupby(["pool", "mode"]).size().rename("asked").reset_index()
    return counts.merge(totals, on=["pool", "mode"]).assign(share=lambda t: t["states"] / t["asked"])
