"""How a lesson is watched: what becomes of it as dialogues to learn from.

Who plays knows what the lesson lets it know; who judges knows all. A turn is learnt if both say the same and
whatever is unknown in it was told (:attr:`Lesson.told`); slips, guesses and plans from ignorance are seen,
never learnt.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from mnemocraft.agents import get_agent
from mnemocraft.agents.rollout import play
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, Reply, Request
from mnemocraft.surrogate import Surrogate
from mnemocraft.surrogate.chance import chance
from mnemocraft.surrogate.competence import Competence
from training.finetune.demonstrate import Dialogue
from training.finetune.worlds import Lesson, lesson

MISLED_SHARE = 0.3
"""Share that is kept of the dialogues with an experience of another dish
(:func:`training.finetune.worlds.misled`)."""
BESIDE = 0.3
"""Share of all other dialogues that is kept where failures are foreseen, so that about as many predictions
are of failure as of success."""


@dataclass(frozen=True)
class Half(Competence):
    """A reader who takes up everything, and knows what it is said to know."""

    known: Callable[[str], bool]
    hasty: float | None = None
    experienced: bool = True

    def heeds(self, *what: object) -> bool:
        """As every reader, but for experience if :attr:`Lesson.heeds` says so."""
        return super().heeds(*what) and (self.experienced or "experience" not in what)

    def slips(self, *what: object) -> bool:
        """As every reader, but for plans if :attr:`Lesson.hasty` says so."""
        if what[0] == "plan" and self.hasty is not None:
            return chance("slips", self.seed, *what) < self.hasty
        return super().slips(*what)

    def knows(self, belief: str, *draw: object) -> bool:
        """Whether it is known; nothing is drawn."""
        return self.known(belief)


class Reader(Surrogate):
    """The stand-in with such a reader."""

    def __init__(
        self, known: Callable[[str], bool], slip: float, hasty: float | None = None, heeds: bool = True
    ) -> None:
        super().__init__("expert", 1.0, 1.0, slip)
        self._known, self._hasty, self._heeds = known, hasty, heeds

    def _reader(self, request: Request, default: float) -> Competence:
        return Half(1.0, 1.0, self.slip, request.seed or 0, self._known, self._hasty, self._heeds)


@dataclass(frozen=True)
class Turn:
    """What was asked, what was said, and whether it is to be learnt."""

    messages: list[Message]
    said: str
    learnt: bool


@dataclass
class Expert:
    """A backend: who plays, beside who judges."""

    lesson: Lesson
    name: str = "expert"
    cpu_bound: bool = True
    turns: list[Turn] = field(default_factory=list)

    async def generate(self, request: Request) -> Reply:
        """The player's answer."""
        heeds = self.lesson.heeds
        right = await Reader(lambda what: True, 0.0, heeds=heeds).generate(request)
        reply = await Reader(self.lesson.knows, self.lesson.slip, self.lesson.hasty, heeds).generate(request)
        learnt = reply.text == right.text and self.lesson.told(request, reply.text)
        if self.lesson.derives:
            reply = replace(reply, text=self.lesson.derives(request.messages, reply.text))
        self.turns.append(Turn(list(request.messages), reply.text, learnt))  # agents go on writing theirs
        return reply

    async def aclose(self) -> None:
        """Nothing to release."""


def dialogues(world: str, seed: int, number: int) -> list[Dialogue]:
    """What is learnt from a lesson: conversations, each once, and the turns of them that are to be learnt."""
    given = lesson(world, seed, number)
    if given is None:
        return []
    rng, memory = random.Random(f"kept {world} {seed} {number}"), given.memory()
    found: list[Dialogue] = []
    for (task, content), begin in zip(given.tasks, given.begin, strict=True):
        expert, player = Expert(given), get_agent(given.agent, **given.options)
        episode = asyncio.run(play(player, begin(), memory, Model("expert", expert), seed=number))
        roles = [event["role"] for event in episode.trajectory if event["type"] == "call"]
        told = conversations(expert.turns, roles, f"{task} {content}")
        found += [d for d in told if any(d.targets) and rng.random() < _share(given, d)]
    return found


def _share(given: Lesson, dialogue: Dialogue) -> float:
    """Chance that a dialogue is kept."""
    if not given.heeds:
        return MISLED_SHARE if "Past Experience:" in dialogue.messages[-2]["content"] else 0.0
    if given.hasty is not None:
        return 1.0 if "Prediction: failure" in dialogue.messages[-1]["content"] else BESIDE
    if given.options:
        return 1.0 if dialogue.role == "predictor" else BESIDE
    return given.kept


def conversations(turns: list[Turn], roles: list[str], source: str) -> list[Dialogue]:
    """Turns that continue each other as one dialogue; an answer that is told again is learnt once."""
    found: list[Dialogue] = []
    for turn, role in zip(turns, roles, strict=True):
        before = next(((d, start) for d in found for start in _starts(d) if _continues(turn, start)), None)
        told: list[bool] = []
        if before is not None:
            found.remove(before[0])
            told = before[1].targets
        earlier = sum(message["role"] == "assistant" for message in turn.messages) - len(told)
        messages = [*turn.messages, {"role": "assistant", "content": turn.said}]
        found.append(Dialogue(role, messages, None, [*told, *[False] * earlier, turn.learnt], source))
    return found


def _starts(dialogue: Dialogue) -> Iterator[Dialogue]:
    """A dialogue, and without its last exchange if that is not learnt: agents leave invalid answers out."""
    yield dialogue
    if len(dialogue.targets) > 1 and not dialogue.targets[-1]:
        yield replace(dialogue, messages=dialogue.messages[:-2], targets=dialogue.targets[:-1])


def _continues(turn: Turn, dialogue: Dialogue) -> bool:
    return turn.messages[: len(dialogue.messages)] == dialogue.messages
