"""Thinking ahead: a whole plan (nothing is seen afterwards), or errands that are refined as results come in.

Both play the rules on a scene in the mind, whose effects are those that it believes in. Keeping hold of an
imagined scene takes attention at every step, so long plans go wrong more often than short ones. Errands are
written in words that it understands again when it is asked to decompose them.
"""

import re
from collections.abc import Iterator

from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.minds.kitchen.acts import Act, imagine, put, take
from mnemocraft.surrogate.minds.kitchen.beliefs import CUTS, TABLE, TIME, Beliefs
from mnemocraft.surrogate.minds.kitchen.choosing import dishes_in, seen, survey
from mnemocraft.surrogate.minds.kitchen.layout import Layout, lay_out
from mnemocraft.surrogate.minds.kitchen.policy import first, ideas
from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen

MOST_STEPS = 150
"""No plan is thought further than this."""
_WORK = {"Cut": "cut", "Cook": "cook", "Fry": "fry", "Fill": "fill", "Boil": "boil"}
ERRAND = re.compile(r"(Put|Cut|Cook|Fry|Fill|Boil|Pour) (\w+) (?:on|into) (\w+)|(Wait) for (\w+)")


def imagined(scene: SeenKitchen, beliefs: Beliefs) -> Iterator[tuple[SeenKitchen, Act]]:
    """Steps to the end, each with the scene in which it is taken to happen."""
    scene, dishes, steps = _begin(scene, beliefs), None, _steps(beliefs)
    kept: list[str | None] = []
    for n in range(MOST_STEPS):
        dishes = dishes or dishes_in(scene, beliefs)
        layout = lay_out(scene, dishes, not beliefs.knows(TABLE), kept)
        kept = [site.station for site in layout.sites]
        act = None if layout.done else first(scene, layout)
        if act is None:
            return
        yield scene, act
        if beliefs.heeds("imagined", n):
            scene = imagine(scene, act, steps)


def _begin(scene: SeenKitchen, beliefs: Beliefs) -> SeenKitchen:
    scene = seen(scene, beliefs).copy()
    scene.clocks = {("cook", item): 0 for item in scene.places if scene.has(item, "cooking")}
    return scene


def _steps(beliefs: Beliefs) -> dict[str, int]:
    """How long it believes that things take."""
    steps = {verb: 4 if beliefs.knows(belief) else 1 for verb, belief in TIME.items()}
    return steps | {"cut": 3 if beliefs.knows(CUTS) else 1}


def root(scene: SeenKitchen, prompt: Conversation, beliefs: Beliefs) -> tuple[Beliefs, list[str]]:
    """Errands for the whole goal: as planned while all goes well, else thought out anew."""
    remaining = prompt.lines("Remaining Subtasks")
    failed = _went_wrong(scene, prompt)
    if remaining and not (failed and beliefs.heeds("failure")):
        return beliefs, remaining
    beliefs, layout = survey(scene, prompt, beliefs)
    if layout.done:
        return beliefs, []
    if failed:  # one step that can be done now gets it out of where it is stuck
        act = first(scene, layout, prompt.valid)
        return beliefs, [act.text(scene)] if act else []
    return beliefs, list(_errands(scene, beliefs))


def _went_wrong(scene: SeenKitchen, prompt: Conversation) -> bool:
    """Whether the last errand failed, or the kitchen does not look as if it were done."""
    result, _, rest = prompt.blocks.get("Last Result", "").partition(' "')
    errand = ERRAND.fullmatch(rest.partition('"')[0])
    return result == "failed" or (errand is not None and not _reached(scene, *_parts(errand)))


def _parts(errand: re.Match[str]) -> tuple[str, str, str]:
    """Verb, thing and target of an errand in words."""
    return (errand[1], errand[2], errand[3]) if errand[1] else (errand[4], errand[5], "")


def _errands(scene: SeenKitchen, beliefs: Beliefs) -> Iterator[str]:
    """An imagined course of action in words, one for each thing put somewhere or worked on."""
    said = ""
    for then, act in imagined(scene, beliefs):
        words = _words(then, act)
        if words and words != said:
            if said and not _continues(said, words):
                yield said
            said = words
    if said:
        yield said


def _words(scene: SeenKitchen, act: Act) -> str:
    if act.verb in ("place", "stack"):
        return f"Put {act.a} on {scene.at}"
    if act.verb in ("add", "pour"):
        return f"{'Put' if act.verb == 'add' else 'Pour'} {act.a} into {act.b}"
    if act.verb == "wait":
        return f"Wait for {next((i for i in scene.places if scene.has(i, 'cooking')), 'it')}"
    return f"{act.verb.capitalize()} {act.a} on {act.b}" if act.verb in _WORK.values() else ""


def _continues(said: str, words: str) -> bool:
    """Whether working on a thing includes having put it there."""
    return said.startswith("Put ") and said[4:] == words.partition(" ")[2]


def child(scene: SeenKitchen, prompt: Conversation, beliefs: Beliefs, task: re.Match[str]) -> list[str]:
    """Actions that carry out an errand from here; none when it is done."""
    remaining = prompt.lines("Remaining Subtasks")
    if remaining and not beliefs.heeds("result"):
        return remaining
    scene, steps = _begin(scene, beliefs), _steps(beliefs)
    actions: list[str] = []
    beliefs, layout = survey(scene, prompt, beliefs)
    while len(actions) < MOST_STEPS // 10:
        act = _towards(scene, layout, task)
        if act is None:
            break
        actions.append(act.text(scene))
        scene = imagine(scene, act, steps)
    return actions


def _towards(scene: SeenKitchen, layout: Layout, task: re.Match[str]) -> Act | None:
    """The next step of an errand; None when it is done or cannot be done."""
    verb, thing, target = _parts(task)
    if thing not in scene.kinds or _reached(scene, verb, thing, target):
        return None
    if verb == "Wait":
        return Act("wait")
    station = scene.places.get(target, target)
    if station not in scene.stacks:
        return None
    if scene.held == thing:
        return Act("move", station) if scene.at != station else _deliver(scene, verb, thing, target)
    if scene.held is not None:
        return next(ideas(scene, layout), None)
    if thing not in scene.places:
        return None
    if verb in _WORK and scene.places[thing] == station:
        return Act(_WORK[verb], thing, station) if scene.at == station else Act("move", station)
    top = (thing, *scene.above(thing))[-1]
    return take(scene, top) if scene.at == scene.places[thing] else Act("move", scene.places[thing])


def _deliver(scene: SeenKitchen, verb: str, thing: str, target: str) -> Act:
    if target in scene.stacks:
        return put(scene, thing, target)
    return Act("pour" if verb == "Pour" else "add", thing, target)


def _reached(scene: SeenKitchen, verb: str, thing: str, target: str) -> bool:
    water = scene.water(thing) or ""
    if verb == "Put":
        return scene.places.get(thing) == target or thing in scene.added.get(scene.water(target) or "", ())
    if verb == "Wait":
        return not scene.has(thing, "cooking")
    if verb == "Cook":
        return scene.has(thing, "cooking") or scene.has(thing, "cooked")
    if verb == "Pour":
        return scene.water(target) is not None
    done = {"Cut": "cut", "Fry": "fried", "Boil": "boiling"}
    return bool(water) if verb == "Fill" else scene.has(water if verb == "Boil" else thing, done[verb])
