"""A shortest plan on the table top, by A* search over arrangements."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping
from itertools import count

from mnemocraft.envs.tabletop.scene import Where, place, refusal

Move = tuple[str, str]
"""A thing and the place to put it."""


def solve(
    where: Where,
    places: Collection[str],
    wanted: Mapping[str, Collection[str]],
    refused: Callable[[Where, Move], bool] | None = None,
    avoid: Collection[Move] = (),
) -> list[Move] | None:
    """The moves to an arrangement in which every thing is where it is wanted.

    Args:
        where: Where every thing is.
        places: The places there are.
        wanted: By thing, where it shall be.
        refused: Whether a move is taken to be impossible; the rules, if it is not given.
        avoid: Moves not to begin with.

    Returns:
        The moves in order, as few as possible; None if there is no way.
    """
    refused = refused or _by_the_rules
    things, spots, number = tuple(where), [place(name) for name in places], count()
    begin = tuple(where.values())
    queue = [(_misplaced(where, wanted), 0, next(number), begin)]
    came: dict[tuple[str, ...], tuple[tuple[str, ...], Move]] = {}
    cost = {begin: 0}
    while queue:
        _, done, _, state = heapq.heappop(queue)
        now = dict(zip(things, state, strict=True))
        if not _misplaced(now, wanted):
            return _path(came, state, begin)
        if -done > cost[state]:
            continue
        for thing in things:
            for spot in spots:
                move = thing, spot.name
                if now[thing] == spot.name or refused(now, move) or (state == begin and move in avoid):
                    continue
                after = tuple({**now, thing: spot.name}.values())
                steps = cost[state] + 1
                if steps < cost.get(after, steps + 1):
                    cost[after], came[after] = steps, (state, move)
                    left = _misplaced(dict(zip(things, after, strict=True)), wanted)
                    heapq.heappush(queue, (steps + left, -steps, next(number), after))
    return None


def _by_the_rules(where: Where, move: Move) -> bool:
    return bool(refusal(where, move[0], place(move[1])))


def _misplaced(where: Where, wanted: Mapping[str, Collection[str]]) -> int:
    """Things that are not where they are wanted: each needs a move, so that no plan is shorter."""
    return sum(at not in wanted[thing] for thing, at in where.items())


def _path(
    came: Mapping[tuple[str, ...], tuple[tuple[str, ...], Move]],
    state: tuple[str, ...],
    begin: tuple[str, ...],
) -> list[Move]:
    moves = []
    while state != begin:
        state, move = came[state]
        moves.append(move)
    return moves[::-1]
