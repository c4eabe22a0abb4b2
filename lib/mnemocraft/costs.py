"""Attention cost of an episode: the model of GiG's Appendix A.3, and the same count from recorded calls.

The unit is one query-key pair: a token that attends to ``n`` tokens costs ``n``. Layers, heads and widths
would multiply every number by the same constant, so that ratios and crossings do not need them. The lengths,
in tokens:

- ``system`` (the paper's S), the system message;
- ``observation`` (O), one observation, the mean over steps;
- ``output`` (R), reasoning and answer of one step, the mean over steps;
- ``branching`` (epsilon), valid actions a step. Equations 11 to 13 charge epsilon observations *in all*, the
  present one included, so that 1 stands for GiG without lookahead.

Whole numbers give exact whole numbers. Arrays are not taken.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

from mnemocraft.bounded import whole
from mnemocraft.errors import MnemocraftError

Number = TypeVar("Number", int, float, Fraction)


class Lengths(NamedTuple):
    """Token lengths of one agent's calls, in the words of this module."""

    system: float
    observation: float
    output: float
    branching: float = 1


class Call(NamedTuple):
    """One call to a model.

    Attributes:
        prompt: Tokens of everything that was sent.
        completion: Tokens of the answer, reasoning included.
        cached: Those of the prompt that the KV cache holds from earlier calls; the others are read anew.
    """

    prompt: int
    completion: int
    cached: int


def react_attention_cost(steps: int, system: Number, observation: Number, output: Number) -> Number:
    """Cost of an episode of ReAct or ReCAP: one conversation that grows (equations 7 to 10).

    Closed form of the sum over steps, quadratic in ``steps``. The paper assumes a KV cache that keeps the
    whole conversation, and leaves out what an observation's own tokens cost among themselves.

    Raises:
        MnemocraftError: ``steps`` is no whole number from 1 up, or a length is negative or not finite.
    """
    n, s, o, r = whole(steps, "steps", 1), *_lengths(system=system, observation=observation, output=output)
    turn = o + r
    first = (s + o) ** 2 - s * o  # the first prompt attends to itself, not to a cache
    return first + n * (s * turn + o * r) + _triangle(n - 1) * turn**2 + n * _triangle(r)


def gig_attention_cost(
    steps: int, system: Number, observation: Number, output: Number, branching: Number
) -> Number:
    """Cost of an episode of GiG: every step keeps only the last step's output (equations 11 to 14).

    Closed form, linear in ``steps``. R of the step before is taken to be ``output`` too.

    Raises:
        MnemocraftError: as :func:`react_attention_cost`; ``branching`` counts as a length.
    """
    n, s, o, r, e = (
        whole(steps, "steps", 1),
        *_lengths(system=system, observation=observation, output=output, branching=branching),
    )
    seen = e * o
    first = (s + seen) ** 2 + r * (s + seen)
    later = (s + seen + r) * (seen + r)
    return first + (n - 1) * later + n * _triangle(r)


