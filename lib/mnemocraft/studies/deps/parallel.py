"""The selectors' study (notebook 04, the paper's Figure 4): parallel goals in the overworld, and who chooses.

No language model is asked: the plan is a list of goals with the same preconditions (an axe will do), and
only the order in which they are pursued is left to be chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemocraft.agents.deps import Judge, WorldStage, overworld, selectors, world_stage
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.minecraft.operators import Name
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import Condition, Episode, ModelSpec, Stream, Study
from mnemocraft.runs.sources import hashes
from mnemocraft.studies.deps import actors

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller
    from mnemocraft.controllers.success import Observation
    from mnemocraft.llm import Model

STEM = "04_deps_selector"
GOALS = (
    (Goal("kill", "sheep"), "wool"),
    (Goal("kill", "cow"), "beef"),
    (Goal("kill", "pig"), "porkchop"),
    (Goal("kill", "chicken"), "chicken"),
)
"""The parallel goals in the order of the plan, each with the item of which one unit has to be held.

The paper's are "different kinds of mobs or materials" in plains; which, is only drawn.
"""
NUMBERS = (2, 3, 4)
"""How many of them an episode asks for: the first so many."""
CONTROLLERS = ("sighted", "scripted", "learned")
MAX_STEPS = 1500
LENGTHS = (125, 250, 500, 750, 1000, 1250, 1500)
"""Episode lengths that are compared, all of them from one run of the longest."""
IMAGE = (64, 64)
"""Height and width of what the learned controller sees."""
TURN = 600
"""Steps after which a goal has failed for now: the paper's episode length (Table 18)."""
LABELS = {
    "horizon": "horizon head",
    "fixed": "fixed order",
    "random": "random order",
    "nearest": "nearest (oracle)",
    "clip": "CLIP",
}
SELECTORS = tuple(LABELS)
"""The last one only where its weights are named."""
NO_MODEL = ModelSpec("surrogate")
"""A run needs somebody to open, though nobody is asked."""
Watch = Callable[[WorldStage], None]


PROFILES = {
    "smoke": {"sighted": 1},
    "quick": {"sighted": 32},
    "full": {"sighted": 400, "scripted": 400, "learned": 30},
}
"""Worlds that are played, by controller."""


def study(profile: str, seeds: Sequence[int], controllers: Sequence[str], clip: str = "") -> Study:
    """The grid of notebook 04; a stream plays 2, 3 and 4 goals in one world.

    Args:
        profile: ``smoke``, ``quick`` or ``full``.
        seeds: The first of them is the first world; a profile takes as many as it needs, one after the other.
        controllers: Who acts, of :data:`CONTROLLERS`; those that the profile does not play are left out.
        clip: Weights of a CLIP model, which then is a selector too: a folder, or a name on the Hugging Face
            hub; see :func:`~mnemocraft.agents.deps.selectors.clip`.

    Raises:
        MnemocraftError: An argument is none of those named, or a list is empty; there are no such weights.
    """
    sizes = _sizes(profile, seeds, controllers)
    if clip:
        actors.clip(clip)  # wrong weights are refused now, not in every episode
    streams = tuple(
        Stream(condition(controller, selector, clip), seed, tuple(map(str, NUMBERS)))
        for controller in controllers
        for selector in SELECTORS
        if clip or selector != "clip"
        for seed in worlds(seeds, sizes.get(controller, 0))
    )
    if not streams:
        raise MnemocraftError(f"Profile {profile!r} plays no controller of {', '.join(controllers)}.")
    return Study(STEM, streams, start, fingerprint())


def _sizes(profile: str, seeds: Sequence[int], controllers: Sequence[str]) -> dict[str, int]:
    if profile not in PROFILES:
        raise MnemocraftError(f"There is no profile {profile!r}; it is one of {', '.join(PROFILES)}.")
    if not seeds:
        raise MnemocraftError("The parameter 'seeds' is empty; name at least one world, such as [100].")
    for name in controllers:
        if name not in CONTROLLERS:
            raise MnemocraftError(f"There is no controller {name!r}; it is one of {', '.join(CONTROLLERS)}.")
    return PROFILES[profile]


def worlds(seeds: Sequence[int], number: int) -> list[int]:
    """So many seeds: those that are given, then the numbers after the last."""
    more = range(seeds[-1] + 1, seeds[-1] + 1 + number)
    return [*seeds, *more][:number]


def condition(controller: str, selector: str, clip: str = "") -> Condition:
    """One condition; its id reads ``controller/selector``."""
    settings: dict[str, Any] = {
        "controller": controller,
        "selector": selector,
        "limit": MAX_STEPS,
        "turn": TURN,
    } | ({"clip": clip} if selector == "clip" else {})
    return Condition(f"{controller}/{selector}", settings)


class Guided:
    """A controller that acts, and another whose predictions are asked.

    Args:
        actor: Its actions are taken, and its problem is the problem.
        guide: Its horizons are given.
    """

    def __init__(self, actor: Controller, guide: Controller) -> None:
        self._actor, self._guide = actor, guide
        self.problem, self.looks = "", guide.looks

    def reset(self) -> None:
        """A new episode."""
        self._actor.reset()
        self._guide.reset()

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """The actor's next action."""
        action = self._actor.act(observation, goal)
        self.problem = self._actor.problem
        return action

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """The guide's predicted steps."""
        return self._guide.horizon(observation, goals, around)


