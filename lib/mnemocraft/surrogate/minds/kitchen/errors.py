"""What a mind does instead when it is wrong about the kitchen, and its slips.

Each error comes with what it expects to see afterwards. Where outcomes are shown, an attentive reader notices
that they do not say so; where they are not, it finds out later or never.
"""

from collections.abc import Iterator
from typing import NamedTuple

from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.minds.kitchen.acts import Act, put, take
from mnemocraft.surrogate.minds.kitchen.beliefs import (
    BOARD,
    CLUTTER,
    CUTS,
    FILLED_FIRST,
    SINGLE,
    TIME,
    TOP_LAST,
    USE_WAITING,
    Beliefs,
)
from mnemocraft.surrogate.minds.kitchen.layout import WORKPLACE, Layout, next_state
from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen


class Idea(NamedTuple):
    """Something to do, what it is expected to lead to, and the belief behind it ("" when it is right)."""

    action: str
    expected: str = ""
    error: str = ""


def misled(scene: SeenKitchen, layout: Layout, act: Act, last: str, beliefs: Beliefs) -> Iterator[Idea]:
    """What wrong beliefs make of a sound idea.

    Args:
        scene: What it sees.
        layout: What it wants.
        act: The sound idea.
        last: Its last action.
        beliefs: What it believes.
    """
    rules = (
        (CUTS, _one_cut),
        (SINGLE, _on_top_of_others),
        (FILLED_FIRST, _empty_pot_on_stove),
        (TOP_LAST, _closed_early),
        (CLUTTER, _clutter_on_dish),
        (BOARD, _cut_where_it_lies),
    )
    for verb in ("fry", "fill", "boil"):
        if act.verb == verb and last == act.text(scene) and not beliefs.knows(TIME[verb]):
            states = {"fry": f"{act.a} is fried", "fill": f" is inside of {act.a}", "boil": " is boiling"}
            yield Idea(take(scene, act.a).text(scene), states[verb], TIME[verb])
    for belief, rule in rules:
        idea = rule(scene, layout, act, last) if not beliefs.knows(belief) else None
        if idea is not None:
            step, expected = idea
            yield Idea(step.text(scene), expected, belief)
    if (cooking := _cooking(scene, layout)) is not None:
        if not beliefs.knows(TIME["cook"]) and act.verb == "wait":
            step = (
                take(scene, cooking)
                if scene.places[cooking] == scene.at
                else Act("move", scene.places[cooking])
            )
            yield Idea(step.text(scene), f"{cooking} is cooked" if step.verb == "pick" else "", TIME["cook"])
        elif not beliefs.knows(USE_WAITING):
            yield Idea("Do nothing", "", USE_WAITING)


Step = tuple[Act, str] | None


def _cooking(scene: SeenKitchen, layout: Layout) -> str | None:
    return next((w.item for w in layout.wants if w.item and scene.has(w.item, "cooking")), None)


def _one_cut(scene: SeenKitchen, layout: Layout, act: Act, last: str) -> Step:
    if act.verb == "cut" and last == act.text(scene):
        return take(scene, act.a), f"{act.a} is cut"
    return None


def _on_top_of_others(scene: SeenKitchen, layout: Layout, act: Act, last: str) -> Step:
    """Holding what has to be worked on, it puts it on what lies at the workplace."""
    want = layout.want(scene.held)
    state = next_state(scene, want.item, want.need) if want and want.item else None
    if state is None or scene.held is None:
        return None
    stations = scene.stations(WORKPLACE[state])
    if any(scene.free(station) for station in stations):
        return None
    station = next((s for s in stations if scene.stacks[s]), None)
    if station is None:
        return None
    if scene.at != station:
        return Act("move", station), ""
    return put(scene, scene.held, station), f"{scene.held} is directly on top of {station}"


def _empty_pot_on_stove(scene: SeenKitchen, layout: Layout, act: Act, last: str) -> Step:
    pot = layout.pot
    if pot is None or scene.held != pot or scene.water(pot):
        return None
    stove = next((s for s in scene.stations("stove") if scene.free(s)), None)
    if stove is None:
        return None
    if scene.at != stove:
        return Act("move", stove), ""
    return put(scene, pot, stove), f" is inside of {pot}"


def _closed_early(scene: SeenKitchen, layout: Layout, act: Act, last: str) -> Step:
    """With the base in place it fetches the top, as if the rest could be slipped in later."""
    for want in layout.wants:
        site = layout.sites[want.site]
        if want.role != "top" or not want.item or site.station is None or site.built < 2 or not site.left:
            continue
        missing = next((w.item for w in layout.wants if w.site == want.site and w.role == "filling"), None)
        if len(scene.stacks[site.station]) != site.built or missing is None:
            continue
        if scene.held == want.item:
            if scene.at == site.station:
                return put(scene, want.item, site.station), f"{missing} is at {site.station}"
            return Act("move", site.station), ""
        if scene.held is None and not scene.above(want.item):
            place = scene.places[want.item]
            return (Act("move", place) if scene.at != place else take(scene, want.item)), ""
    return None


def _clutter_on_dish(scene: SeenKitchen, layout: Layout, act: Act, last: str) -> Step:
    """What it only wants to get rid of goes onto the dish before it."""
    site = next((s for s in layout.sites if s.station == scene.at and s.built and not s.closed), None)
    parking = act.verb == "move" or scene.at not in {s.station for s in layout.sites}
    if scene.held is None or site is None or layout.want(scene.held) or not parking:
        return None
    if scene.kinds[scene.held] in ("pot", "bowl"):
        return None
    top = scene.stacks[scene.at][-1]
    return put(scene, scene.held, scene.at), f"{top} has nothing above it"


def _cut_where_it_lies(scene: SeenKitchen, layout: Layout, act: Act, last: str) -> Step:
    want = layout.want(act.a) if act.verb == "pick" else None
    if want and next_state(scene, act.a, want.need) == "cut" and scene.kinds[scene.at] != "board":
        return Act("cut", act.a, scene.at), ""
    return None


def slip(valid: list[str], meant: str, beliefs: Beliefs) -> str:
    """A wrong or malformed answer: another valid action, half a sentence, a thing that is not there."""
    kind = pick(("other", "other", "part", "thing"), "slip", beliefs.moment)
    others = [action for action in valid if action != meant]
    if kind == "other" and others:
        return pick(others, "other", beliefs.moment)
    if kind == "part":
        return meant.partition(" using ")[0].partition(" from ")[0]
    return meant.replace("1", "0") if "1" in meant else meant + "s"
