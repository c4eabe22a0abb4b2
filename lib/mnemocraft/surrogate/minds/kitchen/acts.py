"""What the surrogate can think of doing, its wording, what it expects to see, and what it imagines."""

from collections.abc import Mapping
from typing import NamedTuple

from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen

_WORDING = {
    "move": "Move {robot} from {at} to {a}",
    "pick": "Pick up {a} from {b} using {robot}",
    "place": "Place {a} on {b} using {robot}",
    "stack": "Stack {a} on top of {b} using {robot}",
    "unstack": "Unstack {a} from {b} using {robot}",
    "cut": "Cut {a} on {b} using {robot}",
    "cook": "Cook {a} on {b} using {robot}",
    "fry": "Fry {a} on {b} using {robot}",
    "fill": "Fill {a} with water from {b} using {robot}",
    "boil": "Boil {a}'s contents on {b} using {robot}",
    "add": "Add {a} into {b} using {robot}",
    "pour": "Fill {b} with {a}'s contents using {robot}",
    "wait": "Do nothing",
}
_EXPECTED = {
    "move": "{robot} is at {a}",
    "pick": "{robot} is holding {a}",
    "unstack": "{robot} is holding {a}",
    "place": "{a} is at {b}",
    "stack": "{a} is directly on top of {b}",
    "pour": " is inside of {b}",
}
PATIENT = ("Cut ", "Fry ", "Fill ", "Boil ", "Do nothing")
"""How the actions begin that have to be repeated, though what they do cannot be seen at once."""


class Act(NamedTuple):
    """Something to do: a verb and the things it is done to."""

    verb: str
    a: str = ""
    b: str = ""

    def text(self, scene: SeenKitchen) -> str:
        """The action in the words of the kitchen."""
        return _WORDING[self.verb].format(robot=scene.robot, at=scene.at, a=self.a, b=self.b)

    def expected(self, scene: SeenKitchen) -> str:
        """What an observation should say afterwards ("" where nothing can be told)."""
        return _EXPECTED.get(self.verb, "").format(robot=scene.robot, a=self.a, b=self.b)


def take(scene: SeenKitchen, thing: str) -> Act:
    """Pick a thing up from the station where the robot is."""
    stack = scene.stacks[scene.places[thing]]
    if thing in stack[1:]:
        return Act("unstack", thing, stack[stack.index(thing) - 1])
    return Act("pick", thing, scene.places[thing])


def put(scene: SeenKitchen, thing: str, station: str) -> Act:
    """Put what is held down on the station where the robot is, on top of what lies there."""
    stack = scene.stacks[station]
    return Act("stack", thing, stack[-1]) if stack else Act("place", thing, station)


def imagine(scene: SeenKitchen, act: Act, steps: Mapping[str, int]) -> SeenKitchen:
    """The scene after an act, as far as the mind's eye sees.

    Args:
        scene: The scene before; it is left as it is.
        act: What is done, taken to be possible.
        steps: Believed number of steps by verb (cut, cook, fry, fill, boil).
    """
    after = scene.copy()
    if act.verb == "move":
        after.at = act.a
    elif act.verb in ("pick", "unstack"):
        _lift(after, act.a)
    elif act.verb in ("place", "stack"):
        _put_down(after, act.a)
    elif act.verb == "add":
        _add(after, act.a, act.b)
    elif act.verb == "pour":
        after.inside[act.b] = after.inside.pop(act.a, ())
    elif act.verb == "cut":
        _tick(after, "cut", act.a, steps["cut"])
    elif act.verb != "wait":
        after.clocks.setdefault((act.verb, act.a), 0)
    for verb, thing in [key for key in after.clocks if key[0] != "cut"]:
        if thing in after.places:
            _tick(after, verb, thing, steps[verb])
    return after


def _lift(scene: SeenKitchen, thing: str) -> None:
    place = scene.places.pop(thing)
    if scene.standing.get(place) == thing:
        del scene.standing[place]
    else:
        scene.stacks[place] = scene.stacks[place][:-1]
    scene.states[thing] = scene.states.get(thing, frozenset()) - {"cooking"}
    scene.held = thing
    for verb in ("cook", "fry", "fill", "boil"):
        scene.clocks.pop((verb, thing), None)


def _put_down(scene: SeenKitchen, thing: str) -> None:
    if scene.kinds[thing] in ("pot", "bowl"):
        scene.standing[scene.at] = thing
    else:
        scene.stacks[scene.at] = (*scene.stacks[scene.at], thing)
    scene.places[thing], scene.held = scene.at, None


def _add(scene: SeenKitchen, item: str, pot: str) -> None:
    water = scene.water(pot)
    if water is not None:
        scene.added[water] = (*scene.added.get(water, ()), item)
    scene.held = None


def _tick(scene: SeenKitchen, verb: str, thing: str, needed: int) -> None:
    count = scene.clocks.pop((verb, thing), 0) + 1
    if verb == "cook" and count < needed:
        scene.states[thing] = scene.states.get(thing, frozenset()) | {"cooking"}
    if count < needed:
        scene.clocks[verb, thing] = count
    else:
        _finish(scene, verb, thing)


def _finish(scene: SeenKitchen, verb: str, thing: str) -> None:
    if verb == "fill":
        water = f"water{1 + sum(kind == 'water' for kind in scene.kinds.values())}"
        scene.kinds[water] = "water"
        scene.inside[thing] = (*scene.inside.get(thing, ()), water)
        return
    done = {"cut": "cut", "cook": "cooked", "fry": "fried", "boil": "boiling"}[verb]
    changed = scene.water(thing) if verb == "boil" else thing
    if changed is not None:
        states = (scene.states.get(changed, frozenset()) - {"cooking"}) | {done}
        scene.states[changed] = states | (
            {"fryable"} if "fryable once cut" in states and verb == "cut" else set()
        )