def begin(settings: Mapping[str, Any], number: int, seed: int) -> tuple[WorldStage, selectors.Selector]:
    """A world with its controller and the task, and who chooses; equal arguments, equal episodes.

    Args:
        settings: Of a condition, or a record with them.
        number: Of goals.
        seed: Of the world.
    """
    controller, selector = settings["controller"], settings["selector"]
    env = overworld(seed, MAX_STEPS, image_size=IMAGE if controller == "learned" else None)
    script = actors.scripted(env, seed)
    head = actors.learned(seed) if controller == "learned" or selector == "horizon" else script
    actor = {"scripted": script, "learned": head, "sighted": actors.sighted(env)}[controller]
    guide = head if selector == "horizon" else script
    target = {item: goal.count for goal, item in GOALS[:number]}
    chooser: dict[str, Callable[[], selectors.Selector]] = {
        "horizon": selectors.HorizonSelector,
        "fixed": selectors.FixedOrder,
        "random": selectors.RandomOrder,
        "nearest": lambda: selectors.NearestBySimulator(script),
        "clip": lambda: selectors.ImageText(actors.clip(settings["clip"])),
    }
    return world_stage(env, Guided(actor, guide), Judge(target, {})), chooser[selector]()


class Pursuit:
    """An episode: goals are chosen and pursued until all are reached or the steps are used up.

    It is chosen anew when a goal was reached, or not reached in :data:`TURN` steps; then it goes behind the
    others, whoever chooses. Equation 1 has a choice at every step, but whoever turns round whenever another
    goal seems a little nearer gets nowhere.

    Args:
        stage: The world with its task.
        selector: Who chooses.
        seed: Of what is drawn.
        watch: Called after every logged event.
    """

    def __init__(self, stage: WorldStage, selector: selectors.Selector, seed: int, watch: Watch) -> None:
        self.stage, self._selector, self._watch = stage, selector, watch
        self._random = np.random.default_rng(seed)
        self._failed: set[Name] = set()
        self.trajectory: list[dict[str, Any]] = []

    def wanted(self) -> list[Goal]:
        """Goals for all that is lacking, in the order of the plan; those that failed only if all did."""
        had, target = self.stage.inventory, self.stage.target
        lacking = [goal for goal, item in GOALS if had.get(item, 0) < target.get(item, 0)]
        fresh = [goal for goal in lacking if goal.name not in self._failed]
        if not fresh:
            self._failed = set()
        return fresh or lacking

    def play(self) -> None:
        """Until the episode is over."""
        while not self.stage.reason:
            candidates = self.wanted()
            goal = candidates[self._choose(candidates)]
            if self.stage.reason:  # looking around takes steps
                break
            horizons = self.stage.horizon(candidates)
            shown = {"candidates": [str(goal) for goal in candidates], "goal": str(goal)}
            self._log("choice", **shown, horizons=[round(float(steps), 1) for steps in horizons])
            done = self.stage.attempt(goal, TURN)
            if not done.success:
                self._failed.add(goal.name)
            found = {"success": done.success, "reason": done.reason, "inventory": self.stage.inventory}
            self._log("outcome", goal=str(goal), **found)
        self._log("end", reason=self.stage.reason)

    def _choose(self, candidates: Sequence[Goal]) -> int:
        if len(candidates) == 1:
            return 0
        return self._selector.choose(candidates, self.stage, self._random)

    def _log(self, kind: str, **entry: Any) -> None:
        self.trajectory.append({"type": kind, "at": self.stage.steps, **entry})
        self._watch(self.stage)


def pursue_all(
    settings: Mapping[str, Any], number: int, seed: int, watch: Watch = lambda stage: None
) -> Pursuit:
    """Play one episode, see :func:`begin`; ``watch`` is called after every logged event."""
    stage, chooser = begin(settings, number, seed)
    pursuit = Pursuit(stage, chooser, seed, watch)
    pursuit.play()
    return pursuit


class ParallelStream:
    """A stream of episodes; none of them leaves anything to the next."""

    def __init__(self, stream: Stream) -> None:
        self.settings, self.seed = stream.condition.settings, stream.seed

    async def episode(self, task: str) -> Episode:
        """Play with so many goals."""
        found = pursue_all(self.settings, int(task), self.seed)
        stage = found.stage
        choices = [event["goal"] for event in found.trajectory if event["type"] == "choice"]
        metrics: dict[str, int | float | str] = {
            "choices": len(choices),
            "reached": sum(stage.inventory.get(item, 0) >= units for item, units in stage.target.items()),
        }
        reason = stage.reason
        return Episode(reason == "success", reason, stage.steps, metrics, trajectory=found.trajectory)

    def restore(self, deltas: Sequence[Any]) -> None:
        """Nothing is remembered from episode to episode."""


def start(stream: Stream, model: Model) -> ParallelStream:
    """Begin a stream; the model has no part in it."""
    return ParallelStream(stream)


def fingerprint() -> dict[str, str]:
    """Hashes of the code and the weights that decide how an episode goes."""
    agent = [f"agents/deps/{name}.py" for name in ("selectors", "stage", "worlds")]
    study = [f"studies/deps/{name}.py" for name in ("actors", "parallel")]
    code = [*agent, "controllers", "envs/minecraft", "envs/overworld", *study]
    return hashes(code, ("minecraft/*.json", "models/controller.safetensors"))
