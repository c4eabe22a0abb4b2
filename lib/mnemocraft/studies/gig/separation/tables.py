"""The tables of notebook 05, measured from distances (:mod:`~mnemocraft.studies.gig.separation.embeddings`).

Intervals are from halves of the kitchens. Two traces of one kitchen, and all pairs that they are in, come and
go together; the halves are shared by all encoders, so that differences between encoders are paired.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from mnemocraft import stats
from mnemocraft import weights as stored
from mnemocraft.gnn import SceneGraph
from mnemocraft.gnn.encoder import WEIGHTS
from mnemocraft.gnn.sequences import KitchenTrace
from mnemocraft.memory.session import SAME
from mnemocraft.memory.traces import TAU
from mnemocraft.paths import NO_MODEL
from mnemocraft.stats import Cells, Estimate, Floats, Key, difference, rate
from mnemocraft.studies import claims, estimates, report
from mnemocraft.studies.claims import ALL, Claim
from mnemocraft.studies.gig.load import MODES
from mnemocraft.studies.gig.separation import embeddings
from mnemocraft.studies.gig.separation.embeddings import DECIMALS, RELATIONS, Distances

Ints = npt.NDArray[np.integer]

MEASURES = ("auc", "silhouette")
PAPER_PEAK = 0.8
"""Where the paper's distances between two sequences peak (section 4.2)."""
APART = RELATIONS[:3]
"""Pairs of traces from different kitchens."""


def pairs(found: Mapping[str, Distances]) -> pd.DataFrame:
    """AUC and silhouette of every pair of traces: columns encoder, relation, one, other (kitchens), ..."""
    rows = []
    for encoder, d in found.items():
        for i, j in combinations(range(len(d.traces)), 2):
            one, other = d.traces[i], d.traces[j]
            between = d.between(i, j)
            measured = (embeddings.auc(d, i, j, between), embeddings.silhouette(d, i, j, between))
            rows.append((encoder, embeddings.relation(one, other), kitchen(one), kitchen(other), *measured))
    return pd.DataFrame(rows, columns=["encoder", "relation", "one", "other", *MEASURES])


def kitchen(trace: KitchenTrace) -> str:
    """What goes into a half as a whole."""
    return f"{trace.task} {trace.seed}"