def crossover_horizon(
    system: float, observation: float, output: float, branching: float, factor: float = 1
) -> int | None:
    """First number of steps from which on ReAct costs more than ``factor`` times what GiG costs.

    ReAct's cost grows quadratically and GiG's linearly, so their difference is convex in the number of steps:
    once it rises it rises for good. Bisection, in exact fractions, finds where it is positive from then on.

    Args:
        factor: 1 asks from where GiG is cheaper, 10 from where by an order of magnitude.

    Returns:
        The number of steps, 1 if GiG is cheaper from the start; None if never, that is if observations and
        outputs are both empty.

    Raises:
        MnemocraftError: a length is negative or not finite, or ``factor`` is not a positive number.
    """
    s, o, r, e = map(
        Fraction, _lengths(system=system, observation=observation, output=output, branching=branching)
    )
    (times,) = map(Fraction, _lengths(factor=factor))
    if not times:
        raise MnemocraftError("factor is 0; it must be a positive number, such as 1 for 'cheaper'.")
    if o + r == 0:
        return None  # both costs stay at what the system message costs once

    def surplus(steps: int) -> Fraction:
        return react_attention_cost(steps, s, o, r) - times * gig_attention_cost(steps, s, o, r, e)

    first, second, third = map(surplus, (1, 2, 3))  # of a quadratic three values tell all
    rise, bend = second - first, third - 2 * second + first
    lowest = max(0, -rise // bend + 1)  # how many steps after the first it begins to rise

    def dearer(later: int) -> bool:
        return first + later * rise + later * (later - 1) // 2 * bend > 0

    return 1 if lowest and dearer(lowest) else 1 + _first(dearer, lowest)


def conversation(tokens: Sequence[tuple[int, int]], kept: Sequence[bool] | None = None) -> list[Call]:
    """Recorded calls that form one growing conversation (ReAct, ReCAP), with what the cache held at each.

    The cache holds the conversation up to the last answer that was kept. A prompt shorter than that (history
    was cut off) finds nothing in it.

    Args:
        tokens: Prompt and completion tokens of each call of an episode.
        kept: Whether each answer stayed in the conversation (invalid ones may not); default: all.

    Raises:
        MnemocraftError: there is no call, a count is negative, or ``kept`` has another length.
    """
    _check(tokens, kept=kept)
    calls, held = [], 0
    for i, (prompt, completion) in enumerate(tokens):
        calls.append(Call(prompt, completion, held if prompt >= held else 0))
        if kept is None or kept[i]:
            held = prompt + completion
    return calls


def single_turns(
    tokens: Sequence[tuple[int, int]], system: int, carried: Sequence[int] | None = None
) -> list[Call]:
    """Recorded calls that each stand alone (GiG), with what the paper takes to be cached at each.

    That is the system message and what the prompt carries over of the last answer, from the second call on.

    Args:
        tokens: Prompt and completion tokens of each call of an episode.
        system: Tokens of the system message.
        carried: Tokens that each prompt carries over; default: all of the last answer (equation 13, GiG*).
            Zeros charge all but the system message as new, as a cache of prefixes has to.

    Raises:
        MnemocraftError: there is no call, a count is negative, ``carried`` has another length, or a prompt is
            shorter than the system message and what it carries.
    """
    carried = [0, *(completion for _, completion in tokens[:-1])] if carried is None else carried
    _check(tokens, carried=carried)
    for (prompt, _), part in zip(tokens, carried, strict=True):
        if not 0 <= system + part <= prompt:
            raise MnemocraftError(
                f"A prompt of {prompt} tokens cannot hold a system message of {system} and {part} carried on."
            )
    cached = [0, *(system + part for part in carried[1:])]
    return [Call(*call, part) for call, part in zip(tokens, cached, strict=True)]


def conversation_costs(calls: Iterable[Call]) -> list[int]:
    """Attention cost of each call of a :func:`conversation`: equations 7 to 9 with its real lengths."""
    return [_decoding(c) + (c.cached * (c.prompt - c.cached) if c.cached else c.prompt**2) for c in calls]


def single_turn_costs(calls: Iterable[Call]) -> list[int]:
    """Attention cost of each of some :func:`single_turns`: equations 11 to 13 with its real lengths."""
    return [_decoding(c) + c.prompt * (c.prompt - c.cached) for c in calls]


def mean_lengths(calls: Sequence[Call], system: int, branching: float = 1) -> Lengths:
    """Mean lengths of recorded calls, to predict their cost with.

    Args:
        calls: What :func:`conversation` or :func:`single_turns` made of an episode.
        system: Tokens of the system message.
        branching: Into how many observations the new tokens of a prompt are divided: the mean number of valid
            actions of an agent with lookahead, else 1.

    Raises:
        MnemocraftError: there is no call, a prompt is shorter than the system message, or ``branching`` is
            not a positive number.
    """
    _check(calls)
    (epsilon,) = _lengths(branching=branching)
    if not epsilon:
        raise MnemocraftError("branching is 0; it must be positive, 1 for an agent without lookahead.")
    new = [call.prompt - (call.cached or system) for call in calls]
    if min(new) < 0:
        raise MnemocraftError(f"A prompt is shorter than the system message, which has {system} tokens.")
    outputs = [call.completion for call in calls]
    return Lengths(system, sum(new) / len(new) / epsilon, sum(outputs) / len(outputs), epsilon)


def _decoding(call: Call) -> int:
    return call.completion * call.prompt + _triangle(call.completion)


def _triangle(n: Number) -> Number:
    """1 + 2 + ... + n."""
    return n * (n + 1) // 2 if isinstance(n, int) else n * (n + 1) / 2


def _first(holds: Callable[[int], bool], start: int) -> int:
    """The first whole number from ``start`` on for which ``holds``, which then holds for all greater ones."""
    width = 1
    while not holds(start + width - 1):
        width *= 2
    return start + bisect_left(range(width), True, key=lambda i: holds(start + i))


def _lengths(**named: Any) -> list[Any]:
    """The values, with NumPy's numbers as Python's, whose whole numbers cannot overflow."""
    for name, value in named.items():
        if not isinstance(value, Real) or not math.isfinite(value) or value < 0:
            raise MnemocraftError(f"{name} is {value!r}; it must be a finite number from 0 up.")
    return [
        int(value) if isinstance(value, Integral) else value if isinstance(value, Fraction) else float(value)
        for value in named.values()
    ]


def _check(calls: Sequence[tuple[int, ...]], **aligned: Sequence[int] | None) -> None:
    if not calls:
        raise MnemocraftError("There is no call to count; an episode has at least one.")
    if wrong := next((call for call in calls if min(call) < 0), None):
        raise MnemocraftError(f"The call {tuple(wrong)} has a negative count; tokens are counted from 0 up.")
    for name, values in aligned.items():
        if values is not None and len(values) != len(calls):
            raise MnemocraftError(f"{name} has {len(values)} entries for {len(calls)} calls; give one each.")
