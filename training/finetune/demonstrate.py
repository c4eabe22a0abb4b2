"""Dialogues of an expert in every role of How2, in exactly the words the roles have at run time.

The real agent (:class:`~mnemocraft.agents.how2.agent.Actor`) plays fresh tasks with :class:`Expert` in the
model's place. What it was asked and what it answered are the dialogues.

What the expert shows the Actor: look the target up first where there is a memory, then carry out the answer
line by line; without a memory, make known targets from the recipe book. Stale answers are never shown to the
Actor: whether they mislead it is a question of the study. The Relevance role does see them, and the expert
answers as a careful reader.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.agent import Actor, agent
from mnemocraft.agents.how2.roles import is_relevant
from mnemocraft.agents.how2.settings import TEACHERS, Settings
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import Example, book
from mnemocraft.envs.plancraft.actions import expert_actions
from mnemocraft.envs.plancraft.data import SLOT_NAMES
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, Reply, Request, Tool, ToolCall, Usage
from mnemocraft.memory.keyed import Keyed
from mnemocraft.studies.how2.load import known_targets
from mnemocraft.surrogate import Surrogate
from mnemocraft.worlds.plancraft import PlancraftWorld
from mnemocraft.worlds.plancraft_teacher import still_true, templated_answer
from training.finetune.tasks import DISTRACTORS, MAX_ACTIONS, fresh_task

MISTAKES = 0.06
"""Chance that the expert misplaces an ingredient before it puts it right; mistakes are never a target."""
IMPOSSIBLE = 0.25
"""Share of tasks that cannot be done (in the data set it is 100 of 570)."""
SHORT = 10
"""Longest demonstration without a teacher, in expert actions."""
ASK_OFTEN = 0.1
"""Share of the questions that are kept: they are all alike."""
AGENTS = {
    ("just_ask", "executable"): 14,
    ("just_ask", "partially-executable"): 14,
    ("just_ask", "subgoal-partially-executable"): 12,
    ("just_ask", "non-executable"): 12,
    ("parse", "executable"): 5,
    ("parse", "partially-executable"): 5,
    ("parse", "subgoal-partially-executable"): 4,
    ("parse", "non-executable"): 4,
}
"""Set-ups and teachers of the other demonstrations, with weights. ``how2`` and ``relevance`` add only the
Relevance role to these, which has dialogues of its own."""


@dataclass(frozen=True)
class Course:
    """Demonstrations that are learnt together, in a random order.

    Attributes:
        tasks: Fresh tasks that the expert shows.
        from_memory: Share of them without a teacher. They go through the known targets in turn.
        distractors: How many unrelated items lie about in those.
        longest: Longest task with a teacher, in expert actions; the ends of long dialogues are cut off.
        full_slot: Chance that the expert first puts a product where something else lies, which changes
            nothing, before it puts it right.
        impossible: Share of tasks that cannot be done, as the planner proves.
        judged: Pairs of relevance checks a task with a teacher: an entry true for its table, and one not.
    """

    tasks: int
    from_memory: float
    distractors: tuple[int, ...]
    longest: int
    full_slot: float
    impossible: float = IMPOSSIBLE
    judged: int = 0


COURSES = (
    Course(tasks=1100, from_memory=0.82, distractors=(0, 0, 0, 2, 4), longest=MAX_ACTIONS, full_slot=0.0),
    Course(tasks=200, from_memory=0.25, distractors=DISTRACTORS, longest=8, full_slot=0.25, judged=1),
    Course(tasks=140, from_memory=0.15, distractors=DISTRACTORS, longest=8, full_slot=0.25, judged=8),
)
"""First mostly the known recipes, each about three times, with little on the table; then mostly answers; then
mostly memories, to be judged by the planner. After the first alone an earlier adapter lost its place in the
answer, and put products into I1, mostly free on an empty table, whatever the answer said. Before the last
Relevance said no whatever it saw: its answers are a word each, and a dialogue of the Actor's has hundreds."""
_NO_TOKENS = Usage(0, 0, estimated=True)
_GRID = SLOT_NAMES[1:10]
_ROLES = {
    "Return the question": "ask",
    "Does this memory help": "relevance",
    "as an entry for the memory": "parse",
    "who explains crafting": "teacher",
}
"""Words of the prompts by which the expert knows what it is asked for."""


