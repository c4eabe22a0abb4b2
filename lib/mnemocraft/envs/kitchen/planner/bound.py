"""How many steps a state is from the goal at least, for items cast to their parts.

Every station is one move away, so nearly everything costs a carry: move, pick up, move, put down. Moves are
saved where an item is cut (it is picked up where it was put down), where the robot stands already, and at the
pot (it can be lifted right after something was added to it). What has to be lifted twice because something is
to come beneath it, and stations that have to be cleared, are counted; so is waiting, along the longest chain.
"""

from __future__ import annotations

from mnemocraft.envs.kitchen.domain import REPEATS, TICKS
from mnemocraft.envs.kitchen.planner.compact import (
    COOKED,
    FRIED,
    IN_BOWL,
    IN_POT,
    NONE,
    NOTHING,
    Compact,
    State,
    busy,
    cuts,
)
from mnemocraft.envs.kitchen.planner.jams import AT, jams
from mnemocraft.envs.kitchen.planner.roles import BASE, LINK, MIDDLE, NO_DISH, SOUP, TOP, Casting

CARRY = 4
"""Steps: move, pick up, move, put down."""
_CARRIED = 3
"""From something being ready to where it goes: pick up, move, put down (or pour)."""
_WORKS = (("board", "cut"), ("stove", "cook"), ("fryer", "fry"))


def steps_left(kitchen: Compact, casting: Casting, state: State, lifted: bool = True) -> int | None:
    """A lower bound on the steps to the goal (hardly ever too high); 0 at the goal, None if out of reach.

    Args:
        kitchen: What never changes.
        casting: Which item plays which part.
        state: The state.
        lifted: Whether what is in the hand was picked up at the robot's station, so will go to another one.
    """
    soup = casting.soup
    if soup is not None and state.water == IN_BOWL and not (state.boiling and soup <= state.added):
        return None
    return _Estimate(kitchen, casting, state, lifted).total()


