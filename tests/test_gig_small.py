"""The small model's study of notebook 09: who makes what where, and what is counted."""

import pandas as pd
import pytest

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.gig import analysis, findings, load, small, sweep

SHORT, LONG = ("sync/0", "sync/1", "sync/6"), ("sync/8", "sync/9")
"""As the plan lists them, which was written before any training."""


def record(method, items, task, layout, success):
    names = {"method": method, "items": items, "task": task, "seed": layout, "model": "x"}
    return names | {"steps": 9, "status": "ok", "reason": "success", "success": success, "calls": 9}


def test_the_arms_make_their_dishes_in_24_layouts():
    assert (small.dishes(small.SHORT), small.dishes(small.LONG)) == (SHORT, LONG)
    assert set(small.dishes("unknown")) == set(load.tasks("sync")) - {*SHORT, *LONG}
    streams = small.study("full").streams
    assert streams == small.study("quick").streams and len(streams) == 12 * 24
    assert {stream.seed for stream in streams} == set(range(42, 24 * 42 + 1, 42))
    made = {stream.condition.id: stream.tasks for stream in streams}
    assert [arm for arm, tasks in made.items() if tasks == LONG] == [
        "small/gig_ld/known_long", "small/react/known_long"
    ]  # fmt: skip
    assert [arm for arm, tasks in made.items() if tasks not in (SHORT, LONG)] == [
        "small/gig_ld_exp/unknown", "small/gig_ld/unknown"
    ]  # fmt: skip
    assert [len(stream.tasks) for stream in small.study("smoke").streams] == [1] * 12
    with pytest.raises(MnemocraftError, match="no profile 'huge'"):
        small.study("huge")


def test_pass_at_1_the_goal_and_the_claims():
    won = {("gig_ld", "known_short"): 3, ("gig_ld", "known_long"): 0, ("gig_ld", "unknown"): 0}
    won |= {("gig_ld_exp", "known_short"): 4, ("gig_ld_exp", "unknown"): 2, ("react", "known_short"): 1}
    rows = [
        record(*arm, f"sync/{n}", layout, n < passed)
        for arm, passed in won.items()
        for n in range(4)
        for layout in (42, 84)
    ]
    found = small.tables(pd.DataFrame(rows))
    table = found["known_dishes"].set_index(["method", "items"])
    assert table["value"].to_dict() == {
        ("gig_ld", "known_short"): 0.75, ("gig_ld", "known_long"): 0, ("gig_ld", "unknown"): 0,
        ("gig_ld_exp", "known_short"): 1, ("gig_ld_exp", "unknown"): 0.5, ("react", "known_short"): 0.25,
        ("gig_ld", "known"): 0.375, ("gig_ld", "all"): 0.375, ("gig_ld_exp", "all"): 0.75,
    }  # fmt: skip
    assert set(table["layouts"]) == {2}
    met = found["goals_of_the_design"].set_index(["method", "items"])["met"]
    assert met.to_dict() == {
        ("gig_ld", "known_short"): "yes", ("react", "known_short"): "no", ("gig_ld", "known_long"): "no",
        ("gig_ld", "known"): "no",
    }  # fmt: skip
    effects = found["hypotheses"].set_index(["claim", "part"])["effect"]
    assert effects["GiG(+LD) makes more dishes than ReAct", "all"] == 0.5
    experience = effects["GiG(+LD) makes more dishes with experience"]
    assert experience.to_dict() == {"all": 0.375, "known_short": 0.25, "unknown": 0.5}
    assert pd.isna(effects["GiG(+LD) makes more dishes with lookahead", "all"])  # not played
    assert set(small.reading(found["known_dishes"]).loc["ReAct", ["unknown", "all"]]) == {"not played"}
    told = findings.findings({"x": found})
    assert len(told) == 1 and "unknown tasks +50.0 points" in told[0] and "()" not in told[0]


def test_the_small_models_tables_and_figures_lie_in_folders_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    found = analysis.run_small("surrogate", (None, None, "smoke", 1), "smoke", 1)
    folder = paths.results_dir(sweep.STEM, "surrogate", "smoke")
    assert {path.stem for path in folder.glob("*.csv")} == set(found)
    assert shipped.read(folder)["statuses"]["episodes"].to_list() == [1] * 12
    drawn = {path.stem for path in paths.figures_dir(sweep.STEM, "surrogate", "smoke").glob("*.png")}
    assert drawn == {"dishes", "verdicts"}