@dataclass(frozen=True)
class Dialogue:
    """One conversation to learn from.

    Attributes:
        role: ``actor``, ``ask``, ``relevance``, ``parse`` or ``teacher`` (the non-executable one); in other
            worlds ``planner``, ``explainer``, ``analyst``, ``predictor`` or ``evaluator``.
        messages: OpenAI messages; the last is the expert's.
        tools: What the Actor was offered; None for the other roles.
        targets: For each assistant message whether it is to be learnt (mistakes are not).
        source: The task's id and a hash of what is in it; empty in How2.
    """

    role: str
    messages: list[Message]
    tools: list[Tool] | None
    targets: list[bool]
    source: str = ""


class Expert:
    """A backend that sees the environment: the planner as the Actor, a perfect reader in the other roles."""

    name, cpu_bound = "expert", True

    def __init__(self, env: PlancraftEnv, rng: random.Random, full_slot: float = 0.0) -> None:
        self.env, self.rng, self.full_slot = env, rng, full_slot
        self.roles: list[Dialogue] = []
        self.targets: list[bool] = []
        self._reader = Surrogate("expert", knowledge=1, attention=1, slip=0)
        self._todo = [ToolCall(a["name"], a["arguments"]) for a in expert_actions(env.example)]
        self._mistaken = self._slipped = False

    async def generate(self, request: Request) -> Reply:
        """Act, or answer in the role that the prompt describes."""
        if request.tools is None:
            reply = await self._reader.generate(request)
            said = {"role": "assistant", "content": reply.text}
            role = next(name for mark, name in _ROLES.items() if mark in request.messages[-1]["content"])
            self.roles.append(Dialogue(role, [*request.messages, said], None, [True]))
            return reply
        return Reply("", [self._act(request)], _NO_TOKENS)

    def _act(self, request: Request) -> ToolCall:
        if len(request.messages) == 2 and "read_memory" in str(request.tools):
            self.targets.append(True)
            return ToolCall("read_memory", {"recipe": self.env.example.target})
        wrong = self._misplaced(self._todo[0]) or self._into_full_slot(self._todo[0])
        self.targets.append(wrong is None)
        return wrong or self._todo.pop(0)

    def _misplaced(self, call: ToolCall) -> ToolCall | None:
        """The call into another empty cell, and what is left to do changed accordingly; once an episode."""
        if self._mistaken or self.rng.random() >= MISTAKES:
            return None
        if call.name != "move" or call.arguments["slot_to"] not in _GRID:
            return None
        free = [s for s in _GRID if s not in self.env.game.slots and s != call.arguments["slot_to"]]
        if not free:
            return None
        self._mistaken = True
        wrong = self.rng.choice(free)
        self._todo[0] = ToolCall("move", call.arguments | {"slot_from": wrong})
        return ToolCall("move", call.arguments | {"slot_to": wrong})

    def _into_full_slot(self, call: ToolCall) -> ToolCall | None:
        """The call of a product into a slot that holds something else; once an episode."""
        if not self.full_slot or self._slipped or call.arguments.get("slot_from") != "0":
            return None
        if self.rng.random() >= self.full_slot:
            return None
        others = {"0", call.arguments["slot_to"], *_GRID}
        full = [slot for slot in self.env.game.slots if slot not in others]
        if not full:
            return None
        self._slipped = True
        return ToolCall("move", call.arguments | {"slot_to": self.rng.choice(full)})

    async def aclose(self) -> None:
        """Nothing to release."""


def dialogues(seed: int, course: Course) -> Iterator[Dialogue]:
    """A course's demonstrations: one Actor dialogue a task, and those of the roles it called."""
    rng = random.Random(f"demonstrations {seed}")
    known = sorted(known_targets())
    rng.shuffle(known)
    everything = sorted(book().by_result)
    for n in range(course.tasks):
        if rng.random() < course.from_memory:
            known.append(known.pop(0))
            task = draw(f"FRESH{seed}-{n}", known[-1:], rng, course.distractors, SHORT, course.impossible)
            settings = Settings("base")
        else:
            task = draw(f"FRESH{seed}-{n}", everything, rng, DISTRACTORS, course.longest, course.impossible)
            settings = Settings(*rng.choices(list(AGENTS), list(AGENTS.values()))[0])
        if task is None:
            continue
        shown = play(task, settings, rng, course.full_slot)
        if course.judged:  # those of the planner stand for the reader's
            yield from (dialogue for dialogue in shown if dialogue.role != "relevance")
            if settings.setup != "base":
                yield from labelled(task, course.judged, rng)
        else:
            yield from shown
            if settings.setup == "parse":
                yield _judged(task, rng, seed)


def draw(
    name: str,
    targets: Sequence[str],
    rng: random.Random,
    distractors: Sequence[int],
    longest: int,
    impossible: float = IMPOSSIBLE,
) -> Example | None:
    """A task for one of the targets of at most ``longest`` expert actions, or None."""
    for _ in range(8):
        target, seed = rng.choice(targets), rng.getrandbits(32)
        task = fresh_task(name, target, rng.random() < impossible, rng.choice(distractors), seed)
        if task is not None and len(expert_actions(task)) <= longest:
            return task
    return None