def pair_cells(table: pd.DataFrame, measure: str, apart: bool = False) -> Cells:
    """Means of a measure over :func:`pairs` by encoder and relation, by halves of whole kitchens.

    A pair of different kitchens counts as often as the product of how often both count: both must be in a
    half. Half of the kitchens have a quarter of these pairs, so that intervals are wide rather than narrow.
    With ``apart`` the cells are ``(encoder,)``, over all pairs of different kitchens.
    """
    names = sorted({*table["one"], *table["other"]})
    used = table[table["relation"].isin(APART)] if apart else table
    sums: dict[Key, Floats] = {}
    counts: dict[Key, Floats] = {}
    for names_of_cell, rows in used.groupby(["encoder"] if apart else ["encoder", "relation"], sort=False):
        key = tuple(map(str, names_of_cell))
        one, other = (pd.Categorical(rows[side], categories=names).codes for side in ("one", "other"))
        sums[key], counts[key] = _by_kitchens(rows[measure].to_numpy(), one, other, len(names))

    def weighted(keys: Sequence[Key], drawn: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            means = [_quadratic(sums[key], drawn) / _quadratic(counts[key], drawn) for key in keys]
        return np.stack(means, axis=-1)

    return Cells(
        {key: float(total.sum() / counts[key].sum()) for key, total in sums.items()},
        {key: int(count.sum()) for key, count in counts.items()},
        {key: (count + count.T).any(axis=0).astype(float) for key, count in counts.items()},
        weighted,
    )


def _by_kitchens(values: Floats, one: Ints, other: Ints, size: int) -> tuple[Floats, Floats]:
    """Sums and numbers of pairs by their kitchens, the first before the second, shape (size, size) each."""
    place = np.minimum(one, other).astype(int) * size + np.maximum(one, other)
    weights = (values, np.ones(len(values)))
    sums, counts = (np.bincount(place, w, size**2).reshape(size, size).astype(float) for w in weights)
    return sums, counts


def _quadratic(matrix: Floats, drawn: Floats) -> Floats:
    """For every draw the sum over pairs of kitchens; within a kitchen it counts as often as the kitchen."""
    diagonal = np.diag(matrix)
    across = ((drawn @ (matrix - np.diag(diagonal))) * drawn).sum(axis=-1)
    return across + drawn @ diagonal


def separation_table(table: pd.DataFrame) -> pd.DataFrame:
    """AUC and silhouette with intervals, by encoder and by what the two kitchens share."""
    rows = []
    for measure in MEASURES:
        apart, by_relation = pair_cells(table, measure, apart=True), pair_cells(table, measure)
        for encoder in table["encoder"].unique():
            found = {"different kitchens": apart.estimate({(encoder,): 1})}
            found |= {name: by_relation.estimate({(encoder, name): 1}) for name in RELATIONS}
            rows += [
                {"encoder": encoder, "kitchens": name, "measure": measure} | _numbers(estimate)
                for name, estimate in found.items()
                if estimate.n
            ]
    return pd.DataFrame(rows)


def _numbers(found: Estimate) -> dict[str, float]:
    return {**estimates.numbers(found), "clusters": found.clusters}


def write(found: Mapping[str, pd.DataFrame], seeds: Sequence[int], folder: Path) -> None:
    """Write tables, all of which come from a network's embeddings, with the weights that made them.

    Four decimals, because differences of what is measured on embeddings have no more.
    """
    origin = {"model": NO_MODEL, "seeds": " ".join(map(str, seeds)), "encoder": stored.sha256(WEIGHTS)[:12]}
    rounded = {name: table.round(DECIMALS) for name, table in found.items()}
    report.write(rounded, origin, folder, {name: table.columns.to_list() for name, table in found.items()})


# --- steps of one trace ----------------------------------------------------------------------------


def adjacent(found: Mapping[str, Distances]) -> pd.DataFrame:
    """One row a step: encoder, kitchen, its distance, and whether that is below τ."""
    frames = [
        pd.DataFrame({"encoder": encoder, "kitchen": kitchen(trace), "distance": d.adjacent[i]})
        for encoder, d in found.items()
        for i, trace in enumerate(d.traces)
    ]
    steps = pd.concat(frames, ignore_index=True)
    return steps.assign(below=(steps["distance"] < TAU).astype(int))


def adjacent_table(steps: pd.DataFrame) -> pd.DataFrame:
    """Share of steps below τ with its interval, and quantiles of their distances, by encoder."""
    cells = stats.cells(steps, stats.rate("below"), by=["encoder"], cluster="kitchen")
    rows = []
    for encoder, mine in steps.groupby("encoder", sort=False):
        estimate = _numbers(cells.estimate({(str(encoder),): 1}))
        low, middle, high = np.quantile(mine["distance"], [0.05, 0.5, 0.95])
        rows.append({"encoder": encoder} | estimate | {"q05": low, "median": middle, "q95": high})
    return pd.DataFrame(rows)


def distance_table(found: Mapping[str, Distances]) -> pd.DataFrame:
    """Quantiles of the distances of each kind, and where they are densest (to 0.05), beside the paper's."""
    rows = []
    for encoder, d in found.items():
        for kind, values in embeddings.of_all(d).items():
            low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
            bins = np.bincount((values / 0.05).astype(int))
            rows.append((encoder, kind, low, middle, high, 0.05 * bins.argmax() + 0.025, len(values)))
    table = pd.DataFrame(rows, columns=["encoder", "distances", "q05", "median", "q95", "peak", "n"])
    between = table["distances"] == embeddings.KINDS[2]
    return table.assign(paper_peak=np.where(between, PAPER_PEAK, np.nan))


ALIKE = ("same state", "same observation", "same up to names", "different")
"""How alike two states of one trace are; a kind excludes those before it."""


def loops(found: Mapping[str, Distances]) -> pd.DataFrame:
    """Pairs of steps of one trace by how alike their states are: how many there are, how many look equal.

    ``same observation`` differs in effects that no text shows (a cut begun, a pot on the fire);
    ``same up to names`` is another table or another slice of bread. What looks equal is a loop to the agent.
    """
    first = next(iter(found.values()))
    kinds = [_kinds(trace) for trace in first.traces]
    rows = []
    for encoder, d in found.items():
        equal = [within < SAME for within in d.within]
        for kind in ALIKE:
            total = sum(int((mine == kind).sum()) for mine in kinds)
            alike = sum(int((mine == kind)[e].sum()) for mine, e in zip(kinds, equal, strict=True))
            rows.append({"encoder": encoder, "states": kind, "pairs": total, "look_equal": alike})
    return pd.DataFrame(rows)


def _kinds(trace: KitchenTrace) -> np.ndarray:
    """The kind of every pair of steps, in the order of ``Distances.within``."""
    one, other = np.triu_indices(len(trace.graphs), 1)
    numbers = [_numbered(trace.snapshots), _numbered(trace.graphs), _numbered([*map(shape, trace.graphs)])]
    return np.select([number[one] == number[other] for number in numbers], ALIKE[:3], ALIKE[3])


def _numbered(values: Sequence[Hashable]) -> np.ndarray:
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values])


def shape(graph: SceneGraph) -> tuple[int, ...]:
    """Equal for graphs that differ by names only, and hardly for any others.

    The nodes' colours are refined four times by those of their neighbours (Weisfeiler and Leman).
    """
    colours = [_hash(text) for text in graph.texts]
    for _ in range(4):
        near: list[list[tuple[str, int]]] = [[] for _ in colours]
        for a, b, relation in graph.edges:
            near[a].append((relation, colours[b]))
        colours = [_hash((own, *sorted(seen))) for own, seen in zip(colours, near, strict=True)]
    return tuple(sorted(colours))


