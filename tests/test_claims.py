"""Claims: what is judged, what a stand-in gets, what is said beside the paper."""

from dataclasses import replace
from math import nan

import numpy as np
import pandas as pd
import pytest

from mnemocraft.stats import Cells, Estimate, Key, cells, difference, rate
from mnemocraft.studies.claims import Claim, _corrected, _seen, judge, planned, sentences
from mnemocraft.surrogate.assumptions import ASSUMPTIONS

SPLITS = ("low", "high")
ONE_MINUS_OTHER = difference([(s, "one") for s in SPLITS], [(s, "other") for s in SPLITS])
PARTS = {s: difference([(s, "one")], [(s, "other")]) for s in SPLITS}
FOLLOWS = next(iter(ASSUMPTIONS))


def measured(low: float, high: float, clusters: int = 60) -> dict[str, Cells]:
    """Two methods that differ so much on average in each split, and by chance a bit more in a cluster."""
    rng, rows = np.random.default_rng(0), []
    for split, shift in zip(SPLITS, (low, high), strict=True):
        for cluster in range(clusters):
            rows.append((split, "other", cluster, 0.5))
            rows.append((split, "one", cluster, 0.5 + shift + rng.normal(0, 0.1)))
    frame = pd.DataFrame(rows, columns=["split", "method", "cluster", "x"])
    return {"x": cells(frame, rate("x"), ["split", "method"], "cluster")}


def judged(
    low: float, high: float, model: str = "gpt", paper: float = 0.1, clusters: int = 60
) -> pd.DataFrame:
    claim = Claim("H", "one is more", "x", ONE_MINUS_OTHER, "holds", parts=PARTS, assumed=FOLLOWS)
    printed: dict[tuple[str, Key], float] = {
        ("x", (s, m)): p for s in SPLITS for m, p in (("one", paper), ("other", 0.0))
    }
    return judge([claim], measured(low, high, clusters), "targets", printed, model)


def test_a_claim_is_tested_as_a_whole_and_in_its_parts_with_one_correction() -> None:
    table = judged(0.1, 0.2)
    assert table["part"].tolist() == ["all", "low", "high"]
    assert table["effect"].tolist() == pytest.approx([0.15, 0.1, 0.2], abs=0.05)
    assert table["verdict"].tolist() == ["holds"] * 3
    assert table["pairs"].tolist() == [120, 60, 60] and table["targets"].tolist() == [60] * 3
    assert set(table["p"]) == {"< 0.001"} and set(table["p_holm"]) == {"< 0.001"}


def test_opposite_effects_in_the_parts_are_no_verdict_on_the_whole() -> None:
    table = judged(-0.2, 0.1)
    assert table["verdict"].tolist() == ["reverses", "fails", "holds"]
    assert "reverses: -0." in table["finding"][0] and "in low, +0." in table["finding"][0]


def test_direction_and_size_are_two_statements_on_the_papers_effect() -> None:
    table = judged(0.1, 0.2, paper=0.1)
    assert table["direction"].tolist() == ["same"] * 3
    assert table["size"].tolist() == ["excludes", "contains", "excludes"]
    assert judged(-0.1, -0.1)["direction"].tolist() == ["opposite"] * 3
    unclear = judged(0.001, 0.001)
    assert unclear["direction"].tolist() == ["unclear"] * 3 and "size excluded" in sentences(unclear, "gpt")


def test_an_effect_of_the_paper_that_could_not_show_is_not_decided() -> None:
    table = judged(0.1, 0.2, paper=0.01)
    assert set(table["verdict"]) == {"cannot be decided here"}


def test_a_registered_claim_is_judged_by_sign_and_corrected_p_alone() -> None:
    printed: dict[tuple[str, Key], float] = {("x", ("low", "one")): 0.01, ("x", ("low", "other")): 0.0}
    claim = Claim("H", "one is more", "x", PARTS["low"], registered=True)
    told = judge([claim], measured(0.1, 0.1), "targets", printed, "none").iloc[0]
    assert told["verdict"] == "holds" and told["paper_effect"] < told["detectable"]


