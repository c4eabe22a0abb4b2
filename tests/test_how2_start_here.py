"""The cost estimate of notebook 00 is tokens times list price, for exactly the episodes of the study."""

import pandas as pd
import pytest

from how2_synthetic import synthetic
from mnemocraft.llm.budget import prices
from mnemocraft.studies.how2 import start_here, sweep


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
    assert players == [start_here.RECORDED, "local:how2_gemma-3-270m"]


def test_what_was_managed_is_counted_from_the_records():
    row = {"model": "m", "max_steps": 4, "actions": 2, "invalid_calls": 1, "reads": 3}
    said = start_here.managed(pd.DataFrame([row | {"success": True}, row | {"success": False}]))
    assert said == (
        "m solved 1 of 2 tasks within 4 step(s) each: 4 valid moves, smelts or refusals, 6 look-ups, "
        "2 invalid calls."
    )
