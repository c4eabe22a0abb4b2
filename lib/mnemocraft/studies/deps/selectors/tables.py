"""Tables and claims of notebook 04: success by episode length and selector, gains, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from mnemocraft import stats
from mnemocraft.errors import unreadable
from mnemocraft.paths import DATA, NO_MODEL
from mnemocraft.stats import Cells, Key, difference, rate
from mnemocraft.studies import claims, estimates, papers
from mnemocraft.studies.claims import Claim, minus
from mnemocraft.studies.deps.selectors.sweep import LABELS, LENGTHS, NUMBERS, SELECTORS

CELL = ("controller", "number", "selector")
RIVALS = ("fixed", "random", "clip")
"""What the horizon head is compared with."""
REGISTERED = ("fixed", "random")
"""Those of them about which there are claims."""


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with ``number`` of goals and ``world``."""
    return records.assign(number=records["task"].astype(int), world=records["seed"])


def by_length(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every episode once for each length, with ``passed`` (0 or 1).

    No selector knows how long an episode is: what is done by step L is what is done in an episode of L steps.
    """
    took = episodes["steps"].where(episodes["success"], float("inf"))
    parts = [episodes.assign(length=most, passed=(took <= most).astype(float)) for most in LENGTHS]
    return pd.concat(parts, ignore_index=True)


def cells(episodes: pd.DataFrame) -> Cells:
    """Success rates by :data:`CELL` and length, clustered by world."""
    return stats.cells(by_length(episodes), rate("passed"), [*CELL, "length"], cluster="world")


def controllers(episodes: pd.DataFrame) -> list[str]:
    """Those that acted, in the order of the tables."""
    return sorted(set(episodes["controller"]), reverse=True)


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 4: success by controller, number of goals, length and selector, with Wilson intervals."""
    places = {"controller": controllers(episodes), "number": None, "length": None, "selector": SELECTORS}
    found = estimates.in_order(estimates.rates(by_length(episodes), [*CELL, "length"]), places)
    found = found.assign(label=found["selector"].map(LABELS))
    return found[[*CELL, "label", "length", *estimates.NUMBERS]]


def rivals(episodes: pd.DataFrame) -> list[str]:
    """Those of :data:`RIVALS` that were played."""
    played = set(episodes["selector"])
    return [name for name in RIVALS if name in played]


def gains(episodes: pd.DataFrame) -> pd.DataFrame:
    """How much more one selector solves than another in the same worlds; bootstrap intervals over worlds.

    ``one`` is the horizon head or the oracle, ``other`` one of :data:`RIVALS`. The paper prints the gain of
    the horizon head over a fixed order; it does not say for which length.
    """
    found, printed = cells(episodes), printed_gains()
    by, rows = ("controller", "number", "length", "one", "other"), []
    for key in product(controllers(episodes), NUMBERS, LENGTHS, ("horizon", "nearest"), rivals(episodes)):
        controller, number, length, one, other = key
        keys: list[Key] = [(controller, number, name, length) for name in (one, other)]
        gain = found.bootstrap(difference(keys[:1], keys[1:]))
        paper = printed[number] if (one, other) == ("horizon", "fixed") else float("nan")
        rows.append((*key, *estimates.numbers(gain).values(), paper))
    return pd.DataFrame(rows, columns=[*by, *estimates.NUMBERS, "paper"])


def effort(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: mean steps (a failure counts as all steps), choices and worlds, by condition."""
    steps = episodes["steps"].where(episodes["success"], episodes["limit"])
    by = episodes.assign(mean_steps=steps).groupby(list(CELL), sort=False)
    table = by[["mean_steps", "choices"]].mean().assign(worlds=by.size()).reset_index()
    return table.assign(label=table["selector"].map(LABELS))


def all_tables(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file."""
    return {
        "figure4": success(episodes),
        "gains": gains(episodes),
        "effort": effort(episodes),
        "statuses": estimates.statuses(episodes, CELL).sort_values(list(CELL)),
        "hypotheses": verdicts(cells(episodes), controllers(episodes)),
    }


TESTED = 1000
"""The limited episode length that the paper names (section 4.3.1)."""


def printed_gains() -> pd.Series:
    """The paper's gain of the horizon head over a fixed order, a fraction, by number of goals."""
    return papers.table("deps_fig4").set_index("parallel_goals")["gain_over_fixed"] / 100


def _gain(controller: str, other: str, number: int) -> dict[Key, float]:
    return difference([(controller, number, "horizon", TESTED)], [(controller, number, other, TESTED)])


def _claims(controller: str) -> list[Claim]:
    """The seven claims of ``data/registrations/04_deps_selector.md``, in its order."""
    when = f"({controller} controller, {TESTED:,} steps)"
    said = {"fixed": "holds (4.3.1, no test)", "random": "drawn in Figure 4, without a number"}
    gains = [
        Claim(f"selector, {controller}",
              f"with {number} parallel goals the horizon head solves more than {LABELS[other]} {when}",
              "success", _gain(controller, other, number), said[other], rates=True, registered=True)
        for other in REGISTERED
        for number in NUMBERS
    ]  # fmt: skip
    text = f"its gain over fixed order is larger with 4 goals than with 2 {when}"
    more = minus(_gain(controller, "fixed", 4), _gain(controller, "fixed", 2))
    return [*gains, Claim(f"more goals, {controller}", text, "success", more, said["fixed"], registered=True)]


def verdicts(success: Cells, controllers: Sequence[str]) -> pd.DataFrame:
    """The registered claims at :data:`TESTED` steps, as registered; Holm over the seven of a controller.

    ``success`` are the :func:`cells`. The paper prints gains over a fixed order, which is thus their zero.
    """
    printed: dict[tuple[str, Key], float] = {
        ("success", (controller, int(str(number)), name, TESTED)): value
        for controller, (number, gain) in product(controllers, printed_gains().items())
        for name, value in (("horizon", gain), ("fixed", 0.0))
    }
    judged = [
        claims.judge(_claims(controller), {"success": success}, "worlds", printed, NO_MODEL)
        for controller in controllers
    ]
    return pd.concat(judged, ignore_index=True).drop(columns="metric")


def designs() -> pd.DataFrame:
    """The designs that were played at full size before the registered one, each with its gains in points.

    Raises:
        MnemocraftError: The list of them is damaged.
    """
    path = DATA / "registrations" / "04_earlier_designs.csv"
    with unreadable(path):
        return pd.read_csv(path)
