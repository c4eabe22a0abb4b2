"""Seeded kitchens: the same draws as Robotouille, so that a seed means the same kitchen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from random import Random

from mnemocraft.envs.kitchen.environment import WILDCARDS, Kitchen, Thing, numbered
from mnemocraft.errors import MnemocraftError

Cell = tuple[int, int]
_DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0))  # up, down, right, left
_EXTRA_FLAGS = {
    **dict.fromkeys(("patty", "chicken"), ("iscookable",)),
    **dict.fromkeys(("lettuce", "onion", "tomato"), ("iscuttable",)),
}


class _Failed(Exception):
    """This seed gives no kitchen; the next one is tried."""


def laid_out(kitchen: Kitchen, seed: int | None, noisy: bool = False) -> tuple[Kitchen, int]:
    """A kitchen as a seed lays it out, numbered, and how many seeds after it were needed to find one.

    Without a seed everything stays where the file has it. With one, extra stations and items are added and
    everything is placed anew, without stacks; the noisy option moves stations together with what is on them
    instead. A wildcard becomes a random kind of its type; these draws are our own and come first.
    """
    kitchen = _without_wildcards(numbered(kitchen), Random(seed or 0))
    if seed is None:
        return numbered(kitchen), 0
    for retries in range(1000):
        try:
            return numbered(_Layout(kitchen, Random(seed + retries)).draw(noisy)), retries
        except _Failed:
            pass
    raise MnemocraftError(
        f"The kitchen has no room for everything: no layout with the 1000 seeds from {seed}."
    )


def _without_wildcards(kitchen: Kitchen, random: Random) -> Kitchen:
    def known(things: Iterable[Thing]) -> tuple[Thing, ...]:
        return tuple(
            replace(t, kind=random.choice(WILDCARDS[t.kind])) if t.kind in WILDCARDS else t for t in things
        )

    return replace(kitchen, stations=known(kitchen.stations), items=known(kitchen.items))


class _Layout:
    """One attempt: the lists are filled as things find a place."""

    def __init__(self, kitchen: Kitchen, random: Random) -> None:
        self.kitchen, self.random = kitchen, random
        self.stations: list[Thing] = []
        self.items: list[Thing] = []
        self.containers: list[Thing] = []
        self.frozen: set[Cell] = set()

    def draw(self, noisy: bool) -> Kitchen:
        """Draw everything, then place it, in the original's order."""
        extra_stations = self._draw_stations()
        extra_items = self._draw_items(extra_stations)
        if noisy:
            player = self._place_groups()
            stations, items, containers = [], [], []
        else:
            stations, items, containers = (
                [self._moved(thing) for thing in things]
                for things in (self.kitchen.stations, self.kitchen.items, self.kitchen.containers)
            )
            player = self._moved(self.kitchen.players[0])
            self.random.choice(_DIRECTIONS)
        for station in extra_stations:
            if station.cell not in self._cells() and self._all_reachable_from(player.cell, station.cell):
                self.stations.append(station)
        for station in stations:
            self._put_station(station)
        player = self._put_player(player)
        for item in (*extra_items, *items):
            self._put_item(item, player.cell)
        for container in containers:
            self._put_container(container, player.cell)
        return replace(
            self.kitchen,
            stations=tuple(self.stations),
            items=tuple(self.items),
            players=(player,),
            containers=tuple(self.containers),
            meals=tuple(self._moved_meals()),
        )

    # --- draws ------------------------------------------------------------------------------------

    def _moved(self, thing: Thing) -> Thing:
        x, y = self.random.randrange(self.kitchen.width), self.random.randrange(self.kitchen.height)
        return replace(thing, x=x, y=y, level=0)

    def _draw_stations(self) -> list[Thing]:
        count = self.random.randrange(self.kitchen.width * self.kitchen.height)
        cells = [self._moved(Thing("", 0, 0, extra=True)) for _ in range(count)]
        return [replace(thing, kind=self.random.choice(WILDCARDS["station"])) for thing in cells]

    def _draw_items(self, stations: list[Thing]) -> list[Thing]:
        count = self.random.randrange(len(stations) + 1)
        cells = [(self.random.choice(stations).x, self.random.choice(stations).y) for _ in range(count)]
        kinds = [self.random.choice(WILDCARDS["item"]) for _ in cells]
        return [
            Thing(kind, x, y, flags=_EXTRA_FLAGS.get(kind, ()), extra=True)
            for kind, (x, y) in zip(kinds, cells, strict=True)
        ]

    # --- the noisy option -------------------------------------------------------------------------

    def _place_groups(self) -> Thing:
        """Move each station with the items on it, and the player with one next to it; the player."""
        kitchen = self.kitchen
        cells = list(product(range(kitchen.width), range(kitchen.height)))
        while True:
            shuffled = list(cells)
            self.random.shuffle(shuffled)
            self.stations, player = [], None
            for station in kitchen.stations:
                player, placed = self._place_group(station, player, shuffled)
                if not placed:
                    break
            else:
                if player is not None and self._all_reachable_from(player.cell):
                    break
        moved = dict(zip((s.cell for s in kitchen.stations), self.stations, strict=True))
        self.items = [
            replace(i, x=moved[i.cell].x, y=moved[i.cell].y) for i in kitchen.items if i.cell in moved
        ]
        self.frozen = {station.cell for station in self.stations}
        return player

    def _place_group(
        self, station: Thing, player: Thing | None, cells: list[Cell]
    ) -> tuple[Thing | None, bool]:
        cell = cells.pop()
        with_player = self.kitchen.players[0].cell in self._around(station.cell)
        taken = self._cells() | ({player.cell} if player else set())
        sides = [c for c in self._around(cell) if c not in taken]
        if cell in taken or (with_player and not sides):
            return player, False
        self.stations.append(replace(station, x=cell[0], y=cell[1]))
        if with_player:
            x, y = self.random.choice(sides)
            player = replace(self.kitchen.players[0], x=x, y=y)
        return player, True

    # --- geometry ---------------------------------------------------------------------------------

    def _cells(self) -> set[Cell]:
        return {station.cell for station in self.stations}

    def _around(self, cell: Cell) -> Iterator[Cell]:
        for dx, dy in _DIRECTIONS:
            x, y = cell[0] + dx, cell[1] + dy
            if 0 <= x < self.kitchen.width and 0 <= y < self.kitchen.height:
                yield x, y

    def _all_reachable_from(self, start: Cell, new: Cell | None = None) -> bool:
        """Whether all stations, with one more at ``new``, border on the free cells joined to ``start``."""
        stations = self._cells() | ({new} if new else set())
        if start in stations:
            return len(stations) == 1
        region, frontier = {start}, [start]
        while frontier:
            for cell in self._around(frontier.pop()):
                if cell not in region and cell not in stations:
                    region.add(cell)
                    frontier.append(cell)
        return all(any(cell in region for cell in self._around(station)) for station in stations)

    # --- placing ----------------------------------------------------------------------------------

    def _put_station(self, station: Thing) -> None:
        there = next((i for i, s in enumerate(self.stations) if s.cell == station.cell), None)
        if there is not None and self.stations[there].extra:
            self.stations[there] = station
        elif there is None and self._reachable_from_somewhere(station.cell):
            self.stations.append(station)
        else:
            extras = [i for i, s in enumerate(self.stations) if s.extra]
            if not extras:
                raise _Failed
            index = self.random.choice(extras)
            x, y = self.stations[index].cell
            self.stations[index] = replace(station, x=x, y=y)

    def _reachable_from_somewhere(self, new: Cell) -> bool:
        taken = self._cells()
        return any(self._all_reachable_from(c, new) for c in self._around(new) if c not in taken)

    def _put_player(self, player: Thing) -> Thing:
        station = self.stations[0]
        for x, y in self._around(station.cell):
            if (x, y) not in self._cells() and self._all_reachable_from((x, y)):
                return replace(player, x=x, y=y, direction=(station.x - x, station.y - y))
        raise _Failed

    def _put_item(self, item: Thing, hand: Cell) -> None:
        places = [*(station.cell for station in self.stations), hand]
        on = {other.cell: other for other in self.items}
        closed = self.frozen | {hand} if self.frozen else set()
        if item.cell not in places or item.cell in on or item.cell in closed:
            if item.extra:
                return
            if item.cell not in places or not on[item.cell].extra:
                item = self._to_first(item, [c for c in places if c not in on or on[c].extra])
        self.items = [other for other in self.items if other.cell != item.cell]
        self.items.append(item)

    def _put_container(self, container: Thing, hand: Cell) -> None:
        places = [*(station.cell for station in self.stations), hand]
        extras = {item.cell for item in self.items if item.extra}
        taken = {other.cell for other in (*self.items, *self.containers)} - extras
        if container.cell in extras:
            raise _Failed  # the original crashes here and goes on with the next seed
        if container.cell not in places or container.cell in taken:
            container = self._to_first(container, [c for c in places if c not in taken])
        self.items = [item for item in self.items if item.cell != container.cell]
        self.containers.append(container)

    def _to_first(self, thing: Thing, cells: list[Cell]) -> Thing:
        if not cells:
            raise _Failed
        x, y = cells[0]
        return replace(thing, x=x, y=y)

    def _moved_meals(self) -> Iterator[Thing]:
        """Meals go where their container went (the benchmark has none at the start)."""
        for old, new in zip(self.kitchen.containers, self.containers, strict=False):
            yield from (replace(m, x=new.x, y=new.y) for m in self.kitchen.meals if m.cell == old.cell)