def play(task: Example, settings: Settings, rng: random.Random, full_slot: float = 0.0) -> Iterator[Dialogue]:
    """The Actor's dialogue on one task, then those of the roles it called.

    Raises AssertionError if the expert fails, which would be a fault of the planner.
    """
    env = PlancraftEnv.of_example(task)
    expert = Expert(env, rng, full_slot)
    actor = Actor(_rollout(env, settings, expert, 0), settings)
    with suppress(Stopped):
        asyncio.run(actor.run())
    if not actor.world.success:
        raise AssertionError(f"the expert failed {task.target}: {actor.world.reason}")
    messages = actor.messages[: _last_call(actor.messages) + 1]
    yield Dialogue("actor", messages, prompts.tools(actor.tools), expert.targets)
    yield from (role for role in expert.roles if role.role != "ask" or rng.random() < ASK_OFTEN)


def _rollout(env: PlancraftEnv, settings: Settings, expert: Expert, seed: int) -> Rollout:
    return Rollout(agent(settings), PlancraftWorld(env), Keyed(), Model("expert", expert), seed)


def _last_call(messages: list[Message]) -> int:
    return max(n for n, message in enumerate(messages) if message["role"] == "assistant")


def _judged(task: Example, rng: random.Random, seed: int) -> Dialogue:
    """A relevance check of a memory that was written for another table, or for another item."""
    targets = [task.target] if rng.random() < 0.7 else sorted(book().by_result)
    other = draw("OTHER", targets, rng, DISTRACTORS, MAX_ACTIONS) or task
    here, there = PlancraftEnv.of_example(task), PlancraftEnv.of_example(other)
    observation, elsewhere = here.reset()[0], there.reset()[0]
    expert = Expert(here, rng)
    rollout = _rollout(here, Settings("relevance", TEACHERS[0]), expert, seed)
    teacher = rng.choice(TEACHERS[:3])
    entry = templated_answer(teacher, elsewhere, other.target)
    asyncio.run(is_relevant(rollout, observation["text"], task.target, entry))
    return expert.roles[0]


def labelled(task: Example, pairs: int, rng: random.Random) -> Iterator[Dialogue]:
    """Relevance checks of memories, one true for the task's table and one not, as the planner has it.

    Fewer pairs where none is found; of a task that cannot be done no memory is true, so it has none.
    """
    env = PlancraftEnv.of_example(task)
    observation = env.reset()[0]
    for _ in range(pairs):
        entries: dict[bool, str] = {}
        for n in range(24):
            wanted = n % 2 == 0
            teacher, other = rng.choice(TEACHERS[:3]), _other(task, rng, wanted)
            if other is None:
                continue
            elsewhere = PlancraftEnv.of_example(other).reset()[0]
            if still_true(teacher, elsewhere, other.target, observation, task.target) == wanted:
                entries.setdefault(wanted, templated_answer(teacher, elsewhere, other.target))
        if len(entries) == 2:
            for wanted, label in rng.sample([(True, "yes"), (False, "no")], 2):
                yield _relevance(env, observation["text"], entries[wanted], label)


def _other(task: Example, rng: random.Random, alike: bool) -> Example | None:
    """The table for which a memory was written: this one now and then, of the same target, or of any."""
    if alike and rng.random() < 0.3:
        return task
    targets = [task.target] if alike or rng.random() < 0.5 else sorted(book().by_result)
    return draw("OTHER", targets, rng, DISTRACTORS, MAX_ACTIONS, impossible=0.1)


def _relevance(env: PlancraftEnv, context: str, entry: str, label: str) -> Dialogue:
    """The very request of run time, with the label as its answer."""
    said = _Says(label)
    rollout = Rollout(
        agent(Settings("relevance", TEACHERS[0])), PlancraftWorld(env), Keyed(), Model("labels", said), 0
    )
    asyncio.run(is_relevant(rollout, context, env.example.target, entry))
    return Dialogue("relevance", [*said.messages, {"role": "assistant", "content": label}], None, [True])


class _Says:
    """A backend that says one thing, and keeps what it was asked."""

    name, cpu_bound = "labels", True

    def __init__(self, text: str) -> None:
        self.text, self.messages = text, list[Message]()

    async def generate(self, request: Request) -> Reply:
        self.messages = list(request.messages)
        return Reply(self.text, [], _NO_TOKENS)

    async def aclose(self) -> None:
        """Nothing to release."""
