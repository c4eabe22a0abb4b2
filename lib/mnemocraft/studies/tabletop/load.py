"""What the study of the table top plays: tasks, scenes, planners, and the two controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mnemocraft.envs import TabletopEnv
from mnemocraft.envs.tabletop.env import Action
from mnemocraft.envs.tabletop.scene import Where, place, refusal
from mnemocraft.envs.tabletop.solver import Move, solve
from mnemocraft.envs.tabletop.tasks import TASKS
from mnemocraft.errors import one_of
from mnemocraft.studies.checks import check_seeds

STEM = "11_tabletop"
METHODS = {"zero_shot": "GPT", "inner_monologue": "IM", "dep": "DEP"}
"""Agents, by the name that Table 8 has for them."""
PERFECT, LABELS = "perfect", {"perfect": "perfect planner", **METHODS}
"""``perfect`` is no agent: a shortest plan by the rules, made anew after a failure. It stands beside
CLIPort+oracle, which has no planner either and is stopped by an oracle."""
PRINTED = {"CLIPort+oracle": PERFECT, "GPT": "zero_shot", "IM": "inner_monologue", "DEP": "dep"}
SLIPS = {"hole": 0.90, "box": 0.82, "base": 0.96, "step": 0.96}
"""Success rates of the failing controller where they are not 1.

They are calibrated, not measured: all steps of a shortest plan can be done about as often as CLIPort+oracle
succeeds in Table 8 (its rate to the power of one over the steps). So its level says nothing about CLIPort;
what can be compared is planners under one controller."""
CONTROLLERS: Mapping[str, Mapping[str, float]] = {"oracle": {}, "learned": SLIPS}
"""By Figure 1's names of the controllers; ours for ``learned`` is :data:`SLIPS`, nothing was learned."""
TITLES = {"oracle": "a perfect controller", "learned": "a failing controller"}
SCENES = {"smoke": 2, "quick": 10, "full": 25}
"""Scenes a task and seed; the paper has five runs a task in all."""
SEEDS = 4
"""Seeds in profile ``full``, whatever is asked for."""
APART = 1000
"""Scenes' seeds are so far apart from one seed of the study to the next."""


def seeds_of(profile: str, seeds: Sequence[int]) -> list[int]:
    """The seeds of a profile; ``full`` has its own, and ``smoke`` takes the first one.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    one_of("profile", profile, SCENES)
    check_seeds(seeds, 0)
    given = list(range(SEEDS)) if profile == "full" else list(seeds)
    return given[:1] if profile == "smoke" else given


def games(profile: str) -> tuple[str, ...]:
    """The games of a seed: task and scene, such as ``hanoi/3``."""
    return tuple(f"{task}/{scene}" for task in TASKS for scene in range(SCENES[profile]))


def begin(game: str, seed: int, controller: str) -> tuple[TabletopEnv, int]:
    """A game at its beginning, and the episode's own seed; every planner gets the same."""
    task, _, scene = game.partition("/")
    own = APART * seed + int(scene)
    return TabletopEnv(task, own, CONTROLLERS[controller]), own


def scripted(env: TabletopEnv) -> bool:
    """Whether a shortest plan succeeds that is made anew after a failure, without what failed."""
    failed: set[Move] = set()

    def refused(where: Where, move: Move) -> bool:
        return move in failed or bool(refusal(where, move[0], place(move[1])))

    while not env.reason:
        wanted = {thing: env.scene.wanted(thing) for thing in env.where}
        moves = solve(env.where, env.scene.places, wanted, refused)
        if not moves:
            break
        if not env.step(Action(*moves[0]).line)[4]["action_success"]:
            failed.add(moves[0])
    return env.success
