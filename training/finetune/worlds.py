"""What is shown of the other worlds: a perfect reader plays through the very agents, and is watched.

The expert is the stand-in with all knowledge and no slips. It reaches every goal that the planners reach, it
sees nothing but the messages that the model will see, so that all it does can be learnt from them, and it
answers in every role. A planner in its place would know what no prompt says.

Half of a world's knowledge, a fixed random half, may only be learnt where the context holds it. Who plays
knows the other half; who judges knows all. A turn is learnt if both say the same and whatever is unknown in
it was told (:attr:`Lesson.told`); slips, guesses and plans from ignorance are seen, never learnt.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import pandas as pd

from mnemocraft.agents import get_agent
from mnemocraft.agents.deps.plan import read_plan
from mnemocraft.agents.rollout import play
from mnemocraft.envs import AlfworldEnv, KitchenEnv
from mnemocraft.envs.alfworld import TYPES, generate, known_games
from mnemocraft.envs.kitchen import HORIZONS, TASKS
from mnemocraft.envs.kitchen.oracle import plan_kitchen
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, Reply, Request
from mnemocraft.memory import get_memory
from mnemocraft.memory.controls import ShuffledTraces
from mnemocraft.memory.interface import Memory
from mnemocraft.memory.none import NoMemory
from mnemocraft.paths import output_root
from mnemocraft.studies.deps.known import VERSIONS, basic_items, known_items, needed
from mnemocraft.studies.gig import small
from mnemocraft.studies.gig.load import BANK_SEEDS, memory_bank, tasks
from mnemocraft.studies.gig.sweep import LAYOUTS
from mnemocraft.studies.household.known import TOOL_RULES, known_rule, known_rules, rules_of
from mnemocraft.surrogate import Surrogate
from mnemocraft.surrogate.chance import chance
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.minds.minecraft import MinecraftMind
from mnemocraft.surrogate.minds.minecraft.sources import shortest
from mnemocraft.worlds.household import HouseholdWorld
from mnemocraft.worlds.kitchen import KitchenWorld
from mnemocraft.worlds.minecraft import GIVEN_TOOL, Demand
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks
from mnemocraft.worlds.textworld import TextWorld
from mnemocraft.worlds.world import World
from training.finetune.demonstrate import Dialogue

SLIP = 0.05
"""Chance that who plays does something wrong, so that putting it right is seen."""
KITCHEN_SEEDS, GAME_SEEDS = range(10_000, 1_000_000), range(1_000, 1_000_000)
"""Of layouts and of generated household games that are learnt from."""
GAME_SIZES = (1, 2, 3)
"""Of those games: small rooms like the named ones, and rooms as large as ALFWorld's."""
LONGEST_PLAN = 14
"""Moves of the longest plan that is shown in Minecraft."""
ORDER = {
    "kitchen": ("gig_ld", "react", "gig_ld_exp", "recap", "gig_ld", "react", "gig_ld_exp", "gig"),
    "minecraft": (
        "deps", "inner_monologue", "zero_shot", "deps", "zero_shot_cot", "deps", "inner_monologue", "deps",
        "mindstores",
    ),
    "household": ("gig_ld", "react", "dep", "recap", "inner_monologue", "zero_shot", "zero_shot_rp"),
}  # fmt: skip
"""Who plays, in turn, in every world."""
NUMBER = {"kitchen": 500, "minecraft": 1750, "household": 1400}
"""Lessons of a training. How many tokens and hours that are is in ``PLAN.md``."""
TOLD_BY = {"kitchen": ("gig_ld_exp",), "minecraft": ("deps", "mindstores"), "household": ("dep",)}
"""Who may play what is not all known, as they are told in time."""
KEPT = {
    "kitchen": {"gig": 0.1, "gig_ld": 0.5, "gig_ld_exp": 0.3, "recap": 0.15},
    "household": {"gig_ld": 0.5},
}
"""Share of the dialogues that is kept of who begins many, one at every step or (ReCAP in the kitchen) at
every sub-task. Where not everything is known all are kept."""
KEPT_THEN = {"kitchen": {"gig": 0.1, "gig_plain": 0.15, "gig_ld": 0.1, "react": 0.5}}
"""The same, from lesson :data:`THEN_FROM` on."""
DERIVED_FROM = {"minecraft": 500}
"""Number of the first lesson in which plans in code are derived (:func:`derived`). A plan names first what is
done first, which follows from what is done last: the adapter of the two courses before knew recipes and
format, and could not put a plan together."""
MISLED_SHARE = 0.3
"""Share that is kept of the dialogues with an experience of another dish (:func:`misled`)."""
THEN_FROM = {"minecraft": 1500, "kitchen": 400}
"""Number of the first lesson of a course that puts right what those before left out.

In Minecraft MindStores has to foresee failures (:func:`foreseeing`): the plans of an expert succeed, so that
its predictor was shown nothing else, and the adapter foresaw no failure at all. In the kitchen those play who
came off badly, and experience of known dishes is of others (:func:`misled`): before, hardly any was."""
THEN = {
    "minecraft": ("mindstores", "deps", "mindstores", "inner_monologue", "mindstores", "zero_shot"),
    "kitchen": ("gig_plain", "gig_ld_exp", "recap", "gig", "gig_ld", "gig_ld_exp", "react", "gig"),
}
"""Who plays from there on."""
HELD_OUT = 1_000
"""Seed of lessons that nobody learns from."""
REMEMBERED = 5
"""Tasks in a row that share a memory, where there is one of experience."""
MET_AGAIN, TIMES, HASTY = 2, 4, 0.8
"""How many of them are met how many times where failures are foreseen, and the chance that a plan then lacks
a step."""
BESIDE = 0.3
"""Share of all other dialogues that is kept there, so that about as many predictions are of failure as of
success."""
UNAIDED = 0.125
"""Share of these lessons in which nothing is remembered and all is asked all the same, as in the control of
notebook 06: from an empty memory no failure is foreseen."""
Told = Callable[[Request, str], bool]
"""Whether all that is unknown in an answer stands in the request."""


