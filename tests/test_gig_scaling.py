"""Notebook 08: what recorded calls cost, from where on GiG is the cheaper agent, and the verdicts."""

from __future__ import annotations

import math
from itertools import accumulate
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helpers import play
from mnemocraft import costs
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.gnn import scene_graph
from mnemocraft.gnn.features import kitchen_features
from mnemocraft.studies import report
from mnemocraft.studies.findings import shipped
from mnemocraft.studies.gig.scaling import findings, latency, spending, tables
from mnemocraft.worlds.kitchen import KitchenWorld

SYSTEM, SHOWN, OUTPUT, BRANCHING = 900, 600, 80, 8
SUMMARY = "s" * 60
ANSWER = "Reasoning: " + "r" * 100 + f"\nAction: Do nothing\nSummary: {SUMMARY}\nCurrent Progress: {'p' * 40}"
CARRIED = round(OUTPUT * 100 / len(ANSWER))


def call(prompt: int, completion: int = OUTPUT, text: str = ANSWER) -> dict[str, Any]:
    return {"type": "call", "prompt_tokens": prompt, "completion_tokens": completion, "text": text}


REJECTED = {"type": "note", "name": "feedback", "text": "The answer had no action."}


def react_log(steps: int) -> list[dict[str, Any]]:
    prompts = [SYSTEM + k * SHOWN + (k - 1) * OUTPUT for k in range(1, steps + 1)]
    return [entry for prompt in prompts for entry in (call(prompt), {"type": "action"})] + [{"type": "end"}]


def gig_log(steps: int) -> list[dict[str, Any]]:
    prompts = [SYSTEM + BRANCHING * SHOWN, *[SYSTEM + BRANCHING * SHOWN + CARRIED] * (steps - 1)]
    return [entry for prompt in prompts for entry in (call(prompt), {"type": "action"})] + [{"type": "end"}]


def calls(**steps: int) -> pd.DataFrame:
    """A table as ``measured`` gives it, for one kitchen, of constant lengths."""
    frames = []
    for method, n in steps.items():
        log = react_log(n) if method == "react" else gig_log(n)
        found = spending.spent(method, log, SYSTEM, BRANCHING)
        names = {"method": method, "mode": "sync", "task": "sync/0", "seed": 42}
        columns = {"call": range(1, n + 1), "cost": found.each, "total": list(accumulate(found.each))}
        columns |= {"total_anew": list(accumulate(found.anew)), "predicted": found.predicted}
        frames.append(pd.DataFrame(columns).assign(**names, **found.lengths._asdict()))
    return pd.concat(frames, ignore_index=True)


def test_a_recorded_conversation_costs_what_the_formula_says() -> None:
    found = spending.spent("react", react_log(30), SYSTEM, BRANCHING)
    assert list(accumulate(found.each)) == [
        costs.react_attention_cost(n, SYSTEM, SHOWN, OUTPUT) for n in range(1, 31)
    ]
    assert found.predicted == pytest.approx(list(accumulate(found.each)))
    assert found.anew == found.each


def test_gig_carries_the_share_of_its_answer_that_is_summary_and_progress() -> None:
    found = spending.spent("gig", gig_log(3), SYSTEM, BRANCHING)
    later = (
        (SYSTEM + BRANCHING * SHOWN + CARRIED) * (BRANCHING * SHOWN)
        + OUTPUT * (SYSTEM + BRANCHING * SHOWN + CARRIED)
        + OUTPUT * (OUTPUT + 1) // 2
    )
    assert found.each[1:] == [later, later]
    assert [b - a for a, b in zip(found.each, found.anew, strict=True)] == [
        0,
        *[CARRIED * (SYSTEM + BRANCHING * SHOWN + CARRIED)] * 2,
    ]
    assert found.lengths == (SYSTEM, pytest.approx(SHOWN), OUTPUT, BRANCHING)


def test_a_rejected_answer_costs_but_carries_nothing() -> None:
    gig = gig_log(2)
    retried = [
        *gig[:2],
        call(SYSTEM + BRANCHING * SHOWN + CARRIED, 10, "Action: Fly"),
        REJECTED,
        *gig[2:],
    ]
    found = spending.spent("gig", retried, SYSTEM, BRANCHING)
    straight = spending.spent("gig", gig, SYSTEM, BRANCHING)
    assert (found.each[0], found.each[2]) == tuple(straight.each)
    react = react_log(2)
    retried = [*react[:2], call(SYSTEM + 2 * SHOWN + OUTPUT, 10, "Fly"), REJECTED, *react[2:]]
    each = spending.spent("react", retried, SYSTEM, BRANCHING).each
    assert [each[0], each[2]] == spending.spent("react", react, SYSTEM, BRANCHING).each


class Spy:
    """A model that keeps what it is sent and fails."""

    async def complete(self, messages: list[dict[str, str]], **_: Any) -> None:
        self.lengths = [len(message["content"]) for message in messages]
        raise ModelError("enough seen")


@pytest.mark.parametrize("method", spending.METHODS)
def test_the_system_message_is_its_share_of_what_is_really_sent_first(method: str) -> None:
    spy: Any = Spy()
    name = {"gig": "gig_bl"}.get(method, method)  # starts like GiG
    play(METHODS[name], KitchenWorld(KitchenEnv("sync/2", 42)), spy, seed=42)
    found = spending.system_tokens(method, "sync/2", 42, sum(spy.lengths))
    assert found == spy.lengths[0]


