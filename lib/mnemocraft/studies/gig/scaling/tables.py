"""Notebook 08: from where on GiG costs less than ReAct, by the paper's formulas and in our episodes.

Nothing here reads a clock; latencies are in :mod:`~mnemocraft.studies.gig.scaling.latency`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd
from scipy.optimize import brentq

from mnemocraft import costs, paths
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.runs import Study
from mnemocraft.studies import papers, report
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.gig import sweep
from mnemocraft.studies.gig.scaling.spending import METHODS, PAPER_CROSSOVER, episodes, lengths, pairs

STEM = "08_gig_flops_and_scaling"
SYSTEM, OBSERVATION, OUTPUT = 1000, 650, 1000
"""Lengths where none is measured: our prompts at four characters a token, and the reasoning of about 1,000
tokens that the paper mentions (section 5; 4.7 has thousands of tokens an interaction). Its text does not say
which lengths its figures have."""
BRANCHING = int(papers.fact("gig", "fig10_branching"))
OUTPUTS = (250, 500, 1000, 2000, 4000)
BRANCHINGS = (1, 2, 5, 10, 15, 20, 30)
FACTORS = (1, 10, 100)
LONGEST = 246
"""Steps after which the longest task of the benchmark is stopped: 3 x 82."""
LONGEST_OUTPUT = 1000
"""Longest output that is tried, in observations."""
SYSTEM_RATIOS = (0.0, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0)


def crossovers(
    system: float = SYSTEM, observation: float = OBSERVATION, branchings: Sequence[float] = BRANCHINGS
) -> pd.DataFrame:
    """From how many steps on GiG costs less than ReAct, a tenth and a hundredth, by output and branching."""
    rows = []
    for output, branching in product(OUTPUTS, branchings):
        case = costs.Lengths(system, observation, output, branching)
        rows.append([*case, *(costs.crossover_horizon(*case, factor) for factor in FACTORS)])
    return pd.DataFrame(rows, columns=[*costs.Lengths._fields, *(f"below_1_{factor}" for factor in FACTORS)])


def projected(found: pd.DataFrame) -> pd.DataFrame:
    """The crossovers by mode with the prompts of our kitchens, for outputs of any length.

    Of :func:`~mnemocraft.studies.gig.scaling.spending.lengths` it takes ReAct's system message and
    observation, and the branching that GiG met.
    """
    gig, react = (found[found["method"] == method] for method in METHODS)
    kitchens = react.merge(gig[["mode", "branching"]], on="mode", suffixes=("_react", ""))
    tables = [
        crossovers(row["system"], row["observation"], [row["branching"]]).assign(mode=row["mode"])
        for row in kitchens.to_dict("records")
    ]
    return pd.concat(tables, ignore_index=True) if tables else crossovers(branchings=[]).assign(mode="")


def needed_output(horizon: int, system: float, branching: float) -> float:
    """Output in observations (R / O) at which both agents cost the same after ``horizon`` steps, at least 0.

    Only ratios of lengths matter, because what the tokens of an output cost among themselves is the same in
    both. Longer outputs make GiG the cheaper one, shorter ones ReAct.

    Args:
        system: Length of the system message in observations (S / O).

    Raises:
        MnemocraftError: ReAct is the cheaper one then with any output.
    """

    def surplus(output: float) -> float:
        react = costs.react_attention_cost(horizon, system, 1.0, output)
        return react - costs.gig_attention_cost(horizon, system, 1.0, output, branching)

    if surplus(0) >= 0:
        return 0.0
    if surplus(LONGEST_OUTPUT) < 0:
        raise MnemocraftError(
            f"No output of up to {LONGEST_OUTPUT} observations makes GiG cheaper after {horizon} step(s)."
        )
    return float(brentq(surplus, 0, LONGEST_OUTPUT))


def paper_crossover() -> pd.DataFrame:
    """At which lengths "baselines cost less below 25 steps" holds with 10 valid actions (A.3)."""
    ratios = [needed_output(PAPER_CROSSOVER, system, BRANCHING) for system in SYSTEM_RATIOS]
    table = {"system_per_observation": SYSTEM_RATIOS, "output_per_observation": ratios}
    return pd.DataFrame(table).assign(branching=BRANCHING, crossover=PAPER_CROSSOVER)


def study(profile: str, seeds: Sequence[int]) -> Study:
    """GiG's and ReAct's streams of the kitchen study: in one layout, in profile ``full`` in the paper's ten.

    What is compared here are lengths, which ten layouts give; nothing is tested.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    one_of("profile", profile, paths.PROFILES)
    check_seeds(seeds, 42)
    used = BENCHMARK_SEEDS if profile == "full" else seeds[:1]
    whole = sweep.study("smoke" if profile == "smoke" else "quick", used)
    streams = [s for s in whole.streams if s.condition.settings["method"] in METHODS]
    return replace(whole, name=STEM, streams=tuple(streams))


def tables(calls: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from :func:`~mnemocraft.studies.gig.scaling.spending.measured`."""
    played = episodes(calls)
    means = lengths(played)
    return {
        "crossovers": crossovers(),
        "paper_crossover": paper_crossover(),
        "episodes": played,
        "lengths": means,
        "projected": projected(means),
        "pairs": pairs(calls),
    }


ALGEBRA = ("crossovers", "paper_crossover")
"""Tables that follow from the formulas alone, whoever plays."""


def write(found: Mapping[str, pd.DataFrame], records: pd.DataFrame, folder: Path) -> None:
    """Write tables, those of :data:`ALGEBRA` with a provenance that names no model."""
    computed = {name: found[name] for name in ALGEBRA}
    report.write(computed, {"model": paths.NO_MODEL, "seeds": "", "config": ""}, folder)
    report.write({name: table for name, table in found.items() if name not in ALGEBRA}, records, folder)
