"""What notebook 08 found, in sentences made from its tables."""

from __future__ import annotations

from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies.estimates import text
from mnemocraft.studies.findings import Played
from mnemocraft.studies.gig.scaling.spending import PAPER_CROSSOVER

UNTESTED = "Nothing is tested here: the costs follow from the equations and from the lengths of the texts."


def findings(played: Played) -> list[str]:
    """The lines at the head of the notebook; what was not run says nothing."""
    lines = []
    for model, found in played.items():
        if not {"facts", "paper_crossover"} <= set(found):
            continue
        needed = found["paper_crossover"]["output_per_observation"]
        lines.append(
            f"The paper's crossover at {PAPER_CROSSOVER} steps with ten valid actions is exact for outputs "
            f"of {needed.min():.1f} to {needed.max():.1f} observations; shorter ones move it to longer tasks."
        )
        facts = {row["fact"]: row for _, row in found["facts"].iterrows()}
        who = f"`{model}`, whose answers are short by assumption (answers have a fixed length)"
        if not is_surrogate(model):
            who = f"`{model}`"
        for fact, when in (("short", "within the first 24 calls"), ("long", "after 25 or more calls")):
            row = facts[fact]
            if row["n"]:
                lines.append(
                    f"With the prompts of our kitchens and {who}, ReAct spends {10 ** row['value']:.1g} "
                    f"times as much attention as GiG {when} (log10 {text(row)}, n = {row['n']:.0f} kitchens)."
                )
        row = facts["growth"]
        lines.append(
            "As the equations say, ReAct's cost grows faster: the exponents differ by "
            f"{text(row)} (n = {row['n']:.0f} kitchens)."
        )
        lines.append(UNTESTED)
    return lines