def test_pairs_find_the_call_from_which_on_react_costs_more() -> None:
    table = spending.pairs(calls(gig=200, react=190)).iloc[0]
    react = [costs.react_attention_cost(n, SYSTEM, SHOWN, OUTPUT) for n in range(1, 191)]
    gig = list(accumulate(spending.spent("gig", gig_log(190), SYSTEM, BRANCHING).each))
    first = next(n for n in range(1, 191) if react[n - 1] > gig[n - 1])
    assert 1 < first < 190
    assert table["calls"] == 190 and table["crossover"] == first
    assert table["ratio"] == pytest.approx(react[-1] / gig[-1])
    assert table["early_ratio"] == pytest.approx(react[23] / gig[23])
    assert table["predicted"] == costs.crossover_horizon(SYSTEM, SHOWN, OUTPUT, BRANCHING)
    short = spending.pairs(calls(gig=5, react=9)).iloc[0]
    assert short["calls"] == 5 and math.isnan(short["crossover"])
    assert short["early_ratio"] == short["ratio"]


def test_growth_is_one_for_gig_and_nears_two_for_react() -> None:
    growth = spending.episodes(calls(gig=400, react=400)).set_index("method")["growth"]
    assert growth["gig"] == pytest.approx(1, abs=0.01)
    assert 1.9 < growth["react"] < 2
    assert math.isnan(spending.episodes(calls(gig=1))["growth"].iloc[0])


def test_tables_hold_no_claims_and_the_algebra_names_no_model(tmp_path: Path) -> None:
    found = tables.tables(calls(gig=120, react=120))
    assert "hypotheses" not in found
    records = pd.DataFrame({"model": ["m"], "seed": [42], "config": ["c"]})
    tables.write(found, records, tmp_path)
    origins = report.provenance(tmp_path)["tables"]
    assert {name for name, origin in origins.items() if origin["model"] == "none"} == set(tables.ALGEBRA)
    assert set(origins) == set(found) and origins["pairs"]["model"] == "m"


def test_findings_are_facts_read_from_the_tables() -> None:
    found = tables.tables(calls(gig=120, react=120))
    lines = findings.findings({"surrogate": found})
    assert len(lines) == 6 and "none has answered" in lines[-1]
    needed = found["paper_crossover"]["output_per_observation"]
    assert f"{needed.min():.1f} to {needed.max():.1f} observations" in lines[0]
    assert "in 1 of 1 kitchens" in lines[4] and f"{OUTPUT} of gig" in lines[3]
    tenth = found["crossovers"].query("branching == 10 and below_1_10 <= 246")["output"].min()
    assert f"a tenth of ReAct's cost with answers of {tenth:,.0f} tokens or more" in lines[2]
    assert "to a hundredth at none of these lengths, up to 4,000" in lines[2]
    assert len(findings.findings({"qwen": {}})) == 1
    assert list(shipped(tables.STEM)[1]) == ["surrogate"]  # though the algebra needed nobody


def test_full_plays_the_papers_ten_layouts() -> None:
    seeds = {stream.seed for stream in tables.study("full", [42]).streams}
    assert seeds == set(BENCHMARK_SEEDS)
    assert {stream.seed for stream in tables.study("quick", [42, 84]).streams} == {42}


@pytest.mark.parametrize("system", tables.SYSTEM_RATIOS)
def test_the_papers_25_steps_need_outputs_of_about_three_observations(system: float) -> None:
    output = tables.needed_output(25, system, 10)
    assert 276 * output**2 + 135 * output == pytest.approx(2199 + 234 * system)  # worked out by hand
    for factor, expected in ((1.001, 25), (0.999, 26)):
        assert costs.crossover_horizon(system, 1, factor * output, 10) == expected


def test_an_output_is_not_needed_where_gig_is_cheaper_without() -> None:
    assert tables.needed_output(1000, 0.0, 2) == 0.0
    with pytest.raises(MnemocraftError, match="No output of up to 1000 observations"):
        tables.needed_output(1, 0.0, 2)


@pytest.mark.parametrize("nodes", [2, 10, 100])
def test_kitchens_for_timing_have_the_nodes_they_claim_and_known_texts(nodes: int) -> None:
    graph = scene_graph(latency.kitchen(nodes))
    assert len(graph) == nodes and len(graph.edges) == 2 * nodes
    assert kitchen_features().unknown(graph.texts) == []


def test_banks_are_searched_at_the_sizes_asked_for() -> None:
    assert list(latency.banks([200, 50])["bank"]) == [50, 200]


@pytest.mark.parametrize("text", [None, "{", "{}"])
def test_recorded_times_that_cannot_be_read_are_one_sentence(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "RESULTS", tmp_path / "gnn.json")
    if text is not None:
        latency.RESULTS.write_text(text)
    with pytest.raises(MnemocraftError, match=r"bench_gnn.py --save writes it\.$"):
        latency.recorded()


def test_recorded_times_are_told_as_sums_and_exponents_beside_what_was_asked() -> None:
    nodes = pd.Series([20, 100, 1000])
    columns = {"build_ms": 0.01 * nodes, "encode_ms": 2 + 0 * nodes, "features_uncached_ms": nodes**2}
    times = latency.Recorded(pd.DataFrame({"nodes": nodes} | columns), pd.DataFrame(), "a machine")
    fast, bound, linear, constant = latency.facts(times).splitlines()
    assert "100 nodes, texts looked up: 3.00 ms (our target: 5 ms)" in fast
    assert "20 nodes, no look-up: 400 ms (the paper: less than 150 ms" in bound
    assert "to the power of 1.99" in linear or "to the power of 2.00" in linear
    assert "to the power of 0.00, and 2.0 to 2.0 ms up to 100 nodes" in constant
