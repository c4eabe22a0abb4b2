"""What is shown of the other worlds: a perfect reader plays through the very agents, and is watched.

The expert is the stand-in with all knowledge and no slips. It reaches every goal that the planners reach, it
sees nothing but the messages that the model will see, so that all it does can be learnt from them, and it
answers in every role. A planner in its place would know what no prompt says.

Half of a world's knowledge, a fixed random half, may only be learnt where the context holds it
(:mod:`training.finetune.watching`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd

from mnemocraft.agents.gig.answers import kind
from mnemocraft.envs import AlfworldEnv, KitchenEnv
from mnemocraft.envs.alfworld import TYPES, generate
from mnemocraft.envs.kitchen import HORIZONS
from mnemocraft.envs.kitchen.oracle import plan_kitchen
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.llm.types import Message, Request
from mnemocraft.memory import get_memory
from mnemocraft.memory.controls import ShuffledTraces
from mnemocraft.memory.interface import Memory
from mnemocraft.memory.none import NoMemory
from mnemocraft.paths import output_root
from mnemocraft.studies.deps.known import VERSIONS, basic_items, known_items, needed
from mnemocraft.studies.gig import small
from mnemocraft.studies.gig.load import BANK_SEEDS, memory_bank, tasks
from mnemocraft.studies.household.known import TOOL_RULES, known_rule, known_rules, rules_of
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
from training.finetune.derived import derived_action, derived_plan
from training.finetune.leaks import evaluated, household_content, kitchen_content, minecraft_content

KITCHEN_SEEDS, GAME_SEEDS = range(10_000, 1_000_000), range(1_000, 1_000_000)
"""Of layouts and of generated household games that are learnt from."""
GAME_SIZES = (1, 2, 3)
"""Of those games: small rooms like the named ones, and rooms as large as ALFWorld's."""
LONGEST_PLAN = 14
"""Moves of the longest plan that is shown in Minecraft."""
NUMBER = {"kitchen": 1000, "minecraft": 1750, "household": 1400}
"""Lessons of a training. How many tokens and hours that are is in ``PLAN.md``."""
TOLD_BY = {"kitchen": ("gig_ld_exp",), "minecraft": ("deps", "mindstores"), "household": ("dep",)}
"""Who may play what is not all known, as they are told in time."""
SLIP = 0.05
"""See :attr:`Lesson.slip`."""
HELD_OUT = 1_000
"""Seed of lessons that nobody learns from."""
REMEMBERED = 5
"""Tasks in a row that share a memory, where there is one of experience."""
MET_AGAIN, TIMES, HASTY = 2, 4, 0.8
"""How many of them are met how many times where failures are foreseen, and the chance that a plan then lacks
a step."""
UNAIDED = 0.125
"""Share of these lessons in which nothing is remembered and all is asked all the same, as in the control of
notebook 06: from an empty memory no failure is foreseen."""


@dataclass(frozen=True)
class Stage:
    """Lessons that are given in the same way.

    Attributes:
        begins: Number of the first.
        order: Who plays, in turn.
        kept: Share of the dialogues that is kept of who begins one at every step, or has one that is long
            (ReCAP in the kitchen; it left too few). Where not everything is known all are kept.
        long: The same of long dishes, by which the others' share is multiplied.
        derives: What an answer follows from is written in front of it (:mod:`training.finetune.derived`).
        mends: They put right what those before left out. In Minecraft MindStores has to foresee failures
            (:func:`foreseeing`): the plans of an expert succeed, so that its predictor was shown nothing
            else, and the adapter foresaw no failure at all. In the kitchen experience of known dishes is of
            others (:func:`misled`): before, hardly any was.
        errands: What is derived says, with everything that is wanted, what has to be done with it next.
        slip: See :attr:`Lesson.slip`.
    """

    begins: int
    order: tuple[str, ...]
    kept: Mapping[str, float] = field(default_factory=dict)
    long: float = 1.0
    derives: bool = False
    mends: bool = False
    errands: bool = False
    slip: float = SLIP


_MINECRAFT = (
    "deps", "inner_monologue", "zero_shot", "deps", "zero_shot_cot", "deps", "inner_monologue", "deps",
    "mindstores",
)  # fmt: skip
_LATER = partial(Stage, long=0.4, derives=True, mends=True, errands=True, slip=0.15)
"""Of the kitchen, after the sixth course."""
STAGES = {
    "kitchen": (
        Stage(
            0,
            ("gig_ld", "react", "gig_ld_exp", "recap", "gig_ld", "react", "gig_ld_exp", "gig"),
            {"gig": 0.1, "gig_ld": 0.5, "gig_ld_exp": 0.3, "recap": 0.15},
        ),
        Stage(
            400,
            ("gig_plain", "gig_ld_exp", "recap", "gig", "gig_ld", "gig_ld_exp", "react", "gig"),
            {"gig": 0.1, "gig_plain": 0.15, "gig_ld": 0.1, "react": 0.5},
            mends=True,
        ),
        Stage(
            500,
            ("gig_ld", "react", "gig_ld", "react", "gig_ld", "gig_ld", "gig_ld_exp"),
            {"gig_ld": 0.4, "react": 0.8},
            long=0.4,
            derives=True,
            mends=True,
        ),
        _LATER(
            600,
            ("gig_ld", "react", "gig_ld", "react", "gig_ld", "gig_ld", "gig_ld_exp"),
            {"gig_ld": 0.3, "react": 0.8},
        ),
        _LATER(
            800,
            ("gig_plain", "gig_ld_exp", "recap", "react", "gig_plain", "gig_ld", "gig_ld_exp", "gig"),
            {"gig": 0.08, "gig_plain": 0.3, "recap": 0.25, "react": 1.0, "gig_ld": 0.2},
        ),
        _LATER(
            900,
            ("gig_ld", "react", "gig_plain", "recap", "gig_ld_exp", "react", "gig_plain"),
            {"gig_ld": 0.4, "gig_plain": 0.4, "recap": 0.25, "react": 1.0},
        ),
    ),
    "minecraft": (
        Stage(0, _MINECRAFT),
        Stage(500, _MINECRAFT, derives=True),
        Stage(
            1500,
            ("mindstores", "deps", "mindstores", "inner_monologue", "mindstores", "zero_shot"),
            derives=True,
            mends=True,
        ),
    ),
    "household": (
        Stage(
            0,
            ("gig_ld", "react", "dep", "recap", "inner_monologue", "zero_shot", "zero_shot_rp"),
            {"gig_ld": 0.5},
        ),
    ),
}
"""Of every world, in the order of the lessons."""
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
        derives: Puts what an answer follows from in front of it.
        slip: Chance that who plays does something wrong, so that putting it right is seen.
        hasty: Chance that who plays leaves out a step of a plan; None for that of other slips.
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
    derives: Callable[[list[Message], str], str] | None = None
    slip: float = SLIP
    hasty: float | None = None
    kept: float = 1.0
    heeds: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)


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
        way = plan_kitchen(KitchenEnv(task, seed)) or ()
        world = KitchenWorld(KitchenEnv(task, seed, max_steps=3 * HORIZONS[task]))
        for action in way[: int(part * len(way))]:
            world.act(action)
        return world

    bank = partial(memory_bank, small.MODE) if agent == "gig_ld_exp" else NoMemory
    told = (lambda request, said: True) if known else _past_action
    return Lesson([(f"kitchen/{task}/{seed}", content)], agent, [begin], bank, told=told, known=known)


