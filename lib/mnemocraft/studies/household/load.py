"""What the household study plays: games, who plays them, and how much of it a profile takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from mnemocraft.envs.alfworld import known_games, valid_unseen_path
from mnemocraft.envs.alfworld.process import HOW, NEEDS
from mnemocraft.errors import MnemocraftError

STEM = "10_alfworld"
PER_TYPE = {"smoke": 1, "quick": 3}
"""Generated games of each type; ``full`` has the 134 of valid_unseen."""
LABELS = {
    "pick_and_place_simple": "Pick & Place",
    "pick_clean_then_place_in_recep": "Clean & Place",
    "pick_heat_then_place_in_recep": "Heat & Place",
    "pick_cool_then_place_in_recep": "Cool & Place",
    "look_at_obj_in_light": "Examine in Light",
    "pick_two_obj_and_place": "Pick Two & Place",
}
"""The types in the order of GiG's Table 17, by the names that DEPS's Table 6 gives them."""
NUMBERS = {kind: number for number, kind in enumerate(LABELS, 1)}
TEN = dict(zip(LABELS, (3, 2, 1, 2, 1, 1), strict=True))
"""Tasks of each type among DEPS's ten (Table 5). Its ten games are not in valid_unseen, whose rooms have at
most 27 receptacles; ours are a game each of the first tasks of each type."""
CONTROLLERS = {"im_goals": "oracle", "im": "learned"}
"""Who plans for the controllers of DEPS's Figure 1, which is Inner Monologue's (section 1). The paper's
learned one is a language model here (A.1.1): ours is the planner itself, which names the commands."""
RUNS = 5
"""Of each of the ten tasks in profile ``full`` (appendix A.1.2)."""


@dataclass(frozen=True)
class Player:
    """Who plays.

    Attributes:
        label: For tables.
        agent: Its row of the registry.
        part: ``types`` (GiG's tables) or ``ten`` (DEPS's).
        sub_goals: Whether it plans in sub-goals, which a script carries out; else it names the commands.
    """

    label: str
    agent: str
    part: str
    sub_goals: bool = False


PLAYERS = {
    "gig": Player("GiG (aggregated graph, loop detection)", "gig_ld", "types"),
    "recap": Player("ReCAP", "recap", "types"),
    "react": Player("ReAct", "react", "types"),
    "gpt": Player("GPT", "zero_shot", "ten"),
    "gpt_rp": Player("GPT+RP", "zero_shot_rp", "ten"),
    "im": Player("Inner Monologue", "inner_monologue", "ten"),
    "im_goals": Player("Inner Monologue, sub-goals", "inner_monologue", "ten", sub_goals=True),
    "dep": Player("DEP", "dep", "ten"),
}
"""By the name that conditions use. No lookahead and no experience, as in the paper (4.5, A.2)."""
NAMES = {name: player.label for name, player in PLAYERS.items()}


def games(profile: str) -> dict[str, tuple[str, ...]]:
    """The games of a profile by type, as ``household/`` names them."""
    source = "valid_unseen" if profile == "full" else "generated"
    every = [f"{source}/{name}" for name in known_games()[source]]
    found = {kind: [name for name in every if name.startswith(f"{source}/{kind}")] for kind in LABELS}
    return {kind: tuple(names[: PER_TYPE.get(profile)]) for kind, names in found.items()}


def task_of(game: str) -> str:
    """What is asked for and where: ALFWorld has up to three games (*trials*) of a task, laid out anew."""
    return game.partition("/trial_")[0]


def ten(profile: str) -> tuple[str, ...]:
    """DEPS's ten tasks, or those of them that are among a profile's games."""
    found: list[str] = []
    for kind, names in games(profile).items():
        first: dict[str, str] = {}
        for name in names:
            first.setdefault(task_of(name), name)
        found += list(first.values())[: TEN[kind]]
    return tuple(found)


def runs(profile: str, seeds: Sequence[int]) -> list[int]:
    """Seeds of the ten tasks' runs: five in ``full``, else those given, in ``smoke`` the first."""
    return {"smoke": list(seeds)[:1], "full": list(range(RUNS))}.get(profile, list(seeds))


def problem(profile: str) -> str:
    """Why a profile cannot be played here, in one sentence; empty if it can."""
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        return f"ALFWorld needs {missing[0]}, which is not installed: {HOW}."
    if profile == "full":
        try:
            valid_unseen_path(next(iter(games("full").values()))[0].partition("/")[2])
        except MnemocraftError as error:
            return str(error)
    return ""