@pytest.mark.parametrize(
    "model", ["surrogate", "surrogate:knowledge=0.5", "surrogate surrogate:knowledge=0.5"]
)
def test_a_stand_in_gets_no_verdict_and_no_p(model: str) -> None:
    table = judged(-0.2, 0.1, model)
    assert set(table["verdict"]) == {f"consequence of: {FOLLOWS}"}
    assert set(table[["p", "p_holm", "direction", "size"]].to_numpy().ravel()) == {""}
    assert not table["finding"].str.contains("claimed|holds|fails|agree").any()
    assert table["detectable"].between(0.01, 0.1).all(), "what n could show is said all the same"


def test_a_claim_that_follows_from_no_assumption_is_not_built_in() -> None:
    effect = Estimate(0.1, 0.05, 0.2, 0.01, 60, 60, 60)
    assert Claim("H", "", "x", {}).of_standin(effect, True) == "not built in"
    with pytest.raises(KeyError, match="no assumption 'magic'"):
        Claim("H", "", "x", {}, assumed="magic").of_standin(effect, True)
    with pytest.raises(KeyError, match="no assumption 'magic'"):  # in few clusters too
        Claim("H", "", "x", {}, assumed="magic").of_standin(replace(effect, fewest=3), True)


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        ((0.1, 0.05, 0.2, 0.01), f"consequence of: {FOLLOWS}"),
        ((-0.1, -0.2, -0.05, 0.01), f"consequence of: {FOLLOWS}"),
        ((0.1, 0.0, 0.2, 0.06), "no effect seen"),
        ((0.01, -0.1, 0.1, 0.9), "no effect seen"),
        ((0.0, nan, nan, nan), "no effect seen"),
        ((0.25, nan, nan, nan), f"consequence of: {FOLLOWS}"),
        ((nan, nan, nan, nan), "not measured"),
    ],
)
def test_an_effect_that_may_be_0_is_no_consequence(effect: tuple[float, ...], told: str) -> None:
    found, claim = Estimate(*effect, 60, 60, 60), Claim("H", "", "x", {}, assumed=FOLLOWS)
    (seen,) = _seen([found], _corrected([found]))
    assert claim.of_standin(found, seen) == told
    opposite = {"no effect seen": "no effect seen, as assumed", "not measured": told}
    assert replace(claim, assumed_nothing=True).of_standin(found, seen) == opposite.get(told, "not built in")


def test_a_stand_ins_effect_is_seen_beside_all_others() -> None:
    """Four of 300 kitchens, all one way, are one of the seventeen things that were looked at."""
    found = [Estimate(-0.013, -0.028, -0.003, 0.034, 300, 50, 50)]
    assert _seen(found, _corrected(found)) == [True]
    found += [Estimate(0.0, -0.1, 0.1, 0.9, 300, 50, 50)] * 16
    assert _seen(found, _corrected(found)) == [False] * 17


@pytest.mark.parametrize("model", ["gpt", "surrogate"])
def test_below_twenty_clusters_there_is_no_verdict(model: str) -> None:
    for low in (0.3, -0.3):
        table = judged(low, 0.3, model, clusters=19)
        assert set(table["verdict"]) == {"not tested"} and set(table["p"]) == {""}
        assert table["finding"].str.contains("19 clusters").all()


def test_what_could_not_be_tested_counts_in_the_correction() -> None:
    one = Claim("H", "one is more", "x", PARTS["low"])
    absent = Claim("H", "nobody is more", "x", difference([("low", "nobody")], [("low", "other")]))
    alone, beside = (
        judge(claims, measured(0.02, 0), "targets", {}, "gpt").iloc[0] for claims in ([one], [one, absent])
    )
    assert (
        float(beside["p_holm"]) == pytest.approx(2 * float(alone["p_holm"]), abs=0.002)
        and alone["p_holm"] > "0.002"
    )
    assert beside["detectable"] > alone["detectable"]


