"""Tables of notebook 04: success by episode length and selector, gains, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Estimate, Key, difference, rate
from mnemocraft.studies import claims, papers
from mnemocraft.studies.deps.parallel import LABELS, LENGTHS, NUMBERS, SELECTORS

CELL = ("controller", "number", "selector")
TESTED = 1000
"""The limited episode length that the paper names (section 4.3.1)."""
RIVALS = ("fixed", "random", "clip")
"""What the horizon head is compared with."""
COLUMNS = ["value", "low", "high", "n"]


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with ``number`` of goals, ``world`` and, for each length, ``passed_<length>`` (0 or 1).

    No selector knows how long an episode is: what is done by step L is what is done in an episode of L steps.
    """
    passed = {
        f"passed_{length}": (records["success"] & (records["steps"] <= length)).astype(float)
        for length in LENGTHS
    }
    return records.assign(number=records["task"].astype(int), world=records["seed"], **passed)


def _melted(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every episode once for each length, with ``passed``."""
    parts = [episodes.assign(length=length, passed=episodes[f"passed_{length}"]) for length in LENGTHS]
    return pd.concat(parts, ignore_index=True)


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 4: success by controller, number of goals, length and selector, with Wilson intervals."""
    from mnemocraft.studies.deps.measures import rates

    found = rates(_melted(episodes), [*CELL, "length"])
    places = found["selector"].map(SELECTORS.index)
    found = found.assign(_place=places).sort_values(["controller", "number", "length", "_place"])
    found = found.sort_values("controller", ascending=False, kind="stable", ignore_index=True)
    return found.assign(label=found["selector"].map(LABELS))[[*CELL, "label", "length", *COLUMNS]]


def rivals(episodes: pd.DataFrame) -> list[str]:
    """Those of :data:`RIVALS` that were played."""
    played = set(episodes["selector"])
    return [name for name in RIVALS if name in played]


def gains(episodes: pd.DataFrame) -> pd.DataFrame:
    """How much more one selector solves than another in the same worlds; bootstrap intervals over worlds.

    ``one`` is the horizon head or the oracle, ``other`` one of :data:`RIVALS`. The paper prints the gain of
    the horizon head over a fixed order; it does not say for which length.
    """
    cells = stats.cells(_melted(episodes), rate("passed"), [*CELL, "length"], cluster="world")
    printed = papers.table("deps_fig4").set_index("parallel_goals")["gain_over_fixed"] / 100
    controllers = sorted(set(episodes["controller"]), reverse=True)
    grid = product(controllers, NUMBERS, LENGTHS, ("horizon", "nearest"), rivals(episodes))
    rows = []
    for controller, number, length, one, other in grid:
        keys = [(controller, number, name, length) for name in (one, other)]
        gain = cells.estimate(difference(keys[:1], keys[1:]))
        paper = printed[number] if (one, other) == ("horizon", "fixed") else float("nan")
        rows.append((controller, number, length, one, other, *_numbers(gain), paper))
    columns = ["controller", "number", "length", "one", "other", *COLUMNS, "p", "paper"]
    return pd.DataFrame(rows, columns=columns)


def _numbers(found: Estimate) -> tuple[float, float, float, int, float]:
    return found.value, found.low, found.high, found.n, found.p


def effort(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: mean steps (a failure counts as all steps), choices and worlds, by condition."""
    steps = episodes["steps"].where(episodes["success"], episodes["limit"])
    by = episodes.assign(mean_steps=steps).groupby(list(CELL), sort=False)
    table = by[["mean_steps", "choices"]].mean().assign(worlds=by.size()).reset_index()
    return table.assign(label=table["selector"].map(LABELS))


def statuses(episodes: pd.DataFrame) -> pd.DataFrame:
    """How the episodes of every condition ended."""
    ends = episodes.groupby(list(CELL), sort=False)["reason"].value_counts().unstack(fill_value=0)
    return ends.add_prefix("ended_").reset_index()


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims at :data:`TESTED` steps: bootstrap over worlds, Holm's correction over all."""
    cells = stats.cells(_melted(episodes), rate("passed"), [*CELL, "length"], cluster="world")
    printed = papers.table("deps_fig4").set_index("parallel_goals")["gain_over_fixed"] / 100
    rows, found = [], []
    for controller in sorted(set(episodes["controller"]), reverse=True):
        for hypothesis, text, weights, paper, verdict in _claims(controller, printed, rivals(episodes)):
            effect = cells.estimate(weights)
            found.append(effect)
            rows.append(
                {"hypothesis": f"{hypothesis}, {controller}", "claim": f"{text} ({controller} controller)"}
                | {"effect": effect.value, "low": effect.low, "high": effect.high}
                | {"cohens_h": cells.cohens_h(weights) if len(weights) == 2 else float("nan")}
                | {"n": effect.n, "worlds": effect.clusters, "p": effect.p}
                | {"paper_effect": paper, "paper_verdict": verdict}
            )
    return claims.judge(rows, found, ["positive"] * len(found))


def _claims(
    controller: str, printed: pd.Series, others: Sequence[str]
) -> Sequence[tuple[str, str, dict[Key, float], float, str]]:
    """Hypothesis, sentence, weights, the paper's effect and verdict."""

    def gain(other: str, number: int) -> dict[Key, float]:
        keys: list[Key] = [(controller, number, name, TESTED) for name in ("horizon", other)]
        return difference(keys[:1], keys[1:])

    more = gain("fixed", 4) | {key: -weight for key, weight in gain("fixed", 2).items()}
    nothing = float("nan")
    when = f"with 4 parallel goals and {TESTED:,} steps the horizon head solves more than"
    gains = [
        ("selector", f"{when} {LABELS[other]}", gain(other, 4),
         float(printed[4]) if other == "fixed" else nothing, "holds (Figure 4, no test)")
        for other in others
    ]  # fmt: skip
    grows = float(printed[4] - printed[2])
    text = f"its gain over fixed order is larger with 4 goals than with 2 ({TESTED:,} steps)"
    return [*gains, ("more goals", text, more, grows, "holds (4.3.1, no test)")]


def all_tables(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file."""
    return {
        "figure4": success(episodes),
        "gains": gains(episodes),
        "effort": effort(episodes),
        "statuses": statuses(episodes),
        "hypotheses": verdicts(episodes),
    }