def _hash(value: object) -> int:
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest())


CONSISTENTLY = 0.95
"""Share of neighbouring steps below τ that we take the paper's "consistently" to mean."""
CONTROLS = ("untrained", "bag of nodes", "shuffled edges")
TRAINED: Key = ("trained",)
USES = {"same_task": "of the same task", "agrees": "with the oracle's action"}
UNIT = "kitchens"
"""What a cluster is, in the plural."""
NO_CONTROL = "has no such control"


def _over_modes(*encoder: str) -> dict[str, dict[Key, float]]:
    """By part, the weights of the first of some encoders less the second, or of one beside chance."""
    signs = dict(zip(encoder, (1.0, -1.0), strict=False))
    parts: dict[str, dict[Key, float]] = {
        mode: {(name, mode): sign for name, sign in signs.items()} for mode in MODES
    }
    return {ALL: {key: w / len(MODES) for part in parts.values() for key, w in part.items()}} | parts


def _by_mode(text: str, metric: str, paper: str, *encoder: str) -> Claim:
    """A claim about retrieval, over both modes and in each."""
    parts = _over_modes(*encoder)
    return Claim("retrieval", text, metric, parts.pop(ALL), paper, parts=parts)


CLAIMS = (
    Claim("separation", "Distances within a trace are below those between kitchens: AUC - 0.5",
          "chance", {TRAINED: 1}, "holds for two pairs of traces (4.2, A.4.1)"),
    *(Claim("separation", f"The committed weights separate kitchens better than '{other}': difference of AUC",
            "auc", difference([TRAINED], [(other,)]), NO_CONTROL) for other in CONTROLS),
    Claim("neighbours", f"Neighbouring steps are below τ: their share minus {CONSISTENTLY}",
          "below", {TRAINED: 1}, "holds for one pair of traces (4.2)"),
    *(_by_mode(f"What is retrieved under τ is {text} more often than by chance: difference of shares",
               use, "argued (3.3), not measured", "trained") for use, text in USES.items()),
    *(_by_mode(f"The nearest state of the bank brings the oracle's action more often by the committed "
               f"weights than by '{other}': difference of shares", "nearest", NO_CONTROL, "trained", other)
      for other in CONTROLS[:2]),
)  # fmt: skip
"""About the committed weights: what other trainings give is :func:`trainings`, without a test."""


def verdicts(pairs: pd.DataFrame, steps: pd.DataFrame, asked: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The claims (:func:`~mnemocraft.studies.claims.judge`), by kitchen.

    From :func:`pairs`, :func:`adjacent` and, by encoder,
    :func:`~mnemocraft.studies.gig.separation.retrieval.queries`.
    """
    mine = steps[steps["encoder"] == "trained"]
    compared = ("trained", *CONTROLS[:2])
    states = pd.concat([asked[name].assign(encoder=name) for name in compared], ignore_index=True)
    states = states[states["pool"] == "memory bank"]
    hits = states[(states["encoder"] == "trained") & (states["distance"] < TAU)]
    measured = {
        "auc": pair_cells(pairs, "auc", apart=True),
        "chance": pair_cells(pairs.assign(auc=pairs["auc"] - 0.5), "auc", apart=True),
        "below": _over(mine.assign(over=mine["below"] - CONSISTENTLY), "encoder"),
        "nearest": _over(states.assign(over=states["agrees"]), "encoder", "mode"),
    }
    for use in USES:
        measured[use] = _over(hits.assign(over=hits[use] - hits[f"chance_{use}"]), "encoder", "mode")
    return claims.judge(CLAIMS, measured, UNIT, {}, NO_MODEL)


def _over(rows: pd.DataFrame, *by: str) -> Cells:
    """Means of the column ``over``, clustered by kitchen."""
    return stats.cells(rows, rate("over"), by=list(by), cluster="kitchen")


def trainings(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row an encoder: what the committed training, others and the controls come to, without a test.

    ``agrees``: share of states whose nearest in the memory bank brings the oracle's action, mean of the
    modes; ``false_alarms``: pairs of different states that look equal; ``of`` so many.
    """
    apart = found["separation"].query("kitchens == 'different kitchens'")
    table = apart.pivot(index="encoder", columns="measure", values="value")[list(MEASURES)]
    nearest = found["retrieval"].query(
        "pool == 'memory bank' and tau == inf and measure == 'agrees'", local_dict={"inf": np.inf}
    )
    loops = found["loops"].query("states == 'different'").set_index("encoder")
    columns = {
        "below_tau": found["adjacent"].set_index("encoder")["value"],
        "agrees": nearest.groupby("encoder")["value"].mean(),
        "false_alarms": loops["look_equal"],
        "of": loops["pairs"],
    }
    order = list(found["adjacent"]["encoder"])
    return table.assign(**columns).reindex(order).rename_axis("encoder").reset_index()
