"""The cost model is GiG's equations 7 to 14, and what is measured from calls is the same model."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.costs import (
    Call,
    conversation,
    conversation_costs,
    crossover_horizon,
    gig_attention_cost,
    mean_lengths,
    react_attention_cost,
    single_turn_costs,
    single_turns,
)
from mnemocraft.errors import MnemocraftError

LENGTH = st.integers(0, 60)
STEPS = st.integers(1, 40)
BRANCHING = st.integers(0, 12)


def react_by_steps(n: int, s: int, o: int, r: int) -> int:
    """Equations 7, 9 and 10 as printed."""
    total = (s + o) ** 2 + sum(s + o + i for i in range(1, r + 1))
    for k in range(2, n + 1):
        total += (s + (k - 1) * (o + r)) * o + sum(s + k * o + (k - 1) * r + i for i in range(1, r + 1))
    return total


def gig_by_steps(n: int, s: int, o: int, r: int, e: int) -> int:
    """Equations 11, 13 and 14 as printed."""
    total = (s + e * o) ** 2 + sum(s + e * o + i for i in range(1, r + 1))
    for _ in range(2, n + 1):
        total += (s + e * o + r) * e * o + sum(s + e * o + r + i for i in range(1, r + 1))
    return total


@given(STEPS, LENGTH, LENGTH, LENGTH, BRANCHING)
def test_closed_forms_are_the_sums_over_steps_and_tokens(n: int, s: int, o: int, r: int, e: int) -> None:
    react, gig = react_attention_cost(n, s, o, r), gig_attention_cost(n, s, o, r, e)
    assert (react, gig) == (react_by_steps(n, s, o, r), gig_by_steps(n, s, o, r, e))
    assert type(react) is type(gig) is int


def test_equation_8_is_the_second_step() -> None:
    s, o, r = 11, 5, 3
    second = (s + o + r) * o + sum(s + 2 * o + r + i for i in range(1, r + 1))
    assert react_attention_cost(2, s, o, r) - react_attention_cost(1, s, o, r) == second


def test_whole_numbers_stay_exact_however_large() -> None:
    n = s = o = r = 10**12 + 1
    last = (s + n * (o + r)) * o + r * (s + (n + 1) * o + n * r) + r * (r + 1) // 2  # equation 9
    assert react_attention_cost(n + 1, s, o, r) - react_attention_cost(n, s, o, r) == last
    assert react_attention_cost(*map(np.int64, (n, s, o, r))) == react_attention_cost(n, s, o, r)


@given(STEPS, LENGTH, LENGTH, LENGTH, BRANCHING)
def test_fractions_of_tokens_agree_with_whole_ones_where_both_are_defined(n, s, o, r, e) -> None:
    react = react_attention_cost(n, float(s), float(o), float(r))
    assert react == pytest.approx(react_attention_cost(n, s, o, r), rel=1e-12)
    half = Fraction(2 * s + 1, 2)
    assert gig_attention_cost(n, float(half), o, r, e) == pytest.approx(
        float(gig_attention_cost(n, half, o, r, e)), rel=1e-12
    )


@given(LENGTH, st.integers(0, 12), st.integers(0, 12), st.integers(0, 6), st.sampled_from([1, 2, 5]))
def test_crossover_is_where_every_longer_episode_costs_more(
    s: int, o: int, r: int, e: int, factor: int
) -> None:
    def dearer(n: int) -> bool:
        return react_by_steps(n, s, o, r) > factor * gig_by_steps(n, s, o, r, e)

    found = crossover_horizon(s, o, r, e, factor)
    if o == r == 0:
        assert found is None
        return
    assert found is not None
    assert all(dearer(n) for n in range(found, found + 20))
    assert found == 1 or not dearer(found - 1)


def test_crossover_counts_only_from_where_the_order_stays() -> None:
    def surplus(n: int) -> int:
        return react_by_steps(n, 0, 63, 100) - 3 * gig_by_steps(n, 0, 63, 100, 0)

    assert surplus(1) > 0 >= surplus(2)  # dearer at one step, but not for good
    assert crossover_horizon(0, 63, 100, 0, 3) == 1 + max(n for n in range(1, 50) if surplus(n) <= 0)


@settings(max_examples=30)
@given(LENGTH, st.integers(1, 60), LENGTH, st.integers(2, 9))
def test_crossover_depends_on_ratios_only(s: int, o: int, r: int, scale: int) -> None:
    assert crossover_horizon(s, o, r, 10) == crossover_horizon(scale * s, scale * o, scale * r, 10)
    assert crossover_horizon(s / 7, o / 7, r / 7, 10) is not None


def test_crossover_is_exact_at_a_tie_and_for_very_long_horizons() -> None:
    assert crossover_horizon(0, 0, 5, 1) == 3  # equal at one and two steps
    assert crossover_horizon(0, 10**6, 0, 10**4) > 10**8


@given(STEPS, st.integers(1, 60), LENGTH, LENGTH, st.integers(1, 12))
def test_calls_of_constant_size_cost_what_the_model_says(n: int, s: int, o: int, r: int, e: int) -> None:
    react = conversation([(s + k * o + (k - 1) * r, r) for k in range(1, n + 1)])
    assert sum(conversation_costs(react)) == react_attention_cost(n, s, o, r)
    assert mean_lengths(react, s) == (s, pytest.approx(o), r, 1)
    gig = single_turns([(s + e * o + (r if k else 0), r) for k in range(n)], s)
    assert sum(single_turn_costs(gig)) == gig_attention_cost(n, s, o, r, e)
    assert mean_lengths(gig, s, e) == (s, pytest.approx(o), r, e)


def test_a_rejected_answer_is_paid_for_and_then_forgotten() -> None:
    # system and observation 10, an answer of 3 that is rejected, feedback 2 in the message sent again
    calls = conversation([(10, 3), (12, 4), (21, 1)], kept=[False, True, True])
    assert [call.cached for call in calls] == [0, 0, 16]
    first, second, third = 10 * 10 + 3 * 10 + 6, 12 * 12 + 4 * 12 + 10, 16 * 5 + 21 + 1
    assert conversation_costs(calls) == [first, second, third]


def test_history_that_was_cut_off_is_read_from_the_start() -> None:
    calls = conversation([(100, 20), (60, 1)])
    assert calls[1] == Call(60, 1, 0)
    assert conversation_costs(calls)[1] == 60 * 60 + 60 + 1


def test_text_carried_over_costs_more_when_it_is_read_anew() -> None:
    tokens = [(50, 8), (55, 8), (56, 8)]
    summary = single_turn_costs(single_turns(tokens, 30, [0, 5, 6]))
    anew = single_turn_costs(single_turns(tokens, 30, [0, 0, 0]))
    assert [b - a for a, b in zip(summary, anew, strict=True)] == [0, 55 * 5, 56 * 6]


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda: react_attention_cost(0, 1, 1, 1), "steps must be a whole number from 1, not 0"),
        (lambda: gig_attention_cost(2.5, 1, 1, 1, 1), "steps must be a whole number from 1, not 2.5"),  # type: ignore[arg-type]
        (lambda: react_attention_cost(3, 1, -4, 1), "observation is -4"),
        (lambda: gig_attention_cost(3, 1, 1, 1, math.nan), "branching is nan"),
        (lambda: react_attention_cost(3, "9", 1, 1), "system is '9'"),
        (lambda: crossover_horizon(1, 1, math.inf, 1), "output is inf"),
        (lambda: crossover_horizon(1, 1, 1, 1, 0), "factor is 0"),
        (lambda: react_attention_cost(0, 1, 1, 1), "steps must be a whole number from 1, not 0"),
        (lambda: conversation([]), "no call"),
        (lambda: conversation([(5, -1)]), r"\(5, -1\) has a negative count"),
        (lambda: conversation([(5, 1), (9, 1)], kept=[True]), "kept has 1 entries for 2 calls"),
        (lambda: single_turns([(5, 1), (7, 1)], 6), "prompt of 5 tokens cannot hold"),
        (lambda: single_turns([(9, 4), (9, 4)], 6), "6 and 4 carried on"),
        (lambda: mean_lengths([Call(5, 1, 0)], 6), "shorter than the system message"),
        (lambda: mean_lengths([Call(5, 1, 0)], 3, 0), "branching is 0"),
    ],
)
def test_bad_input_is_one_sentence(work, said: str) -> None:
    with pytest.raises(MnemocraftError, match=said) as caught:
        work()
    assert "\n" not in str(caught.value)
