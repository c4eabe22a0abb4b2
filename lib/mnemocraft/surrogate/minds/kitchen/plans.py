"""The surrogate as CoT (one plan, nothing seen afterwards) and ReCAP (subtasks, refined as results come in).

Both imagine: they play their own rules on a scene in the mind, whose effects are those they believe in.
Keeping hold of an imagined scene takes attention at every step, so long plans go wrong more often than short
ones. ReCAP writes its errands in words that it understands again when it is asked to decompose them.
"""

import json
import re
from collections.abc import Iterator

from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.kitchen.acts import Act, imagine, put, take
from mnemocraft.surrogate.minds.kitchen.errors import slip
from mnemocraft.surrogate.minds.kitchen.layout import Layout, lay_out
from mnemocraft.surrogate.minds.kitchen.mind import CUTS, TABLE, TIME, Mind
from mnemocraft.surrogate.minds.kitchen.policy import first, ideas
from mnemocraft.surrogate.minds.kitchen.prompt import Prompt
from mnemocraft.surrogate.minds.kitchen.scene import Scene
from mnemocraft.surrogate.minds.kitchen.stepwise import dishes_in, mind_for, note, seen, survey

MOST_STEPS = 150
"""No plan is thought further than this."""
_WORK = {"Cut": "cut", "Cook": "cook", "Fry": "fry", "Fill": "fill", "Boil": "boil"}
_ERRAND = re.compile(r"(Put|Cut|Cook|Fry|Fill|Boil|Pour) (\w+) (?:on|into) (\w+)|(Wait) for (\w+)")


def plan(prompt: Prompt, who: Competence) -> str:
    """The answer to a CoT prompt: a numbered plan to the end."""
    mind = mind_for(prompt, who)
    lines = []
    for n, (scene, act) in enumerate(_imagined(prompt, mind) if prompt.scene else ()):
        text = act.text(scene)
        lines.append(slip(prompt.valid, text, mind) if who.slips("plan", mind.moment, n) else text)
    return "Plan:\n" + "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1))


def _imagined(prompt: Prompt, mind: Mind) -> Iterator[tuple[Scene, Act]]:
    """Steps to the end, each with the scene in which it is taken to happen."""
    scene, dishes, steps = _begin(prompt, mind), None, _steps(mind)
    kept: list[str | None] = []
    for n in range(MOST_STEPS):
        dishes = dishes or dishes_in(scene, mind)
        layout = lay_out(scene, dishes, not mind.knows(TABLE), kept)
        kept = [site.station for site in layout.sites]
        act = None if layout.done else first(scene, layout)
        if act is None:
            return
        yield scene, act
        if mind.heeds("imagined", n):
            scene = imagine(scene, act, steps)


def _begin(prompt: Prompt, mind: Mind) -> Scene:
    assert prompt.scene is not None
    scene = seen(prompt.scene, mind).copy()
    scene.clocks = {("cook", item): 0 for item in scene.places if scene.has(item, "cooking")}
    return scene


def _steps(mind: Mind) -> dict[str, int]:
    """How long it believes that things take."""
    return {"cut": 3 if mind.knows(CUTS) else 1} | {v: 4 if mind.knows(b) else 1 for v, b in TIME.items()}


def decompose(prompt: Prompt, who: Competence) -> str:
    """The answer to a ReCAP prompt: the subtasks that are left of the current task."""
    mind = mind_for(prompt, who)
    task = _ERRAND.fullmatch(prompt.blocks.get("Current Task", ""))
    if prompt.scene is None:
        return _as_json("I cannot see the kitchen.", [])
    if task is not None:
        subtasks = _child(prompt, mind, task)
    else:
        mind, subtasks = _root(prompt, mind)
    if subtasks and who.slips("subtasks", mind.moment):
        subtasks = [slip(prompt.valid, subtasks[0], mind), *subtasks[1:]]
    return _as_json(f"{len(subtasks)} left.{note(prompt, mind)}", subtasks)


def _as_json(think: str, subtasks: list[str]) -> str:
    return json.dumps({"think": think, "subtasks": subtasks})


def _root(prompt: Prompt, mind: Mind) -> tuple[Mind, list[str]]:
    """Errands for the whole goal: as planned while all goes well, else thought out anew."""
    remaining = prompt.lines("Remaining Subtasks")
    failed = _went_wrong(prompt)
    if remaining and not (failed and mind.heeds("failure")):
        return mind, remaining
    assert prompt.scene is not None
    mind, layout = survey(prompt.scene, prompt, mind)
    if layout.done:
        return mind, []
    if failed:  # one step that can be done now gets it out of where it is stuck
        act = first(prompt.scene, layout, prompt.valid)
        return mind, [act.text(prompt.scene)] if act else []
    return mind, list(_errands(prompt, mind))


def _went_wrong(prompt: Prompt) -> bool:
    """Whether the last errand failed, or the kitchen does not look as if it were done."""
    result, _, rest = prompt.blocks.get("Last Result", "").partition(' "')
    errand = _ERRAND.fullmatch(rest.partition('"')[0])
    assert prompt.scene is not None
    return result == "failed" or (errand is not None and not _reached(prompt.scene, *_parts(errand)))


def _parts(errand: re.Match[str]) -> tuple[str, str, str]:
    """Verb, thing and target of an errand in words."""
    return (errand[1], errand[2], errand[3]) if errand[1] else (errand[4], errand[5], "")


def _errands(prompt: Prompt, mind: Mind) -> Iterator[str]:
    """An imagined course of action in words, one for each thing put somewhere or worked on."""
    said = ""
    for scene, act in _imagined(prompt, mind):
        words = _words(scene, act)
        if words and words != said:
            if said and not _continues(said, words):
                yield said
            said = words
    if said:
        yield said


def _words(scene: Scene, act: Act) -> str:
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


def _child(prompt: Prompt, mind: Mind, task: re.Match[str]) -> list[str]:
    """Actions that carry out an errand from here; none when it is done."""
    remaining = prompt.lines("Remaining Subtasks")
    if remaining and not mind.heeds("result"):
        return remaining
    scene, steps = _begin(prompt, mind), _steps(mind)
    actions: list[str] = []
    mind, layout = survey(scene, prompt, mind)
    while len(actions) < MOST_STEPS // 10:
        act = _towards(scene, layout, task)
        if act is None:
            break
        actions.append(act.text(scene))
        scene = imagine(scene, act, steps)
    return actions


def _towards(scene: Scene, layout: Layout, task: re.Match[str]) -> Act | None:
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


def _deliver(scene: Scene, verb: str, thing: str, target: str) -> Act:
    if target in scene.stacks:
        return put(scene, thing, target)
    return Act("pour" if verb == "Pour" else "add", thing, target)


def _reached(scene: Scene, verb: str, thing: str, target: str) -> bool:
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