@dataclass(frozen=True)
class Lesson:
    """Episodes to be watched.

    Attributes:
        tasks: Of each its id and a hash of what is in it.
        agent: Who plays.
        begin: Of each the world at its beginning.
        memory: What they share.
        knows: Whether who plays knows a dish, item or rule.
        told: See :data:`Told`.
        known: All that it takes is known.
        derives: Plans in code are derived.
        hasty: Chance that who plays leaves out a step of a plan; None for :data:`SLIP`, as of other slips.
        kept: Chance that a dialogue is kept, where it is none of MindStores'.
        heeds: Who plays, and who judges, go by the experience that they are shown.
        options: Of the agent.
    """

    tasks: list[tuple[str, str]]
    agent: str
    begin: list[Callable[[], World]]
    memory: Callable[[], Memory] = NoMemory
    knows: Callable[[str], bool] = lambda what: True
    told: Told = lambda request, said: True
    known: bool = True
    derives: bool = False
    hasty: float | None = None
    kept: float = 1.0
    heeds: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)


# --- what is evaluated ------------------------------------------------------------------------------------


def digest(*content: Any) -> str:
    """Twelve hexadecimal digits of what is in a task."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:12]


def kitchen_content(task: str, seed: int | None) -> str:
    """Of a layout: all that is seen of it at first, the goal included."""
    return digest(KitchenEnv(task, seed).reset()[0]["text"])


def minecraft_content(target: Mapping[str, int], inventory: Mapping[str, int]) -> str:
    """Of a task in the text world: what is asked for, and what is there."""
    held = {item: units for item, units in inventory.items() if item != GIVEN_TOOL}
    return digest(sorted(target.items()), sorted(held.items()))


def household_content(game: str) -> str:
    """Of a game: the kinds of things and where they are, of receptacles, and what is asked for; no names."""
    problem, _, goal = json.loads(game)["pddl_problem"].partition("(:goal")
    kinds = dict(re.findall(r"\((?:object|receptacle)Type (\S+) (\w+)\)", problem))
    inside = re.findall(r"\(inReceptacle (\S+) (\S+)\)", problem)
    places = sorted((kinds[thing], kinds[receptacle]) for thing, receptacle in inside)
    return digest(sorted(kinds.values()), places, sorted(re.findall(r"\w+Type\b|\bis\w+", goal)))


@cache
def evaluated(world: str) -> frozenset[str]:
    """What is in the tasks of the benchmarks, which is never learnt from: all layouts of the studies and of
    the memory bank, the 76 tasks of Minecraft, the household games that are known by name."""
    if world == "kitchen":
        seeds = (None, *range(10), *LAYOUTS)
        return frozenset(kitchen_content(task, seed) for task in TASKS for seed in seeds)
    if world == "minecraft":
        tasks = minecraft_tasks()
        return frozenset(
            minecraft_content({task.target(v): task.quantity}, {}) for v in VERSIONS for task in tasks
        )
    named = (name.partition("/") for name in known_games()["generated"])
    return frozenset(household_content(generate(kind, int(number))) for kind, _, number in named)


# --- lessons ----------------------------------------------------------------------------------------------


def kitchen_lesson(agent: str, rng: random.Random) -> Lesson | None:
    """A dish in a fresh layout, begun anywhere on the oracle's way; unknown ones where experience helps.

    With lookahead it is a short one: other prompts are longer than what is learnt from at a time.
    """
    known = agent not in TOLD_BY["kitchen"] or rng.random() < 0.5
    kind = rng.choice((small.KNOWN_SHORT, small.KNOWN_SHORT, small.KNOWN_LONG)) if known else small.UNKNOWN
    task = rng.choice(small.dishes(small.KNOWN_SHORT if agent == "gig" else kind))
    seed, part = rng.choice(KITCHEN_SEEDS), rng.random()
    content = kitchen_content(task, seed)
    if content in evaluated("kitchen"):
        return None

    def begin() -> KitchenWorld:
        world = KitchenWorld(KitchenEnv(task, seed, max_steps=3 * HORIZONS[task]))
        way = plan_kitchen(world.env.copy()) or ()
        for action in way[: int(part * len(way))]:
            world.act(action)
        return world

    bank = partial(memory_bank, small.MODE) if agent == "gig_ld_exp" else NoMemory
    told = (lambda request, said: True) if known else _past_action
    return Lesson([(f"kitchen/{task}/{seed}", content)], agent, [begin], bank, told=told, known=known)


def _past_action(request: Request, said: str) -> bool:
    """Whether the experience that is shown did what the answer does, with things of the same kinds."""
    past = Conversation(request.messages).experience
    return past is not None and f"\nAction: {_kinds(past[1])}\n" in _kinds(said)


def _kinds(text: str) -> str:
    return re.sub(r"\d", "", text)


def minecraft_lesson(agent: str, rng: random.Random) -> Lesson | None:
    """Fresh demands from fresh inventories."""
    version = "1.11.2" if agent == "mindstores" else rng.choice(VERSIONS)
    number = REMEMBERED if agent == "mindstores" else 1
    chosen = [_demand(agent, version, rng) for _ in range(number)]
    if any(minecraft_content(*each) in evaluated("minecraft") for each in chosen):
        return None

    def begin(target: dict[str, int], held: dict[str, int]) -> TextWorld:
        env = TextWorldEnv(version, inventory={GIVEN_TOOL: 1, **held}, max_steps=3000)
        return TextWorld("fresh", env, Demand(target, {}))

    return Lesson(
        [
            (f"minecraft/{version}/{'-'.join(target)}", minecraft_content(target, held))
            for target, held in chosen
        ],
        agent,
        [partial(begin, *each) for each in chosen],
        partial(get_memory, "experience") if agent == "mindstores" else NoMemory,
        known_items().__contains__,
        _items_told,
        all(needed(version, item) <= known_items() for target, _ in chosen for item in target),
    )


def _demand(agent: str, version: str, rng: random.Random) -> tuple[dict[str, int], dict[str, int]]:
    """Units of an item to obtain, and what is there at the beginning, which is never nothing."""
    named = [task.target(version) for task in minecraft_tasks()]
    while True:
        item = rng.choice(named if rng.random() < 0.5 else sorted(shortest(version)))
        unknown = needed(version, item) - known_items()
        if len(needed(version, item)) <= LONGEST_PLAN and (not unknown or agent in TOLD_BY["minecraft"]):
            break
    there = rng.sample(
        sorted((basic_items() & shortest(version).keys()) - {item, GIVEN_TOOL}), rng.randint(1, 4)
    )
    return {item: rng.choice((1, 1, 2, 3))}, {each: rng.randint(1, 8) for each in there}


def _items_told(request: Request, said: str) -> bool:
    """Whether something was said about each unknown item that the answer names."""
    mind = MinecraftMind(Conversation(request.messages), Competence(1, 1, 0, 0))
    told = {lesson.item for lesson in mind.lessons}
    sources = shortest(mind.version)
    return {word for word in re.findall(r"\w+", said) if word in sources} <= known_items() | told


def household_lesson(agent: str, rng: random.Random) -> Lesson | None:
    """A generated game; where a tool is unknown, for those to whom a failure is explained."""
    lacking = {kind: set(rules_of(kind)) - known_rules() for kind in TYPES}
    explained = set(TOOL_RULES) if agent in TOLD_BY["household"] else set()
    kind = rng.choice([kind for kind, rules in lacking.items() if rules <= explained])
    seed, size, unknown = rng.choice(GAME_SEEDS), rng.choice(GAME_SIZES), lacking[kind]
    name, game = f"{kind}/{seed}/{size}", generate(kind, seed, size)
    content = household_content(game)
    if content in evaluated("household"):
        return None

    def begin() -> HouseholdWorld:
        path = output_root() / "build" / "finetune" / "games" / f"{name.replace('/', '-')}.tw-pddl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(game)
        return HouseholdWorld(f"fresh/{name}", AlfworldEnv(path, trusted=True), {"task_type": kind})

    told = _explained if unknown else (lambda request, said: True)
    return Lesson([(f"household/{name}", content)], agent, [begin], NoMemory, known_rule, told, not unknown)


def _explained(request: Request, said: str) -> bool:
    """Whether a failure was explained, or is what the answer explains."""
    told = "\n".join(str(message["content"]) for message in request.messages[1:])
    return "Explanation: Because" in told or said.startswith("Explanation:")


LESSONS: dict[str, Callable[[str, random.Random], Lesson | None]] = {
    "kitchen": kitchen_lesson,
    "minecraft": minecraft_lesson,
    "household": household_lesson,
}


# --- watching ---------------------------------------------------------------------------------------------


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
        reply = await Reader(self.lesson.knows, SLIP, self.lesson.hasty, heeds).generate(request)
        right = await Reader(lambda what: True, 0.0, heeds=heeds).generate(request)
        learnt = reply.text == right.text and self.lesson.told(request, reply.text)
        reply = replace(reply, text=derived(reply.text)) if self.lesson.derives else reply
        self.turns.append(Turn(list(request.messages), reply.text, learnt))  # agents go on writing theirs
        return reply

    async def aclose(self) -> None:
        """Nothing to release."""


def derived(answer: str) -> str:
    """A plan in code with comments in front that go from the task back to what is there; else the answer.

    A comment is a step: how much of what, and after the colon what it takes.
    """
    head, line_end, body = answer.partition("\n")
    steps = read_plan(answer).steps if head.startswith("def ") else ()
    lines = []
    for goal, step in [(step.goal, step) for step in reversed(steps) if step.goal]:
        takes = [*(f"{units} {item}" for item, units in step.needs.items()), step.station, goal.tool]
        lines.append(f"    # {goal.count} {goal.item}: {', '.join(filter(None, takes)) or 'nothing'}\n")
    return head + line_end + "".join(lines) + body


def lesson(world: str, seed: int, number: int) -> Lesson | None:
    """A lesson by its number; None where its draw is of no use."""
    derives, last = (
        world in begun and (seed == HELD_OUT or number >= begun[world]) for begun in (DERIVED_FROM, THEN_FROM)
    )
    then = last and seed != HELD_OUT  # checks draw everybody
    order = (THEN if then else ORDER)[world]
    given = LESSONS[world](order[number % len(order)], random.Random(f"{world} {seed} {number}"))
    if given and given.known:
        kept = (KEPT_THEN if then else KEPT).get(world, {}).get(given.agent, 1.0)
        given = (
            misled(replace(given, kept=kept))
            if then and given.agent == "gig_ld_exp"
            else replace(given, kept=kept)
        )
    if given and last and given.agent == "mindstores":
        aided = random.Random(f"aided {world} {seed} {number}").random() >= UNAIDED
        given = foreseeing(given) if aided else replace(given, memory=NoMemory, options={"unaided": True})
    return given and replace(given, derives=derives)


def misled(given: Lesson) -> Lesson:
    """With experience of other dishes, which neither who plays nor who judges goes by."""
    return replace(given, memory=partial(memory_bank, small.MODE, ShuffledTraces), heeds=False)


def alike() -> pd.DataFrame:
    """Kitchens (``task``, ``seed``) of the small model's study that begin, but for names, as another does:
    one ``of`` a lesson, or of the memory bank."""
    given = (each for n in range(NUMBER["kitchen"]) if (each := lesson("kitchen", 0, n)))
    names = (name.removeprefix("kitchen/").rpartition("/") for each in given for name, _ in each.tasks)
    begun = {
        "lesson": {unnamed(task, int(seed)) for task, _, seed in names},
        "bank": {unnamed(task, seed) for task in tasks(small.MODE) for seed in BANK_SEEDS},
    }
    found = [
        (task, seed, of)
        for of, shown in begun.items()
        for task in tasks(small.MODE)
        for seed in small.LAYOUTS
        if unnamed(task, seed) in shown
    ]
    return pd.DataFrame(found, columns=["task", "seed", "of"])


def unnamed(task: str, seed: int) -> str:
    """What is seen of a layout at first, in alphabetical order and without the numbers in names."""
    return "\n".join(sorted(_kinds(KitchenEnv(task, seed).reset()[0]["text"]).split("\n")))


def foreseeing(given: Lesson) -> Lesson:
    """Its first tasks over and over, with plans that mostly lack a step.

    What is left out of a task's first plan is drawn by lesson and task, so that the same plan is made, and
    fails, whenever the task comes again: what was remembered of it is foreseen.
    """
    tasks, begin = given.tasks[:MET_AGAIN] * TIMES, given.begin[:MET_AGAIN] * TIMES
    return replace(given, tasks=tasks, begin=begin, hasty=HASTY)


def dialogues(world: str, seed: int, number: int) -> list[Dialogue]:
    """What is learnt from a lesson: conversations, each once, and the turns of them that are to be learnt."""
    given = lesson(world, seed, number)
    if given is None:
        return []
    rng, memory = random.Random(f"kept {world} {seed} {number}"), given.memory()
    found: list[Dialogue] = []
    for (task, content), begin in zip(given.tasks, given.begin, strict=True):
        expert = Expert(given)
        episode = asyncio.run(
            play(
                get_agent(given.agent, **given.options), begin(), memory, Model("expert", expert), seed=number
            )
        )
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