def test_a_claim_whose_arms_turned_out_unfit_gets_no_test_and_still_counts_in_the_correction() -> None:
    claims = [Claim("H", f"one is more in {split}", "x", PARTS[split]) for split in ("high", "low")]
    fit = judge(claims, measured(0.02, 0.5), "targets", {}, "gpt")
    claims[0] = replace(claims[0], unfit="the other arm cannot write")
    unfit = judge(claims, measured(0.02, 0.5), "targets", {}, "gpt")
    assert fit["verdict"][0] == "holds"
    assert unfit.loc[0, ["verdict", "p", "p_holm"]].tolist() == ["not tested", "", ""]
    assert unfit["finding"][0].endswith("], not tested: the other arm cannot write")
    told = ["effect", "low", "high"]
    assert fit.loc[0, told].tolist() == unfit.loc[0, told].tolist() and np.isnan(unfit["detectable"][0])
    # 1, as which it counts, is no smaller p: of two claims the other is now Holm's first and not the second
    assert float(unfit["p_holm"][1]) == pytest.approx(2 * float(fit["p_holm"][1]), abs=0.002)


def test_of_a_stand_in_an_effect_that_is_the_same_in_every_cluster_is_seen_and_one_in_few_is_not() -> None:
    def seen(apart: list[float]) -> str:
        number = len(apart)
        told = {"split": "low", "cluster": [*range(number)] * 2, "x": [*apart, *[0.0] * number]}
        frame = pd.DataFrame(told).assign(method=["one"] * number + ["other"] * number)
        grid = {"x": cells(frame, rate("x"), ["split", "method"], "cluster")}
        claim = Claim("H", "one is more", "x", PARTS["low"], assumed=FOLLOWS)
        return judge([claim], grid, "targets", {}, "surrogate")["verdict"][0]

    assert seen([1] * 19) == seen([0] * 19) == "not tested"
    assert seen([0] * 20) == seen([1] + [0] * 19) == "no effect seen"
    assert seen([1] * 20) == seen([1] * 19 + [2]) == f"consequence of: {FOLLOWS}"


def test_what_is_compared_between_other_clusters_is_no_pair() -> None:
    """Successes lie in other kitchens than failures."""
    told = {
        "split": "low",
        "cluster": [*range(40)],
        "x": [1.0, 0.0] * 20,
        "method": ["one"] * 25 + ["other"] * 15,
    }
    grid = cells(pd.DataFrame(told), rate("x"), ["split", "method"], "cluster")
    apart = grid.estimate(PARTS["low"])
    assert not apart.paired and apart.size == "15 episodes of the smaller arm in 40 clusters"
    both = pd.DataFrame(told | {"method": "one"})
    grid = cells(pd.concat([both, both.assign(method="other")]), rate("x"), ["split", "method"], "cluster")
    assert grid.estimate(PARTS["low"]).size == "40 pairs in 40 clusters"
    assert grid.estimate({("low", "one"): 1.0}).paired, "of one arm there is nothing to pair"


def test_a_registered_claim_keeps_the_test_that_was_registered() -> None:
    claim, grid = Claim("H", "one is more", "x", PARTS["low"]), measured(0.02, 0)["x"]
    split = claim.estimate(grid, claim.weights)
    registered = replace(claim, registered=True).estimate(grid, claim.weights)
    assert registered == grid.bootstrap(claim.weights) != split == grid.estimate(claim.weights)


def test_what_a_run_can_decide_is_said_before_it_is_made() -> None:
    pilot = judged(0.05, 0.05, "surrogate")
    more, fewer, few = (planned(pilot, "targets", n).iloc[0] for n in (240, 15, 10))
    assert more["detectable"] == pytest.approx(pilot["detectable"][0] / 2)
    assert more["this run"] == "can find the paper's effect"
    assert fewer["this run"].startswith("nothing is tested below 20")
    assert few["clusters"] == 10
    half = pilot["detectable"][0] * np.sqrt(2)
    of_any, of_rates = (planned(pilot.assign(cohens_h=h), "targets", 30).iloc[0] for h in (nan, 0.1))
    assert of_any["detectable"] == pytest.approx(half)
    assert 5 <= 30 * of_rates["detectable"] <= 8, "six pairs that differ, all one way, have a p below .05"
    assert planned(judged(0.05, 0.05, clusters=10), "targets", 60)["this run"][0].startswith("unknown")
    small = planned(judged(0.05, 0.05, paper=0.001), "targets", 60).iloc[0]
    assert small["this run"].startswith("cannot be decided here")
