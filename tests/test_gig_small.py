"""The small model's study of notebook 09: who makes what where, and what is counted."""

import pandas as pd
import pytest

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.gig import analysis, findings, load, small, sweep

KNOWN = ("sync/0", "sync/1", "sync/6", "sync/8", "sync/9")
"""As the plan lists them, which was written before any training."""


def record(method, items, task, layout, success):
    names = {"method": method, "items": items, "task": task, "seed": layout, "model": "x"}
    return names | {"steps": 9, "status": "ok", "reason": "success", "success": success, "calls": 9}


def test_the_arms_make_their_dishes_in_24_layouts():
    assert small.dishes("known") == KNOWN
    assert set(small.dishes("unknown")) == set(load.tasks("sync")) - set(KNOWN)
    streams = small.study("full").streams
    assert streams == small.study("quick").streams and len(streams) == 10 * 24
    assert {stream.seed for stream in streams} == set(range(42, 24 * 42 + 1, 42))
    made = {stream.condition.id: stream.tasks for stream in streams}
    assert [arm for arm, tasks in made.items() if tasks != KNOWN] == [
        "small/gig_exp/unknown", "small/gig/unknown"
    ]  # fmt: skip
    assert [len(stream.tasks) for stream in small.study("smoke").streams] == [1] * 10
    with pytest.raises(MnemocraftError, match="no profile 'huge'"):
        small.study("huge")


def test_pass_at_1_the_goal_and_the_claims():
    won = {("gig", "known"): 3, ("gig_exp", "known"): 4, ("react", "known"): 1, ("gig_ld", "known"): 1}
    won |= {("gig", "unknown"): 0, ("gig_exp", "unknown"): 2}
    rows = [
        record(*arm, f"sync/{n}", layout, n < passed)
        for arm, passed in won.items()
        for n in range(4)
        for layout in (42, 84)
    ]
    found = small.tables(pd.DataFrame(rows))
    table = found["known_dishes"].set_index(["method", "items"])
    assert table["value"].to_dict() == {
        ("gig_ld", "known"): 0.25, ("react", "known"): 0.25, ("gig", "known"): 0.75, ("gig_exp", "known"): 1,
        ("gig_exp", "unknown"): 0.5, ("gig", "unknown"): 0, ("gig_exp", "all"): 0.75, ("gig", "all"): 0.375,
    }  # fmt: skip
    assert set(table["layouts"]) == {2}
    assert dict(found["goals_of_the_design"].set_index("method")["met"]) == {"react": "no", "gig": "yes"}
    effects = found["hypotheses"].set_index(["claim", "part"])["effect"]
    assert effects["GiG makes more known dishes than without lookahead", "all"] == 0.5
    experience = effects["GiG+Exp makes more dishes than GiG"]
    assert experience.to_dict() == {"all": 0.375, "known": 0.25, "unknown": 0.5}
    assert pd.isna(effects["GiG makes more known dishes than without loop detection", "all"])  # not played
    assert set(small.reading(found["known_dishes"]).loc["ReAct", ["unknown", "all"]]) == {"not played"}
    told = findings.findings({"x": found})
    assert len(told) == 1 and "unknown tasks +50.0 points" in told[0] and "()" not in told[0]


def test_the_small_models_tables_and_figures_lie_in_folders_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    found = analysis.run_small("surrogate", (None, None, "smoke", 1), "smoke", 1)
    folder = paths.results_dir(sweep.STEM, "surrogate", "smoke")
    assert {path.stem for path in folder.glob("*.csv")} == set(found)
    assert shipped.read(folder)["statuses"]["episodes"].to_list() == [1] * 10
    drawn = {path.stem for path in paths.figures_dir(sweep.STEM, "surrogate", "smoke").glob("*.png")}
    assert drawn == {"dishes", "verdicts"}
