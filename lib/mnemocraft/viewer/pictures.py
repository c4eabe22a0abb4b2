"""How each kind of world is drawn at a moment of an episode."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
from matplotlib.figure import Figure

from mnemocraft.envs.kitchen import painter
from mnemocraft.envs.kitchen.env import KitchenEnv
from mnemocraft.figstyle import styled
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.runs.events import Action, Event, Note, Plan, Recall
from mnemocraft.viewer import room, walk
from mnemocraft.viewer.card import DONE, FAILED, LATER, Step, card
from mnemocraft.viewer.strip import SMALL, Look
from mnemocraft.viewer.walk import Walk
from mnemocraft.worlds.household import HouseholdWorld
from mnemocraft.worlds.kitchen import KitchenWorld
from mnemocraft.worlds.minecraft import listed
from mnemocraft.worlds.world import Frames, Goals, World

FRAME = (120, 200)
"""Height and width of an overworld view on a card."""


class Pictures(Protocol):
    """Draws one world as its episode goes on.

    Attributes:
        look: How large its pictures are shown.
        plans: Whether plans are moments of their own.
    """

    look: Look
    plans: bool

    def notice(self, event: Event) -> None:
        """An event has happened, and the world is as it is after it."""

    def snapshot(self, title: str) -> Callable[[], np.ndarray]:
        """What draws the world as it is now, uint8 RGB; called when somebody looks, also much later."""


def pictures_of(world: World) -> Pictures:
    """What draws a world."""
    if isinstance(world, KitchenWorld):
        return KitchenPictures(world)
    if isinstance(world, HouseholdWorld):
        return RoomPictures(world)
    if isinstance(world, Goals) or not isinstance(world, Frames):
        return CardPictures(world)
    return FramePictures(world)


class FramePictures:
    """A world that is drawn as it is."""

    look, plans = SMALL, False

    def __init__(self, world: Frames) -> None:
        self._world = world

    def notice(self, event: Event) -> None:
        """Nothing is kept."""

    def snapshot(self, title: str) -> Callable[[], np.ndarray]:
        """The frame now."""
        picture = self._world.frame().copy()
        return lambda: picture


class KitchenPictures:
    """The kitchen on the left, and on the right the state-transition graph so far.

    States of the graph are what observations tell apart, so time that passes with nothing to see is a loop.
    """

    look, plans = Look(width=960, columns=1, inches=9.0, limit=3), False

    def __init__(self, world: KitchenWorld) -> None:
        self._env = world.env
        self._states = [world.env.state]
        self._warned: set[int] = set()
        self._hinted: set[int] = set()

    def notice(self, event: Event) -> None:
        """A new state, a loop warning or a past experience."""
        if isinstance(event, Action) and event.success:
            self._states.append(self._env.state)
        elif isinstance(event, Note) and event.name == "loop":
            self._warned.add(self._env.steps)
        elif isinstance(event, Recall) and any(hit["source"] == "trace" for hit in event.hits):
            self._hinted.add(self._env.steps)

    def snapshot(self, title: str) -> Callable[[], np.ndarray]:
        """Kitchen and graph now; states keep their places as time goes on."""
        kitchen, time = self._env.copy(), len(self._states) - 1
        return lambda: _kitchen(kitchen, Walk.of(self._states, self._warned, self._hinted), time)


@styled
def _kitchen(kitchen: KitchenEnv, path: Walk, time: int) -> np.ndarray:
    figure = Figure(figsize=(9.6, 5.2), dpi=100)
    figure.set_layout_engine("none")
    painter.draw(figure.add_axes((0.0, 0.06, 0.5, 0.94)), kitchen)
    walk.draw(figure.add_axes((0.51, 0.06, 0.48, 0.86)), path, time)
    for x, text in ((0.25, painter.LEGEND), (0.76, walk.LEGEND)):
        figure.text(x, 0.03, text, ha="center", va="center", color="0.25")
    return painter.pixels(figure)


class RoomPictures:
    """The scene graph of a household as it grows."""

    look, plans = Look(width=960, columns=1, inches=9.0, limit=4), False

    def __init__(self, world: HouseholdWorld) -> None:
        self._world = world

    def notice(self, event: Event) -> None:
        """Nothing is kept: the world has the graph."""

    def snapshot(self, title: str) -> Callable[[], np.ndarray]:
        """The graph now."""
        return partial(_room, self._world.room.copy())


@styled
def _room(known: RoomGraph) -> np.ndarray:
    figure = Figure(figsize=(9.6, 4.4), dpi=100)
    figure.set_layout_engine("none")
    room.draw(figure.add_axes((0.01, 0.07, 0.98, 0.86)), known)
    figure.text(0.5, 0.03, room.LEGEND, ha="center", va="center", color="0.25")
    return painter.pixels(figure)


class CardPictures:
    """A card with the plan and how its steps stand, the inventory, and what the agent sees, if anything."""

    look, plans = Look(width=900, columns=1, inches=9.0, limit=5), True

    def __init__(self, world: World) -> None:
        self._world = world
        self._steps: list[Step] = []
        self._note = ""

    def notice(self, event: Event) -> None:
        """A plan, a step that was tried, or a word about why one failed."""
        if isinstance(event, Plan):
            self._steps = [(line, LATER) for line in event.lines]
            self._note = f"The plan could not be read: {event.problem}" if event.problem else self._note
        elif isinstance(event, Action):
            place = event.place - 1 if event.place else len(self._steps)
            self._steps += [("", LATER)] * (place + 1 - len(self._steps))
            self._steps[place] = (event.line or event.action, DONE if event.success else FAILED)
            self._note = "" if event.success else f"The world says: {event.failure}"
        elif isinstance(event, Note) and event.name == "explanation":
            self._note = f"The explainer says: {event.text}"

    def snapshot(self, title: str) -> Callable[[], np.ndarray]:
        """The card now."""
        held = listed(self._world.observe().inventory).split(", ")
        return partial(card, title, tuple(self._steps), held, self._view(), self._note)

    def _view(self) -> np.ndarray | None:
        env: Any = getattr(self._world, "env", None)
        if hasattr(env, "frame"):
            return env.frame(*FRAME)
        return cast(Frames, self._world).frame() if isinstance(self._world, Frames) else None
