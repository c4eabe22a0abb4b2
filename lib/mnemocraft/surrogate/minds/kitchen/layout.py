"""Where the surrogate would build each dish in the scene before it, and which items it would use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mnemocraft.surrogate.minds.kitchen.dishes import Dish, Need
from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen

WORKPLACE = {"cut": "board", "cooked": "stove", "fried": "fryer"}
"""Kind of station at which a state is reached, in the order in which states are reached."""


@dataclass
class Site:
    """A dish as it stands.

    Attributes:
        dish: What it shall be.
        station: Where it is or will be built; None when there is no place for it.
        built: Number of layers that are in place.
        left: Fillings that are still missing.
        closed: Whether the top lies on it (or nothing is missing and it has none).
    """

    dish: Dish
    station: str | None
    built: int = 0
    left: list[Need] = field(default_factory=list)
    closed: bool = False


class Want(NamedTuple):
    """An ingredient still to be put in place: for which dish, as what, and which item it will be."""

    site: int
    role: str
    need: Need
    item: str | None


@dataclass
class Layout:
    """Sites of all dishes, what they still want, and the pot and bowl of the soup, if there is one."""

    sites: list[Site]
    wants: list[Want]
    pot: str | None
    bowl: str | None

    def want(self, thing: str | None) -> Want | None:
        """What an item is wanted for."""
        return next((want for want in self.wants if want.item == thing), None)

    @property
    def done(self) -> bool:
        """Whether every dish is complete."""
        return all(site.closed for site in self.sites)


def lay_out(
    scene: SeenKitchen, dishes: Sequence[Dish], anywhere: bool, kept: Sequence[str | None] = ()
) -> Layout:
    """Choose sites and items, as few moves away from the scene as it can see.

    Args:
        scene: What it sees.
        dishes: What it has to make.
        anywhere: Whether it believes that a dish may stand on any station.
        kept: Stations it had chosen before; they win where the choice is even.
    """
    pot, bowl = _vessels(scene) if any(dish.soup for dish in dishes) else (None, None)
    tables = scene.stations() if anywhere else scene.stations("table")
    sites = _sites(scene, dishes, tables, kept, bowl)
    for site in sites:
        if site.dish.soup:
            _soup_progress(scene, site, pot, bowl)
    return Layout(sites, _wants(scene, sites), pot, bowl)


def _vessels(scene: SeenKitchen) -> tuple[str | None, str | None]:
    """The pot to use (one with water comes first) and the bowl (one that is served comes first)."""
    found = []
    for kind in ("pot", "bowl"):
        there = (name for name in scene.kinds if name in scene.places or name == scene.held)
        vessels = [name for name in there if scene.kinds[name] == kind]
        found.append(max(vessels, key=lambda v: scene.water(v) is not None, default=None))
    return found[0], found[1]


def fitting(scene: SeenKitchen, stack: Sequence[str], dish: Dish) -> tuple[int, list[Need], bool]:
    """How many layers of a stack belong to a dish, from the bottom; what is missing; whether it is closed."""
    left = list(dish.fillings)
    if dish.base is None or not stack or not meets(scene, stack[0], dish.base):
        return 0, left, False
    built = 1
    for item in stack[1:]:
        options = left[:1] if dish.ordered else left
        match = next((need for need in options if meets(scene, item, need)), None)
        if match is None:
            break
        left.remove(match)
        built += 1
    if left or dish.top is None:
        return built, left, not left
    closed = len(stack) > built and meets(scene, stack[built], dish.top)
    return built + closed, left, closed


def meets(scene: SeenKitchen, item: str, need: Need) -> bool:
    """Whether an item is what is needed, in the states needed."""
    return scene.kinds[item] == need.kind and need.states <= scene.states.get(item, frozenset())


def _sites(
    scene: SeenKitchen,
    dishes: Sequence[Dish],
    tables: list[str],
    kept: Sequence[str | None],
    bowl: str | None,
) -> list[Site]:
    """Pairs of dish and table, the best first, until every dish has a table or tables run out."""
    offers = []
    for n, dish in enumerate(dishes):
        reach = min((len(scene.above(i)) for i in _bases(scene, dish)), default=0)
        for order, table in enumerate(tables):
            worth = _worth(scene, dish, table, bowl, reach)
            worth += 0.2 * (n < len(kept) and kept[n] == table)
            offers.append((-worth, n, order, table))
    sites: dict[int, Site] = {}
    taken: set[str] = set()
    for _, n, _, table in sorted(offers):
        if n not in sites and table not in taken:
            built, left, closed = fitting(scene, scene.stacks[table], dishes[n])
            closed = closed and len(scene.stacks[table]) == built
            sites[n] = Site(dishes[n], table, built, left, closed)
            taken.add(table)
    return [sites.get(n) or Site(dish, None, 0, list(dish.fillings)) for n, dish in enumerate(dishes)]


def _bases(scene: SeenKitchen, dish: Dish) -> list[str]:
    return [i for i in scene.places if dish.base is not None and scene.kinds[i] == dish.base.kind]


def _worth(scene: SeenKitchen, dish: Dish, table: str, bowl: str | None, reach: int) -> float:
    """Steps that a site saves: layers in place count for it, things in the way against it."""
    if dish.soup:
        return 4.0 if scene.standing.get(table) == bowl else -4.0 * _crowd(scene, table)
    built, _, closed = fitting(scene, scene.stacks[table], dish)
    crowd = _crowd(scene, table) - built
    if built:
        return 4.0 * built - 4.5 * crowd + 100 * (closed and not crowd)
    return -4.0 * crowd - 4.0 * reach


def _crowd(scene: SeenKitchen, table: str) -> int:
    return len(scene.stacks[table]) + (table in scene.standing)


def _soup_progress(scene: SeenKitchen, site: Site, pot: str | None, bowl: str | None) -> None:
    served = scene.water(bowl) if bowl else None
    water = served or (scene.water(pot) if pot else None)
    site.left = list(site.dish.fillings)
    for item in scene.added.get(water or "", ()):
        match = next((need for need in site.left if meets(scene, item, need)), None)
        if match is not None:
            site.left.remove(match)
    standing = bowl is not None and scene.places.get(bowl) == site.station
    site.closed = served is not None and standing
    if served is not None:
        site.left = []  # nothing can be added to a bowl


def _wants(scene: SeenKitchen, sites: list[Site]) -> list[Want]:
    """What is missing, each with the item that is nearest to being what is needed."""
    used = {item for site in sites if site.station for item in scene.stacks[site.station][: site.built]}
    used |= {item for items in scene.added.values() for item in items}
    missing: list[tuple[int, str, Need]] = []
    for n, site in enumerate(sites):
        if site.built == 0 and site.dish.base is not None:
            missing.append((n, "base", site.dish.base))
        missing += [(n, "filling", need) for need in site.left]
        if site.dish.top is not None and not site.closed:
            missing.append((n, "top", site.dish.top))
    ranked = sorted(missing, key=lambda m: (-len(m[2].states), -sites[m[0]].built, m[0]))
    chosen = []
    for n, role, need in ranked:
        item = _best_item(scene, need, used)
        if item is not None:
            used.add(item)
        chosen.append(Want(n, role, need, item))
    return chosen


def _best_item(scene: SeenKitchen, need: Need, used: set[str]) -> str | None:
    items = [
        item
        for item, kind in scene.kinds.items()
        if kind == need.kind and item not in used and (item in scene.places or item == scene.held)
    ]
    possible = [item for item in items if able(scene, item, need)]
    return min(possible or items, key=lambda item: _distance(scene, item, need), default=None)


def able(scene: SeenKitchen, item: str, need: Need) -> bool:
    """Whether an item can still get into the states needed."""
    said = scene.states.get(item, frozenset())
    ways = {"cut": {"cuttable"}, "cooked": {"cookable"}, "fried": {"fryable", "fryable once cut"}}
    return all(ways[state] & said for state in need.states - said)


def _distance(scene: SeenKitchen, item: str, need: Need) -> tuple[int, bool, bool, int, int]:
    """How far an item is from what is needed: states missing, in hand, at work, states to spare, buried."""
    said = scene.states.get(item, frozenset())
    step = next_state(scene, item, need)
    working = step is not None and scene.alone(item) and scene.kinds[scene.places[item]] == WORKPLACE[step]
    return (
        len(need.states - said),
        item != scene.held,
        not working,
        len(said - need.states - {"cuttable"}),
        len(scene.above(item)),
    )


def next_state(scene: SeenKitchen, item: str, need: Need) -> str | None:
    """The next state that an item has to reach."""
    missing = need.states - scene.states.get(item, frozenset())
    return next((state for state in WORKPLACE if state in missing), None)
