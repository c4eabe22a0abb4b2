"""The cost estimate of notebook 00 is tokens times list price, for exactly the episodes of the study."""

import re

import nbformat
import pandas as pd
import pytest

from how2_synthetic import synthetic
from mnemocraft import paths
from mnemocraft.llm.budget import prices
from mnemocraft.studies.how2 import start_here, sweep
from mnemocraft.surrogate import DEFAULTS, MINDS
from mnemocraft.surrogate.assumptions import ASSUMPTIONS


def test_estimate_is_tokens_times_price():
    records = synthetic(1, size=5)  # every episode: 20,100 prompt and 400 completion tokens
    table = start_here.estimate(records, [0, 1])
    assert set(table["profile"]) == set(sweep.TASKS)
    full = table[table["profile"] == "full"].set_index("priced_model")
    episodes = 570 * 2 * (42 + 8 + 21)  # tasks x seeds x conditions of the main grid and the ablations
    assert (full["episodes"] == episodes).all()
    for name, price in prices().items():
        dollars = episodes * (20_100 * price.prompt + 400 * price.completion) / 1e6
        assert full.loc[name, "usd"] == pytest.approx(dollars)


def test_sample_covers_every_agent_and_the_demo_is_short():
    sample = start_here.sample()
    agents = {(s.condition.settings["setup"], s.condition.settings["teacher"]) for s in sample.streams}
    assert len(agents) == len(sample.streams) == 21
    assert {len(s.tasks) for s in sample.streams} == {start_here.SAMPLE}
    (stream,) = start_here.demo("smoke").streams
    assert len(stream.tasks) == 3 and stream.condition.settings["max_steps"] == 8
    players = [start_here.demo_model(profile) for profile in ("smoke", "quick")]
    assert players == [start_here.RECORDED, "local:plancraft_gemma-3-270m"]


def test_what_was_managed_is_counted_from_the_records():
    row = {"model": "m", "max_steps": 4, "actions": 2, "invalid_calls": 1, "reads": 3}
    said = start_here.managed(pd.DataFrame([row | {"success": True}, row | {"success": False}]))
    assert said == (
        "m solved 1 of 2 tasks within 4 step(s) each: 4 valid moves, smelts or refusals, 6 look-ups, "
        "2 invalid calls."
    )


def test_the_table_of_the_surrogates_numbers_is_that_of_the_code():
    table = start_here.defaults()
    assert set(table.index) == {"knowledge", *DEFAULTS}
    for world, spec in MINDS.items():
        assert f"{spec.knowledge:g} {world}" in table.loc["knowledge", "default"]
    for name, value in DEFAULTS.items():
        assert table.loc[name, "default"] == f"{value:g}"


def test_every_assumption_has_an_anchor():
    text = start_here.assumptions()
    for name, said in ASSUMPTIONS.items():
        assert f'<a id="{name.replace(" ", "-")}"></a>**{name}**: {said}' in text


def test_the_first_notebook_lists_every_notebook():
    first = nbformat.read(paths.NOTEBOOKS / "00_start_here.ipynb", 4).cells[0].source
    listed = re.findall(r"^\| `(\d\d_\w+)` \|", first, re.MULTILINE)
    assert {path.stem for path in paths.NOTEBOOKS.glob("*.ipynb")} <= set(listed)
    assert listed == sorted(set(listed))


def test_findings_are_the_costs_of_each_profile():
    costs = start_here.estimate(synthetic(1, size=5), [0, 1])
    lines = start_here.findings({"surrogate": {"cost_estimate": costs}})
    assert len(lines) == len(sweep.TASKS) and str(costs["episodes"].max()) in lines[-1]
    assert start_here.findings({"surrogate": {}}) == []
