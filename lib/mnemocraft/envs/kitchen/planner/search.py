"""Short plans: search over things to do, each with the move that it takes to get there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mnemocraft.envs.kitchen.domain import kitchen_domain
from mnemocraft.envs.kitchen.planner.bound import steps_left
from mnemocraft.envs.kitchen.planner.compact import Compact, State
from mnemocraft.envs.kitchen.planner.moves import Move, moves
from mnemocraft.envs.kitchen.planner.roles import castings

_ABREAST = 8
"""States of a sweep at each distance; the youngest go first."""
_FURTHEST = 40
"""Plans this much longer than the bound of the start are not looked for: probably there is none."""


class Plan(NamedTuple):
    """Actions in English, and whether nothing was left out that the bound allows to be shorter."""

    actions: tuple[str, ...]
    exhausted: bool


_Node = tuple[int, State]
"""Number of the casting and state."""


def search(kitchen: Compact, effort: int, below: int | None = None) -> Plan | None:
    """A short plan, or None if none was found.

    It looks for plans of the least length that the bound allows, then for plans one step longer, and so on.
    For each length it goes through the states in sweeps from the start to the goal, a few states at each
    distance from it: a beam search that is repeated with what it left aside.

    Args:
        kitchen: The kitchen, what is wanted in it and the state to start from.
        effort: Sweeps for each length.
        below: Only look for plans shorter than this.

    Raises:
        Unplannable: The goal has a shape that the planner does not know.
    """
    rated = castings(kitchen, lambda casting: steps_left(kitchen, casting, kitchen.start, lifted=False))
    frontier = _Frontier()
    for number, (value, _) in enumerate(rated):
        frontier.add(value, value, 0, (number, kitchen.start))
    end = min([value + _FURTHEST for value, _ in rated[:1]] + ([] if below is None else [below]), default=0)
    while frontier.queues and (length := min(frontier.queues)) < end:
        for steps, (number, state) in frontier.sweeps(length, effort):
            casting = rated[number][1]
            for cost, move, after in moves(kitchen, casting, state, steps == 0):
                left = steps_left(kitchen, casting, after)
                if left is not None:
                    frontier.reach(length, left, steps + cost, (number, after), (number, state), move)
        queues = frontier.queues.pop(length)
        if queues.get(0):
            return Plan(sentences(kitchen, frontier.way(queues[0][0][1])), frontier.exhausted)
        frontier.exhausted = frontier.exhausted and not any(queues.values())
    return None


class _Frontier:
    """Nodes to expand, by the length expected of a plan through them and the steps left."""

    def __init__(self) -> None:
        self.queues: dict[int, dict[int, list[tuple[int, _Node]]]] = {}
        self.exhausted = True
        self._steps: dict[_Node, int] = {}
        self._came: dict[_Node, tuple[_Node, Move]] = {}

    def add(self, length: int, left: int, steps: int, node: _Node) -> None:
        self._steps[node] = steps
        self.queues.setdefault(length, {}).setdefault(left, []).append((steps, node))

    def sweeps(self, length: int, number: int) -> Iterator[tuple[int, _Node]]:
        """Nodes of one length, each with the steps to it, until the goal is reached."""
        queues = self.queues[length]
        for _ in range(number):
            left = max((h for h, queue in queues.items() if queue), default=0)
            if not left or queues.get(0):
                return
            while left:
                queue = queues[left]
                for _ in range(min(_ABREAST, len(queue))):
                    steps, node = queue.pop()
                    if self._steps[node] == steps:
                        yield steps, node
                left = max((h for h, queue in queues.items() if queue and h < left), default=0)

    def reach(self, length: int, left: int, steps: int, node: _Node, source: _Node, move: Move) -> None:
        """Note a way to a node, if it is the first or a shorter one."""
        if self._steps.get(node, steps + 1) > steps:
            self.add(max(length, steps + left), left, steps, node)
            self._came[node] = (source, move)

    def way(self, node: _Node) -> list[Move]:
        """How a node was reached."""
        way = []
        while node in self._came:
            node, move = self._came[node]
            way.append(move)
        return way[::-1]


def sentences(kitchen: Compact, way: list[Move]) -> tuple[str, ...]:
    """The English actions of a list of moves, with the moves between."""
    says = {action.name: action.says for action in kitchen_domain().actions}
    at = kitchen.stations[kitchen.start.robot]
    lines = []
    for move in way:
        station = kitchen.stations[move.station]
        if station != at:
            lines.append(says["move"].format(p1=kitchen.robot, s1=at, s2=station))
        at = station
        lines.append(says[move.action].format(p1=kitchen.robot, s1=at, **_parameters(kitchen, move)))
    return tuple(lines)


def _parameters(kitchen: Compact, move: Move) -> dict[str, str]:
    """The things of a move under the names of the action's parameters: items i1, i2, containers c1, c2."""
    names: dict[str, str] = {}
    for thing in move.things:
        letter = "i" if thing < kitchen.items else "c"
        names[letter + ("2" if f"{letter}1" in names else "1")] = kitchen.things[thing]
    return names
