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

import pandas as pd

from mnemocraft.agents import get_agent
from mnemocraft.agents.rollout import play
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, Reply, Request
from mnemocraft.memory.interface import Memory
from mnemocraft.surrogate import Surrogate
from mnemocraft.surrogate.chance import chance
from mnemocraft.surrogate.competence import Competence
from mnemocraft.worlds.world import World
from training.finetune.demonstrate import Dialogue
from training.finetune.trials import Trial, Trials
from training.finetune.worlds import Lesson, lesson

SLIP = 0.05
"""Chance that who plays does something wrong, so that putting it right is seen."""
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
    """What was asked, what was said, whether it is to be learnt, and whether the adapter was wrong there."""

    messages: list[Message]
    said: str
    learnt: bool
    missed: bool = False


@dataclass
class Expert:
    """A backend: who plays, beside who judges."""

    lesson: Lesson
    trial: Trial | None = None
    name: str = "expert"
    cpu_bound: bool = True
    turns: list[Turn] = field(default_factory=list)

    async def generate(self, request: Request) -> Reply:
        """The player's answer."""
        heeds = self.lesson.heeds
        right = await Reader(lambda what: True, 0.0, heeds=heeds).generate(request)
        if self.trial is not None:
            return await self._tried(request, right, self.trial)
        reply = await Reader(self.lesson.knows, SLIP, self.lesson.hasty, heeds).generate(request)
        learnt = reply.text == right.text and self.lesson.told(request, reply.text)
        if self.lesson.derives:
            reply = replace(reply, text=self.lesson.derives(request.messages, reply.text))
        self.turns.append(Turn(list(request.messages), reply.text, learnt))  # agents go on writing theirs
        return reply

    async def _tried(self, request: Request, reply: Reply, trial: Trial) -> Reply:
        """What the adapter does, in the words of what is right if it is that.

        After a wrong action what is right is done one of two times. Where no conversation is kept, it is
        learnt whatever was done.
        """
        lesson, alone = self.lesson, len(request.messages) == 2
        right = lesson.derives(request.messages, reply.text) if lesson.derives else reply.text
        helped = bool(
            self.turns and self.turns[-1].missed and chance("helped", trial.lesson, len(self.turns)) < 0.5
        )
        said = right if helped else await trial.answer(request.messages)
        missed = _action(said) != _action(right)
        learnt = lesson.told(request, reply.text) and (alone or not missed)
        played = said if missed else right
        self.turns.append(Turn(list(request.messages), right if alone else played, learnt, missed))
        return replace(reply, text=played)

    async def aclose(self) -> None:
        """Nothing to release."""


def _action(answer: str) -> str:
    return next((line for line in answer.split("\n") if line.startswith("Action: ")), "")


def dialogues(world: str, seed: int, number: int, trials: Trials | None = None) -> list[Dialogue]:
    """What is learnt from a lesson: conversations, each once, and the turns of them that are to be learnt.

    Args:
        world, seed, number: Which lesson.
        trials: Of the adapter; without them the expert plays all lessons.
    """
    given = lesson(world, seed, number)
    if given is None:
        return []
    rng, memory = random.Random(f"kept {world} {seed} {number}"), given.memory()
    found: list[Dialogue] = []
    for (task, content), begin in zip(given.tasks, given.begin, strict=True):
        turns, roles = _watched(given, begin(), memory, number, trials)
        told = conversations(turns, roles, f"{task} {content}")
        missed = {turn.messages[-1]["content"] for turn in turns if turn.missed}
        found += [d for d in told if any(d.targets) and rng.random() < _share(given, d, missed)]
    return found


def _watched(
    given: Lesson, begin: World, memory: Memory, number: int, trials: Trials | None
) -> tuple[list[Turn], list[str]]:
    """The turns of an episode, and their roles."""
    trial = trials.begin(number) if trials and given.tried else None
    expert = Expert(given, trial)
    player, model = get_agent(given.agent, **given.options), Model("expert", expert)
    episode = (trials.run if trials else asyncio.run)(play(player, begin, memory, model, seed=number))
    if trials and trial:
        trials.end(trial)
    return expert.turns, [event["role"] for event in episode.trajectory if event["type"] == "call"]


def tried(world: str, seed: int, trials: Trials) -> pd.DataFrame:
    """How the adapter did in its trials: a row a ``lesson``, with who played (``agent``), the ``task``, its
    number of ``answers``, and how many of them were ``wrong``."""
    rows = []
    for number, answers in trials.lessons.items():
        if (given := lesson(world, seed, number)) is not None:
            turns, _ = _watched(given, given.begin[0](), given.memory(), number, trials)
            task, wrong = given.tasks[0][0].rpartition("/")[0], sum(turn.missed for turn in turns)
            rows.append((number, given.agent, task, answers, wrong))
    return pd.DataFrame(rows, columns=["lesson", "agent", "task", "answers", "wrong"])


def _share(given: Lesson, dialogue: Dialogue, missed: set[str]) -> float:
    """Chance that a dialogue is kept: of one in which the adapter was wrong it is 1."""
    if any(message["content"] in missed for message in dialogue.messages):
        return 1.0
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
