"""A first look: of a handful of episodes, with most conditions missing, every study still makes its pages."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from mnemocraft import paths
from mnemocraft.runs import ModelSpec, forecast, run_study
from mnemocraft.studies import claims, findings
from mnemocraft.studies.deps import analysis as deps
from mnemocraft.studies.deps import findings as deps_findings
from mnemocraft.studies.gig import analysis as gig
from mnemocraft.studies.gig import findings as gig_findings
from mnemocraft.studies.gig import measures
from mnemocraft.studies.gig import sweep as gig_sweep
from mnemocraft.studies.gig.scaling import figures as scaling_figures
from mnemocraft.studies.gig.scaling import findings as scaling_findings
from mnemocraft.studies.gig.scaling import spending
from mnemocraft.studies.gig.scaling import tables as scaling
from mnemocraft.studies.household import analysis as household
from mnemocraft.studies.household import findings as household_findings
from mnemocraft.studies.household import load as household_load
from mnemocraft.studies.how2 import analysis as how2
from mnemocraft.studies.how2 import findings as how2_findings
from mnemocraft.studies.how2 import sweep as how2_sweep
from mnemocraft.studies.m2pa import analysis as m2pa
from mnemocraft.studies.m2pa import findings as m2pa_findings
from mnemocraft.studies.mindstores import analysis as mindstores
from mnemocraft.studies.mindstores import findings as mindstores_findings
from mnemocraft.studies.mindstores import sweep as mindstores_sweep
from mnemocraft.studies.tabletop import analysis as tabletop
from mnemocraft.studies.tabletop import findings as tabletop_findings

MODEL = r"$\frac{<b>"
"""Its name is words, too."""
Tables = Mapping[str, pd.DataFrame]
Shown = tuple[Tables, Mapping[str, Any]]


def of_how2(spec: ModelSpec, out: Path) -> Shown:
    records = run_study(how2_sweep.study("smoke", [0]), spec, out=out, workers=1)
    found = how2.data_tables() | how2.tables(records, out)
    return found, how2.draw({MODEL: found})


def of_deps(spec: ModelSpec, out: Path) -> Shown:
    settings = {"task_list": "tables9-16", "version": "1.11.2", "limits": "paper"}
    found = deps.tables(deps.run(spec, "smoke", [0], 1, settings), "tables9-16", "paper")
    return found, deps.draw(found, MODEL)


def of_mindstores(spec: ModelSpec, out: Path) -> Shown:
    records = run_study(mindstores_sweep.study("smoke", [0]), spec, out=out, workers=1)
    found = mindstores.tables(records)
    return found, mindstores.draw(found, MODEL)


def of_m2pa(spec: ModelSpec, out: Path) -> Shown:
    records = m2pa.run(spec, "smoke", [0], 1)
    both = pd.concat([records, m2pa.run(spec, "smoke", [0], 1, compared=True)])
    found = m2pa.tables(records) | {"figure5": m2pa.two_models(both)}
    return found, m2pa.draw(found, MODEL, MODEL + "2")


def of_gig(spec: ModelSpec, out: Path) -> Shown:
    records = run_study(gig_sweep.study("smoke", [42]), spec, out=out, workers=1)
    found = gig.tables(measures.with_idle(records, out))
    return found, gig.draw(found, MODEL)


def of_scaling(spec: ModelSpec, out: Path) -> Shown:
    spec = replace(spec, most=4)  # it needs an episode of each method
    calls = spending.measured(run_study(scaling.study("smoke", [42]), spec, out=out, workers=1), out)
    found = scaling.tables(calls)
    return found, scaling_figures.draw(found, calls, MODEL)


def of_household(spec: ModelSpec, out: Path) -> Shown:
    if missing := household_load.problem("smoke"):
        pytest.skip(missing)
    found = household.tables(household.run(spec, "smoke", [0], 1))
    return found, household.draw(found, MODEL)


def of_tabletop(spec: ModelSpec, out: Path) -> Shown:
    found = tabletop.tables(tabletop.run(spec, "smoke", [0], 1))
    return found, tabletop.draw(found, MODEL)


STUDIES: dict[str, tuple[Callable[[ModelSpec, Path], Shown], findings.Findings]] = {
    "01": (of_how2, how2_findings.findings),
    "03": (of_deps, deps_findings.findings),
    "06": (of_mindstores, mindstores_findings.findings),
    "07": (of_m2pa, m2pa_findings.findings),
    "08": (of_scaling, scaling_findings.findings),
    "09": (of_gig, gig_findings.findings),
    "10": (of_household, household_findings.findings),
    "11": (of_tabletop, tabletop_findings.findings),
}


ONE = ("03", "06", "07", "11")
"""Studies that may be left with a single episode."""
CASES = [
    *(pytest.param(number, 10, marks=[pytest.mark.long] * (number in ONE)) for number in STUDIES),
    *((number, 1) for number in ONE),
]


@pytest.mark.parametrize(("number", "episodes"), CASES)
def test_missing_conditions_stop_nothing(
    number: str, episodes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables, figures, verdicts and findings; a served model with few episodes stopped 03 and 07."""
    monkeypatch.setattr(paths, "output_root", lambda: tmp_path)
    monkeypatch.setattr(forecast, "REHEARSED", 1)  # so that any conditions are among the few
    show, said_of = STUDIES[number]
    found, drawn = show(replace(ModelSpec("surrogate"), most=episodes), tmp_path / "run")
    for figure in drawn.values():
        figure.canvas.draw()
    plt.close("all")
    said = said_of({MODEL: found})
    if "hypotheses" in found:
        claims.sentences(found["hypotheses"], MODEL)
        assert not set(found["hypotheses"]["verdict"]) & {"holds", "fails"}, "nothing is tested"
    assert not any("nan" in line or ": ." in line or "; ." in line for line in said), said
