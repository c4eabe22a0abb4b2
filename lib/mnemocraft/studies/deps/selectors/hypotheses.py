"""The paper's claims about the horizon-predictive selector, judged together."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mnemocraft.stats import Cells, Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.claims import Claim, minus
from mnemocraft.studies.deps.parallel import LABELS

TESTED = 1000
"""The limited episode length that the paper names (section 4.3.1)."""


def printed_gains() -> pd.Series:
    """The paper's gain of the horizon head over a fixed order, a fraction, by number of goals."""
    return papers.table("deps_fig4").set_index("parallel_goals")["gain_over_fixed"] / 100


def _gain(controller: str, other: str, number: int) -> dict[Key, float]:
    return difference([(controller, number, "horizon", TESTED)], [(controller, number, other, TESTED)])


def _claims(controller: str, rivals: Sequence[str]) -> list[Claim]:
    when = f"with 4 parallel goals and {TESTED:,} steps the horizon head solves more than"
    who = f"({controller} controller)"
    gains = [
        Claim(f"selector, {controller}", f"{when} {LABELS[other]} {who}", "success",
              _gain(controller, other, 4), "holds (Figure 4, no test)", rates=True)
        for other in rivals
    ]  # fmt: skip
    text = f"its gain over fixed order is larger with 4 goals than with 2 ({TESTED:,} steps) {who}"
    more = minus(_gain(controller, "fixed", 4), _gain(controller, "fixed", 2))
    return [*gains, Claim(f"more goals, {controller}", text, "success", more, "holds (4.3.1, no test)")]


def verdicts(success: Cells, controllers: Sequence[str], rivals: Sequence[str]) -> pd.DataFrame:
    """The claims at :data:`TESTED` steps (:func:`~mnemocraft.studies.claims.judge`), resampled by world.

    Args:
        success: Rates by controller, number of goals, selector and length.
        controllers: Who acted.
        rivals: What the horizon head is compared with.
    """
    # The paper prints gains over a fixed order, which is thus their zero.
    printed: dict[tuple[str, Key], float] = {}
    for controller in controllers:
        for number, gain in printed_gains().items():
            for name, value in (("horizon", gain), ("fixed", 0.0)):
                printed["success", (controller, int(str(number)), name, TESTED)] = float(value)
    listed = [claim for controller in controllers for claim in _claims(controller, rivals)]
    return claims.judge(listed, {"success": success}, "worlds", printed).drop(columns=["metric", "test"])
