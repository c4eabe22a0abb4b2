"""The surrogate's rules for what to do next, for a reader whose beliefs about the kitchen are right.

Nothing is remembered: the scene and the dishes decide. Each errand carries one thing to one place or works on
it there. The first errand that can be done is done; where none can, what is in the way is cleared away.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mnemocraft.surrogate.minds.kitchen.acts import Act, put, take
from mnemocraft.surrogate.minds.kitchen.layout import WORKPLACE, Layout, Site, Want, able, next_state
from mnemocraft.surrogate.minds.kitchen.scene import CONTAINERS, SeenKitchen

_VERB = {"cut": "cut", "cooked": "cook", "fried": "fry"}
_HERE, _COOK, _POT, _SERVE, _WORK, _CLEAR, _WAIT = range(7)
"""Order of errands: finish what is at hand, start what takes long, serve, prepare, clear, wait."""


class Errand(NamedTuple):
    """One thing to get to one place, or to work on there.

    Attributes:
        rank: Importance, smallest first.
        thing: What it is about.
        station: Where it has to be.
        work: What is done once it is there: a verb, ``into`` (add or pour) or "" (it only has to be there).
        blockers: What has to be cleared away before, in this order.
    """

    rank: int
    thing: str
    station: str
    work: str = ""
    blockers: tuple[str, ...] = ()


def ideas(scene: SeenKitchen, layout: Layout) -> Iterator[Act]:
    """What to do now, best first; nothing when every dish is complete."""
    if scene.held is not None:
        for errand in sorted(_uses(scene, layout, scene.held), key=lambda errand: errand.rank):
            if not errand.blockers:
                yield _act(scene, layout, errand)
        yield from _park(scene, layout, scene.held)
        return
    for errand in sorted(errands(scene, layout), key=lambda errand: errand.rank):
        if not errand.blockers:
            yield _act(scene, layout, errand)
        elif scene.at == scene.places[errand.blockers[0]]:
            yield take(scene, errand.blockers[0])
        else:
            yield Act("move", scene.places[errand.blockers[0]])


def _act(scene: SeenKitchen, layout: Layout, errand: Errand) -> Act:
    """The next step of an errand that nothing blocks."""
    thing = errand.thing
    if errand.work == "wait":
        return Act("wait")
    place = errand.station if scene.held == thing else scene.places[thing]
    if scene.at != place:
        return Act("move", place)
    if scene.held == thing:
        if errand.work == "into":
            into = scene.standing[errand.station]
            return Act("pour" if thing == layout.pot else "add", thing, into)
        return put(scene, thing, errand.station)
    if place == errand.station and errand.work and errand.work != "into":
        return Act(errand.work, thing, place)
    return take(scene, thing)


def errands(scene: SeenKitchen, layout: Layout) -> Iterator[Errand]:
    """What is left to do for every dish, in no order of importance."""
    for want in layout.wants:
        if want.item is not None:
            yield from _ingredient(scene, layout, want, want.item)
    for site in layout.sites:
        if site.dish.soup and not site.closed and layout.pot and layout.bowl:
            yield from _soup(scene, layout, site, layout.pot, layout.bowl)
        yield from _tidy(scene, site)


def _uses(scene: SeenKitchen, layout: Layout, held: str) -> Iterator[Errand]:
    """Errands for what is in hand: its own, and those of others of its kind that it could swap with."""
    yield from (errand for errand in errands(scene, layout) if errand.thing == held)
    own = layout.want(held)
    for want in layout.wants:
        if want is own or want.need.kind != scene.kinds[held] or not able(scene, held, want.need):
            continue
        if own is None or (want.item is not None and able(scene, want.item, own.need)):
            yield from _ingredient(scene, layout, want, held)


def _tidy(scene: SeenKitchen, site: Site) -> Iterator[Errand]:
    """What lies on a dish without belonging there has to go."""
    if site.station is not None and site.built and (over := scene.stacks[site.station][site.built :]):
        yield Errand(_CLEAR, over[0], site.station, "", over[::-1])


def _ingredient(scene: SeenKitchen, layout: Layout, want: Want, item: str) -> Iterator[Errand]:
    state = next_state(scene, item, want.need)
    if state is None:
        yield from _serve(scene, layout, want, item)
        return
    verb, kind = _VERB[state], WORKPLACE[state]
    place = scene.places.get(item)
    if place is not None and scene.kinds[place] == kind and scene.alone(item):
        if scene.has(item, "cooking"):
            yield Errand(_WAIT, item, place, "wait")
        else:
            rank = _HERE if scene.at == place else _COOK if verb == "cook" else _WORK
            yield Errand(rank, item, place, verb)
    elif (station := workplace(scene, layout, kind)) is not None:
        rank = _COOK if verb == "cook" else _WORK
        yield from _carry(scene, layout, Errand(rank, item, station, verb))


def _serve(scene: SeenKitchen, layout: Layout, want: Want, item: str) -> Iterator[Errand]:
    """Put an ingredient that is ready into its dish, when it is its turn."""
    site = layout.sites[want.site]
    if site.dish.soup:
        station = scene.places.get(layout.pot or "")
        if station is not None and layout.pot is not None and scene.water(layout.pot):
            yield from _carry(scene, layout, Errand(_SERVE, item, station, "into"))
    elif site.station is not None and _turn(site, want):
        yield from _carry(scene, layout, Errand(_SERVE, item, site.station))


def _turn(site: Site, want: Want) -> bool:
    if want.role == "base":
        return site.built == 0
    if want.role == "top":
        return site.built > 0 and not site.left
    return site.built > 0 and (not site.dish.ordered or want.need == site.left[0])


def _carry(scene: SeenKitchen, layout: Layout, errand: Errand) -> Iterator[Errand]:
    """The errand itself, or the errand with what blocks it; nothing when it has to wait for its place."""
    there = () if errand.work == "into" else _in_the_way(scene, layout, errand)
    if any(_busy(scene, layout, thing) for thing in there):
        return
    above = () if errand.thing in there else scene.above(errand.thing)[::-1]
    blockers = (*above, *there)
    yield errand._replace(rank=_CLEAR if blockers else errand.rank, blockers=blockers)


def _in_the_way(scene: SeenKitchen, layout: Layout, errand: Errand) -> tuple[str, ...]:
    """What lies or stands where the thing shall go and is no layer under it, top first (even the thing)."""
    station = errand.station
    built = next((site.built for site in layout.sites if site.station == station), 0)
    lying = scene.stacks[station][built:][::-1]
    standing = scene.standing.get(station)
    return lying + ((standing,) if standing and standing != errand.thing else ())


def _busy(scene: SeenKitchen, layout: Layout, thing: str) -> bool:
    """Whether a thing is being worked on where it is, so that it must not be moved."""
    kind = scene.kinds[scene.places[thing]]
    if thing == layout.pot:
        soup = next((site for site in layout.sites if site.dish.soup and not site.closed), None)
        return (
            soup is not None
            and scene.alone(thing)
            and (kind == "stove" or _pot_place(scene, soup, thing) == kind)
        )
    want = layout.want(thing)
    state = next_state(scene, thing, want.need) if want else None
    return state is not None and scene.alone(thing) and WORKPLACE[state] == kind


def _pot_place(scene: SeenKitchen, site: Site, pot: str) -> str | None:
    """Kind of station at which the pot is needed next; None when it is ready."""
    water = scene.water(pot)
    if water is None:
        return "sink"
    return "stove" if site.dish.boiled and not scene.has(water, "boiling") else None


def _soup(scene: SeenKitchen, layout: Layout, site: Site, pot: str, bowl: str) -> Iterator[Errand]:
    if site.station is not None and scene.places.get(bowl) != site.station:
        yield from _carry(scene, layout, Errand(_SERVE, bowl, site.station))
    if scene.water(bowl):
        return
    kind = _pot_place(scene, site, pot)
    if kind is not None:
        verb = "fill" if kind == "sink" else "boil"
        place = scene.places.get(pot)
        if place is not None and scene.kinds[place] == kind:
            yield Errand(_HERE if scene.at == place else _POT, pot, place, verb)
        elif (station := workplace(scene, layout, kind)) is not None:
            yield from _carry(scene, layout, Errand(_POT, pot, station, verb))
    elif not site.left and bowl in scene.places:
        yield Errand(_POT, pot, scene.places[bowl], "into")


def workplace(scene: SeenKitchen, layout: Layout, kind: str) -> str | None:
    """The station of a kind that is free, or else easiest to clear."""

    def trouble(station: str) -> tuple[bool, int]:
        things = scene.stacks[station] + tuple(scene.standing.get(station, "").split())
        return any(_busy(scene, layout, thing) for thing in things), len(things)

    return min(scene.stations(kind), key=trouble, default=None)


def _park(scene: SeenKitchen, layout: Layout, thing: str) -> Iterator[Act]:
    """Put down what is not needed now: where it disturbs least."""
    for station in sorted(scene.stacks, key=lambda s: _disturbance(scene, layout, thing, s)):
        if scene.free(station) or (scene.stacks[station] and scene.kinds[thing] not in CONTAINERS):
            yield put(scene, thing, station) if station == scene.at else Act("move", station)


def _disturbance(scene: SeenKitchen, layout: Layout, thing: str, station: str) -> tuple[int, int, bool]:
    """Free stations that nothing needs come first, then stacks of what is not wanted."""
    reserved = station in _reserved(scene, layout)
    wanted = sum(_urgency(layout, item) for item in scene.stacks[station])
    at_work = any(_busy(scene, layout, item) for item in scene.stacks[station])
    if scene.free(station):
        return (3 if reserved else 0), 0, station != scene.at
    return (4 if reserved or at_work else 1 if not wanted else 2), wanted, station != scene.at


def _urgency(layout: Layout, item: str) -> int:
    """How soon an item is wanted: bases before fillings before tops."""
    want = layout.want(item)
    return 0 if want is None else {"base": 4, "filling": 2, "top": 1}[want.role]


def _reserved(scene: SeenKitchen, layout: Layout) -> set[str]:
    """Sites, and a station of each kind at which something has still to be done."""
    kinds = {WORKPLACE[s] for w in layout.wants for s in w.need.states if w.item and not scene.has(w.item, s)}
    for site in layout.sites:
        if site.dish.soup and not site.closed and layout.pot:
            kinds |= {"stove"} if scene.water(layout.pot) else {"sink", "stove"}
    stations = {workplace(scene, layout, kind) for kind in kinds}
    return {station for station in (*stations, *(site.station for site in layout.sites)) if station}


def first(scene: SeenKitchen, layout: Layout, valid: Sequence[str] = ()) -> Act | None:
    """The best idea that is among the valid actions (all are, when none are given)."""
    return next((act for act in ideas(scene, layout) if not valid or act.text(scene) in valid), None)
