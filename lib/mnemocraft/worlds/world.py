"""What an agent acts on: a task in a world that is read as text and acted on by lines of text.

An action line and one sentence of failure are what agents and worlds exchange; a tool call is a line's JSON
form. What only some worlds can do is a small protocol of its own, asked for by ``isinstance``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from mnemocraft.errors import MnemocraftError

if TYPE_CHECKING:
    from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary

LEVELS = ("executable", "partially-executable", "subgoal-partially-executable", "non-executable")
"""How2's four levels of abstraction of a how-to answer (section 3.4), the most concrete first."""


@dataclass(frozen=True)
class Task:
    """What is asked for.

    Attributes:
        id: What :func:`mnemocraft.worlds.make` takes, such as ``kitchen/sync/3``.
        goal: In words.
        max_steps: Steps allowed; None for no limit.
        item: What it is about in a word or two, to look it up by.
        facts: What a record says about it besides.
    """

    id: str
    goal: str
    max_steps: float | None
    item: str
    facts: Mapping[str, int | float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Observation:
    """What an agent is shown.

    Attributes:
        text: Everything: what is there, the goal, and the valid actions where they are listed.
        scene: What is there, without goal and actions.
        inventory: Units by item, where things are held in numbers.
        actions: The valid action lines, each once; None where they cannot be listed.
        image: What the agent sees, uint8 (height, width, 3), where the world was made with images.
        biome: Where it is, in worlds that have biomes.
        aggregated: ``text`` with all that was seen so far, in worlds that show only what is in view (GiG,
            section 3.2); elsewhere empty.
    """

    text: str
    scene: str
    inventory: Mapping[str, int] = field(default_factory=dict)
    actions: tuple[str, ...] | None = None
    image: np.ndarray | None = None
    biome: str = ""
    aggregated: str = ""


@dataclass(frozen=True)
class Feedback:
    """What came of an action: whether it worked, steps it took, and why it did not (one sentence)."""

    success: bool
    steps: int
    failure: str = ""


class World(Protocol):
    """A task that is being played.

    Attributes:
        task: What is asked for.
        guide: The world's rules, for a system message.
        wording: How an action line is written, for a system message; empty where the actions are listed.
        encoder: Name of the encoder that tells its scenes apart, see :mod:`mnemocraft.encoders`.
        idle: An action line that only lets a step pass; empty if there is none.
    """

    task: Task
    guide: str
    wording: str
    encoder: str
    idle: str

    @property
    def steps(self) -> int:
        """Steps taken."""

    @property
    def reason(self) -> str:
        """Why the episode is over, such as ``success`` or ``max_steps``; empty while it goes on."""

    @property
    def success(self) -> bool:
        """Whether the task is done."""

    def observe(self) -> Observation:
        """What there is to see now; nothing changes."""

    def check(self, action: str) -> str:
        """What is wrong with an action line before it is tried, in one sentence; empty if it can be tried."""

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Try an action line, where it takes several steps for at most ``limit`` of them."""


# --- what only some worlds can do -------------------------------------------------------------------------


@runtime_checkable
class Lookahead(Protocol):
    """Can be asked what an action would lead to (GiG's bounded lookahead, section 3.2)."""

    def successors(self) -> dict[str, str]:
        """For every valid action the scene after it; nothing changes."""


@runtime_checkable
class Goals(Protocol):
    """Its actions are goals with known preconditions and effects, which a controller pursues.

    Attributes:
        version: Of the game whose names the goals have.
        library: The goals there are.
        target: Units by item that the task asks for.
    """

    version: str
    library: GoalLibrary
    target: dict[str, int]

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now, in one sentence; empty if it can."""

    def lacking(self) -> str:
        """What the task still asks for, ``0 of 1 stone_sword``; empty if nothing."""


@runtime_checkable
class Horizons(Protocol):
    """Predicts how far goals are (DEPS's selector, section 3.3)."""

    def horizon(self, goals: Sequence[Goal]) -> np.ndarray:
        """Predicted steps to each goal from here."""

    def look_around(self) -> None:
        """Look all around if that makes the predictions better; it may take steps."""

    def turn_to(self, goal: Goal) -> None:
        """After looking around: turn to the side on which the goal seems nearest; it may take a step."""


@runtime_checkable
class Teaching(Protocol):
    """Has a teacher who answers how-to questions (How2, section 3.4)."""

    def how_to(self, query: str, question: str, level: str) -> str:
        """A plan for the item that a question is about, told at one of :data:`LEVELS`."""

    def plain_scene(self) -> str:
        """The task and what is there, without places, for a teacher who answers in prose."""


@runtime_checkable
class Frames(Protocol):
    """Can be drawn."""

    def frame(self) -> np.ndarray:
        """The world now, uint8 (height, width, 3)."""


CAPABILITIES: dict[type, str] = {
    Lookahead: "lookahead",
    Goals: "goals",
    Horizons: "horizons",
    Teaching: "teaching",
    Frames: "images",
}
"""Every capability in a word or two."""


def lacks(world: World, capability: type, who: str) -> MnemocraftError:
    """The error, in one sentence, that names who needs what, and what lacks it."""
    return MnemocraftError(f"{who} needs {CAPABILITIES[capability]}, which {world.task.id} does not have.")
