"""A household's scene graph, merged from one observation after another (GiG, section 3.2, appendix A.2).

ALFWorld shows only what the agent faces. What each reply says is merged into one graph: entities are added
when they are first named, and what is said anew about one takes the place of what was known. What was never
seen stays unknown. GiG prints no format for this graph; :attr:`RoomGraph.text` is ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mnemocraft.gnn.scene_graph import OTHER, SceneGraph

_NAME = re.compile(r"[a-z]+ \d+")
_SAID = re.compile(
    r"Looking quickly around you, you see (?P<room>[^.]*)\."
    r"|You are facing the (?P<facing>[^.]*)\."
    r"|You arrive at (?P<arrive>\w+ \d+)\."
    r"|On the (?P<on>\w+ \d+), you see (?P<lying>[^.]*)\."
    r"|The (?P<open>\w+ \d+) is open\. In it, you see (?P<inside>[^.]*)\."
    r"|The (?P<closed>\w+ \d+) is closed\.|You close the (?P<close>\w+ \d+)\."
    r"|You pick up the (?P<take>\w+ \d+) from the (?P<source>\w+ \d+)\."
    r"|You move the (?P<put>\w+ \d+) to the (?P<target>\w+ \d+)\."
    r"|You (?P<how>heat|cool|clean) the (?P<treated>\w+ \d+) using"
    r"|You turn (?P<switch>on|off) the (?P<lamp>\w+ \d+)\."
    r"|You sliced the (?P<sliced>\w+ \d+) with"
)
_STATES = {"heat": "hot", "cool": "cool", "clean": "clean"}
_AGAINST = {"hot": "cool", "cool": "hot", "on": "off", "off": "on"}
_LINE = re.compile(r"^(\w+ \d+)(?: \((open|closed)\))?: (.*)$", re.M)
_AT = re.compile(r"^You are at: (.*)$", re.M)
_HELD = re.compile(r"^You hold: (.*)$", re.M)
_UNSEEN = re.compile(r"^Not looked at: (.*)$", re.M)
_THING = re.compile(r"(\w+ \d+)(?: \(([^)]*)\))?")
MIDDLE, NOTHING, UNKNOWN = "the middle of the room", "nothing", "unknown"


@dataclass
class RoomGraph:
    """What is known of a room.

    Attributes:
        doors: By receptacle ``open``, ``closed``, ``""`` (it has no door), or None: not looked at.
        contents: What was last seen in a receptacle; it is missing as long as nobody looked inside.
        here: Receptacles within reach, several where they share a place; none in the middle of the room.
        held: What is in hand; empty for nothing.
        states: What was done to an object, such as ``clean`` or ``on``.
    """

    doors: dict[str, str | None] = field(default_factory=dict)
    contents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    here: tuple[str, ...] = ()
    held: str = ""
    states: dict[str, frozenset[str]] = field(default_factory=dict)

    def copy(self) -> RoomGraph:
        """A graph of its own to imagine with."""
        return RoomGraph(dict(self.doors), dict(self.contents), self.here, self.held, dict(self.states))

    # --- observations -----------------------------------------------------------------------------

    def merge(self, reply: str, actions: Sequence[str] = ()) -> None:
        """Merge what a reply of the world says.

        Args:
            reply: In the words of TextWorld's engine; ``Nothing happens.`` says nothing.
            actions: The admissible actions after it: away from the middle of the room, a receptacle to which
                one cannot go is within reach.
        """
        for said in _SAID.finditer(reply):
            self._merge({name: text for name, text in said.groupdict().items() if text is not None})
        if actions and self.here:
            there = {action.removeprefix("go to ") for action in actions if action.startswith("go to ")}
            self.here = tuple(sorted(name for name in self.doors if name not in there))

    def _merge(self, said: dict[str, str]) -> None:
        """Merge one sentence, given by its parts."""
        match said:
            case {"room": listed}:
                self.doors = dict.fromkeys(_NAME.findall(listed)) | self.doors
                self.here = ()
            case {"facing": listed}:
                self.here = tuple(sorted(_NAME.findall(listed)))
            case {"arrive": place}:
                self.here = (place,)
            case {"on": place, "lying": listed}:
                self._look(place, "", listed)
            case {"open": place, "inside": listed}:
                self._look(place, "open", listed)
            case {"closed": place} | {"close": place}:
                self.doors[place] = "closed"
            case {"take": thing, "source": place}:
                if place in self.contents:
                    self.contents[place] = tuple(o for o in self.contents[place] if o != thing)
                self.held = thing
            case {"put": thing, "target": place}:
                if place in self.contents:  # else nobody has looked, and what else is there stays unknown
                    self.contents[place] = tuple(sorted({*self.contents[place], thing}))
                self.held = ""
            case {"how": verb, "treated": thing}:
                self._becomes(thing, _STATES[verb])
            case {"switch": state, "lamp": thing}:
                self._becomes(thing, state)
            case {"sliced": thing}:
                self._becomes(thing, "sliced")

    def _look(self, place: str, door: str, listed: str) -> None:
        self.doors[place] = door
        self.contents[place] = tuple(sorted(_NAME.findall(listed)))

    def _becomes(self, thing: str, state: str) -> None:
        self.states[thing] = (self.states.get(thing, frozenset()) | {state}) - {_AGAINST.get(state, "")}

    # --- as a text --------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The graph in lines; the same graph has the same text, however it was found out."""
        seen = sorted((place for place, door in self.doors.items() if door is not None), key=_order)
        unseen = sorted((place for place, door in self.doors.items() if door is None), key=_order)
        lines = [f"You are at: {', '.join(self.here) or MIDDLE}"]
        lines.append(f"You hold: {self._named([self.held]) if self.held else NOTHING}")
        for place in seen:
            door = f" ({self.doors[place]})" if self.doors[place] else ""
            inside = self._named(self.contents[place]) if place in self.contents else UNKNOWN
            lines.append(f"{place}{door}: {inside or NOTHING}")
        return "\n".join([*lines, *([f"Not looked at: {', '.join(unseen)}"] if unseen else [])])

    def _named(self, things: Sequence[str]) -> str:
        states = ((thing, ", ".join(sorted(self.states.get(thing, ())))) for thing in things)
        return ", ".join(f"{thing} ({state})" if state else thing for thing, state in states)

    @classmethod
    def read(cls, text: str) -> RoomGraph | None:
        """The graph of a text that contains :attr:`text`; None if it contains none."""
        at = _AT.search(text)
        if at is None:
            return None
        graph = cls(here=tuple(_NAME.findall(at[1])))
        for place, door, inside in _LINE.findall(text):
            graph.doors[place] = door
            if inside != UNKNOWN:
                graph.contents[place] = graph._things(inside)
        graph.doors |= {name: None for found in _UNSEEN.findall(text) for name in _NAME.findall(found)}
        graph.held = next((thing for found in _HELD.findall(text) for thing in graph._things(found)), "")
        return graph

    def _things(self, listed: str) -> tuple[str, ...]:
        found = _THING.findall(listed)
        self.states |= {thing: frozenset(states.split(", ")) for thing, states in found if states}
        return tuple(thing for thing, _ in found)

    # --- as a scene graph -------------------------------------------------------------------------

    @property
    def graph(self) -> SceneGraph:
        """Nodes for the agent, receptacles and objects; edges for what is where, both ways.

        Unlike a kitchen's, the texts of nodes have their names: two empty drawers are two places to have
        been, and an agent that goes from one to the other goes on.
        """
        things = sorted({self.held, *(o for inside in self.contents.values() for o in inside)} - {""})
        names = ("agent", *sorted(self.doors), *things)
        place = {name: i for i, name in enumerate(names)}
        doors = {None: "not looked at", "": "looked at", "open": "open", "closed": "closed"}
        kinds = {name: f"receptacle: {name}; {doors[door]}" for name, door in self.doors.items()}
        kinds |= {o: "; ".join([f"object: {o}", *sorted(self.states.get(o, ()))]) for o in things}
        pairs = [
            (o, r, f"is in {OTHER}", f"has {OTHER}") for r, inside in self.contents.items() for o in inside
        ]
        pairs += [("agent", r, f"is at {OTHER}", f"has beside it {OTHER}") for r in self.here]
        pairs += [("agent", self.held, f"holds {OTHER}", f"is held by {OTHER}")] if self.held else []
        both = [edge for a, b, to, back in pairs for edge in ((a, b, to), (b, a, back))]
        edges = sorted((place[a], place[b], relation) for a, b, relation in both)
        return SceneGraph(names, tuple(kinds.get(name, name) for name in names), tuple(edges))


def _order(name: str) -> tuple[str, int]:
    kind, _, number = name.partition(" ")
    return kind, int(number)