def _past_action(request: Request, said: str) -> bool:
    """Whether the experience that is shown did what the answer does, with things of the same kinds."""
    past = Conversation(request.messages).experience
    return past is not None and f"\nAction: {kind(past[1])}\n" in kind(said)


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


LESSONS: dict[str, Callable[..., Lesson | None]] = {
    "kitchen": kitchen_lesson,
    "minecraft": minecraft_lesson,
    "household": household_lesson,
}
DERIVED: dict[str, Callable[..., str]] = {"kitchen": derived_action, "minecraft": derived_plan}
"""What an answer follows from, in front of it."""


def lesson(world: str, seed: int, number: int) -> Lesson | None:
    """A lesson by its number; None where its draw is of no use."""
    stages = STAGES[world]
    stage = max((each for each in stages if each.begins <= number), key=lambda each: each.begins)
    if seed == HELD_OUT:  # checks draw everybody
        last = stages[-1]
        stage = replace(stages[0], derives=last.derives, mends=last.mends, errands=last.errands)
    player = stage.order[number % len(stage.order)]
    given = LESSONS[world](player, random.Random(f"{world} {seed} {number}"))
    if given is None:
        return None
    if given.known:
        long = any(f"/{dish}/" in given.tasks[0][0] for dish in small.dishes(small.KNOWN_LONG))
        given = replace(given, kept=stage.kept.get(player, 1.0) * (stage.long if long else 1.0))
        given = misled(given) if stage.mends and player == "gig_ld_exp" and seed != HELD_OUT else given
    if stage.mends and player == "mindstores":
        aided = random.Random(f"aided {world} {seed} {number}").random() >= UNAIDED
        given = foreseeing(given) if aided else replace(given, memory=NoMemory, options={"unaided": True})
    said = {"known": given.known} | ({"errands": True} if stage.errands else {})
    derives = partial(DERIVED[world], **said) if stage.derives else None
    return replace(given, derives=derives, slip=stage.slip)


def misled(given: Lesson) -> Lesson:
    """With experience of other dishes, which neither who plays nor who judges goes by."""
    return replace(given, memory=partial(memory_bank, small.MODE, ShuffledTraces), heeds=False)


def alike_kitchens() -> pd.DataFrame:
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


def alike_tasks() -> pd.DataFrame:
    """Tasks of Minecraft's 76 (``task``, ``version``) that lessons came to.

    They asked for the same item, however much of it, and nothing that was there is on the shortest way to it.
    """
    given = (each for n in range(NUMBER["minecraft"]) if (each := lesson("minecraft", 0, n)))
    begun = set()
    for world in (begin() for each in given for begin in each.begin):
        assert isinstance(world, TextWorld)
        there = world.env.inventory.keys() - {GIVEN_TOOL}
        begun |= {(world.version, i) for i in world.target if needed(world.version, i).isdisjoint(there)}
    found = [
        (task.key, version)
        for version in VERSIONS
        for task in minecraft_tasks()
        if (version, task.target(version)) in begun
    ]
    return pd.DataFrame(found, columns=["task", "version"])


ALIKE: dict[str, Callable[[], pd.DataFrame]] = {"kitchen": alike_kitchens, "minecraft": alike_tasks}
"""By world: what of the evaluation is much like a lesson, though its content is not the same."""


def unnamed(task: str, seed: int) -> str:
    """What is seen of a layout at first, in alphabetical order and without the numbers in names."""
    return "\n".join(sorted(kind(KitchenEnv(task, seed).reset()[0]["text"]).split("\n")))


def foreseeing(given: Lesson) -> Lesson:
    """Its first tasks over and over, with plans that mostly lack a step.

    What is left out of a task's first plan is drawn by lesson and task, so that the same plan is made, and
    fails, whenever the task comes again: what was remembered of it is foreseen.
    """
    tasks, begin = given.tasks[:MET_AGAIN] * TIMES, given.begin[:MET_AGAIN] * TIMES
    return replace(given, tasks=tasks, begin=begin, hasty=HASTY)