class _Estimate:
    """The estimate of one state, added up part by part."""

    def __init__(self, kitchen: Compact, casting: Casting, state: State, lifted: bool) -> None:
        self.kitchen, self.casting, self.state = kitchen, casting, state
        self.steps = 0
        self.longest = 0  # chain of work with its waiting
        self.put_down = 2 if lifted else 1  # steps to put down what is in the hand
        self.built = [-1] * len(casting.size)  # pieces in place above the base, -1 if that is not in place
        self.wanted: dict[str, int] = {}  # stations of each kind that have to be free at some time
        self.staying: dict[str, list[int]] = {}  # for each station of a kind: things on it that would stay
        self.unwanted = 0  # things to be lifted that no dish needs
        self.leavings = 0  # times that the pot will be lifted, perhaps just after something was added to it
        self.clearing = ""  # kind of station that the robot could start to clear without a move
        self.empty = {"table"}  # kinds with an empty station (tables, which hardly ever jam, count as such)

    def total(self) -> int | None:
        for station, stack in enumerate(self.state.stacks):
            self._count_station(station, stack)
        for built in self.built:
            if built < 0:
                self._want("table")
        if self.state.hand != NOTHING:
            self.steps += self._hand(self.state.hand)
        if self.casting.soup is not None:
            self._count_soup(self.casting.soup)
        for kind, number in self.wanted.items():
            staying = sorted(self.staying.get(kind, ()))
            if len(staying) < number:
                return None
            self.steps += CARRY * sum(staying[:number]) - (kind == self.clearing and any(staying[:number]))
            self.unwanted += sum(staying[:number])
        full = self.wanted.keys() - self.empty
        if full:
            self.steps += CARRY * jams(self.kitchen, self.casting, self.state, full)
        missing = len(self.casting.soup - self.state.added) if self.casting.soup else 0
        return max(self.steps - min(self.leavings, missing + self.unwanted), self.longest)

    def _want(self, kind: str) -> None:
        """A station of this kind has to be free: a table for good, another one for a while."""
        self.wanted[kind] = self.wanted.get(kind, 0) + 1 if kind == "table" else 1

    # --- stations ---------------------------------------------------------------------------------

    def _count_station(self, station: int, stack: tuple[int, ...]) -> None:
        kitchen, kind = self.kitchen, self.kitchen.kinds[station]
        staying = self.staying.setdefault(kind, [])
        if not stack:
            staying.append(0)
            self.empty.add(kind)
        elif stack[0] >= kitchen.items:
            staying.append(int(not self._container_leaves(station, stack[0], kind)))
        else:
            dish = self._dish_at(stack[0], kind)
            stay, top_leaves = self._count_stack(station, stack, dish)
            if dish == NO_DISH:
                staying.append(stay)
            if top_leaves and self._is_free_at(station) and not busy(self.state.going, stack[0], station):
                self.steps -= 1
                return
        if stack and self._is_free_at(station):
            self.clearing = kind

    def _is_free_at(self, station: int) -> bool:
        """Whether the robot stands at a station with nothing in its hand."""
        return self.state.robot == station and self.state.hand == NOTHING

    def _container_leaves(self, station: int, container: int, kind: str) -> bool:
        if self.casting.soup is None:
            return False
        if container == self.kitchen.pot:
            return self.state.water != IN_BOWL
        if kind == "table":
            return False
        self.steps += CARRY - self._is_free_at(station)
        self._want("table")
        return True

    def _dish_at(self, bottom: int, kind: str) -> int:
        """The dish that stands on this item: its base, finished and on a table."""
        casting = self.casting
        todo = casting.need[bottom] & ~self.state.marks[bottom]
        if kind != "table" or casting.role[bottom] != BASE or todo:
            return NO_DISH
        self.built[casting.dish[bottom]] = 0
        return casting.dish[bottom]

    def _count_stack(self, station: int, stack: tuple[int, ...], dish: int) -> tuple[int, bool]:
        """Count a stack of items: how many stay, and whether the topmost leaves."""
        staying, steps, blocked = 0, 0, False
        for level, item in enumerate(stack):
            steps = self._item(item, level, stack, station, dish, blocked)
            self.steps += steps
            blocked = blocked or steps > 0
            staying += not steps
        return staying, steps > 0

    # --- items ------------------------------------------------------------------------------------

    def _item(
        self, item: int, level: int, stack: tuple[int, ...], station: int, here: int, blocked: bool
    ) -> int:
        """Steps for an item in a stack, 0 if it stays.

        Args:
            item: The item.
            level: Where it is in the stack.
            stack: The stack.
            station: Where that stands.
            here: The dish that stands there.
            blocked: Whether something beneath it has to leave.
        """
        casting = self.casting
        role, dish = casting.role[item], casting.dish[item]
        if dish == NO_DISH:
            leaves = blocked or self._breaks_links(here)
            self.unwanted += leaves
            return CARRY if leaves else 0
        todo = casting.need[item] & ~self.state.marks[item]
        if todo:
            return CARRY + self._work(item, todo, station, level == 0)
        if dish == SOUP or role == BASE:
            return 0 if dish == here else CARRY
        if dish == here and not blocked and self._stays(item, role, dish, level, len(stack)):
            self.built[dish] += 1
            return 0
        return 2 * CARRY if dish == here or casting.base[dish] in stack[:level] else CARRY

    def _breaks_links(self, dish: int) -> bool:
        """Whether what is not wanted would part two pieces of a dish that has a fixed order."""
        casting = self.casting
        return dish >= 0 and bool(casting.links[dish]) and self.built[dish] < casting.size[dish] - 1

    def _stays(self, item: int, role: str, dish: int, level: int, height: int) -> bool:
        """Whether a finished item can stay where it is in its dish."""
        casting = self.casting
        if role == LINK:
            return self.built[dish] == level - 1 and casting.links[dish][level : level + 1] == [item]
        return role == MIDDLE or (level == height - 1 and self.built[dish] == casting.size[dish] - 2)

    def _work(self, item: int, todo: int, station: int, bottom: bool) -> int:
        """Steps to cut, cook and fry an item, with the carries between (the last carry is not counted)."""
        kind = self.kitchen.kinds[station] if bottom else ""
        away = self.state.robot != station
        steps = 0
        chain = 0 if AT.get(kind, 0) & todo else 3 + away if station >= 0 else self.put_down
        for at, work in _WORKS:
            if todo & AT[at]:
                more, time = self._one_work(item, work, station, kind == at)
                steps += more
                chain += time + (away and kind == at) + _CARRIED
                if kind != at:
                    self._want(at)
        if todo & (COOKED | FRIED):
            self._note_chain(item, chain)
        return steps

    def _one_work(self, item: int, work: str, station: int, here: bool) -> tuple[int, int]:
        """Steps of one kind of work with the carry to it, and its time; ``here``: it is at the place."""
        if work == "cut":
            left = REPEATS - cuts(self.state.going, item)
            return left + (0 if here else CARRY - 1), left
        under_way = busy(self.state.going, item, station) if here else None
        if under_way:
            return 0, TICKS - under_way.amount
        return 2 if here else CARRY + 1, TICKS  # here: come and start it

    def _note_chain(self, item: int, chain: int) -> None:
        """A chain of work until an item is in place; the top of its dish comes after."""
        dish = self.casting.dish[item]
        last = dish == SOUP or self.casting.top[dish] in (None, item)
        self.longest = max(self.longest, chain if last else chain + CARRY)

    def _hand(self, thing: int) -> int:
        """Steps for what is in the hand (the pot of a soup is counted with the soup)."""
        casting = self.casting
        if thing == self.kitchen.pot:
            return 0 if casting.soup is not None else 1
        if thing == self.kitchen.bowl:
            self._want("table")
            return self.put_down
        dish, todo = casting.dish[thing], casting.need[thing] & ~self.state.marks[thing]
        self.unwanted += dish == NO_DISH
        if todo:
            return self.put_down + self._work(thing, todo, -1, False)
        if dish == SOUP:
            return self.put_down + self._wait_for_water()
        return self.put_down if dish == NO_DISH or self._can_go_home(thing, dish) else self.put_down + CARRY

    def _wait_for_water(self) -> int:
        """Steps until there will be water when the robot is back at the pot, at most those to put aside."""
        if self.state.water == IN_POT:
            return 0
        filling = (g.amount for g in self.state.going if g.work == "fill")
        return min([CARRY, *(TICKS - amount - 1 for amount in filling)])

    def _can_go_home(self, item: int, dish: int) -> bool:
        """Whether a finished item of a dish in the hand need not be put aside."""
        role, built = self.casting.role[item], self.built[dish]
        if role == LINK:
            return built >= 0 and self.casting.links[dish][built + 1 : built + 2] == [item]
        if role == TOP:
            return built == self.casting.size[dish] - 2
        return role == BASE or built >= 0

    # --- soup -------------------------------------------------------------------------------------

    def _count_soup(self, items: frozenset[int]) -> None:
        """Count the way of the pot to the sink, the stove and the bowl."""
        state, pot = self.state, self.kitchen.pot
        held = state.hand == pot
        if state.water == IN_BOWL:
            self.steps += 2 if held and self.steps else 0  # the pot has to be put down for other work
            return
        station = -1 if held else next(s for s, stack in enumerate(state.stacks) if stack[:1] == (pot,))
        stages = ["sink"] * (state.water == NONE) + ["stove"] * (not state.boiling)
        in_place = bool(stages) and not held and self.kitchen.kinds[station] == stages[0]
        under_way = busy(state.going, pot, station)
        near = self._is_free_at(station) and not under_way
        for at in stages[in_place:]:
            self._want(at)
        steps = chain = self.put_down if held else CARRY - near
        if in_place:
            steps += 0 if under_way else 2
            chain = -under_way.amount if under_way else 1 - near
        steps += (CARRY + 1) * (len(stages) - in_place)
        if held and not stages and not items <= state.added:
            steps += CARRY - 1
        self.steps += steps
        self.leavings = self._leavings(len(stages), held, in_place, near)
        self.longest = max(self.longest, chain + (TICKS + _CARRIED) * len(stages))

    def _leavings(self, stages: int, held: bool, in_place: bool, near: bool) -> int:
        """How often the pot will be lifted with water in it, perhaps just after an item was added."""
        if self.state.water == NONE:
            return stages
        return stages + (not held and not in_place) - (near and not in_place)
