"""The skills of DEPS, Table 18, and the worlds in which they are tried.

The paper does not say where its skills were tried. The released code has plains in steady daylight with four
sheep, cows, pigs and chickens within 30 blocks, and gives an axe at every start. So do we, but for what does
not occur in plains: each skill has a biome where its item is found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.herd import FARM, NOON, herd
from mnemocraft.controllers.success import Observation
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal

AXE = ("wooden_axe", 1)
TABLE, FURNACE, COAL = ("crafting_table", 1), ("furnace", 1), ("coal", 4)
UNDERGROUND, DEEP = 3000, 12_000
"""Steps that the paper allows for iron and for a diamond."""

Items = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Skill:
    """A goal and the world in which it is tried.

    Attributes:
        name: The row of Table 18; skills of the same name share one.
        goal: What is to be reached.
        biome: Where.
        inventory: What is given, the main hand first.
        animals: Kinds that are put near.
        max_steps: Steps allowed, the paper's episode length.
        paper: The paper's success rate; None for rows that we add.
    """

    name: str
    goal: Goal
    biome: str = "plains"
    inventory: Items = (AXE,)
    animals: tuple[str, ...] = ()
    max_steps: int = 600
    paper: float | None = None

    @property
    def moves(self) -> bool:
        """Whether it asks for motion and sight, and so for the network of the learned controller."""
        return self.goal.verb in ("mine", "kill")


def _mine(item: str, count: int = 1, tool: str = "") -> Goal:
    return Goal("mine", item, count, tool)


def _with(tool: str, number: int = 1) -> Items:
    """Tools, several where one would wear out before the end, and the axe."""
    return ((tool, number), AXE)


SKILLS = (
    Skill("Mine 1 oak wood", _mine("oak_log"), "forest", paper=0.39),
    Skill("Mine birch wood", _mine("birch_log"), "birch_forest", paper=0.29),
    Skill(
        "Mine 1 cobblestone with pickaxe", _mine("cobblestone"), inventory=_with("wooden_pickaxe"), paper=0.95
    ),
    Skill("Mine 1 stone with pickaxe", _mine("stone"), "extreme_hills", _with("wooden_pickaxe"), paper=0.70),
    Skill("Mine 1 seed", _mine("wheat_seeds"), paper=0.18),
    Skill("Mine 1 leaves with shears", _mine("leaves"), "forest", _with("shears"), paper=0.68),
    Skill("Mine 1 dirt", _mine("dirt"), paper=0.54),
    Skill(
        "Mine 1 iron ore with stone pickaxe",
        _mine("iron_ore"),
        inventory=_with("stone_pickaxe", 2),
        max_steps=UNDERGROUND,
        paper=0.40,
    ),
    Skill(
        "Mine 3 iron ore with stone pickaxe",
        _mine("iron_ore", 3),
        inventory=_with("stone_pickaxe", 2),
        max_steps=UNDERGROUND,
        paper=0.16,
    ),
    Skill(
        "Mine 1 diamond with iron pickaxe",
        _mine("diamond"),
        inventory=_with("iron_pickaxe", 3),
        max_steps=DEEP,
        paper=0.35,
    ),
    Skill(
        "Mine 1 diamond with stone pickaxe",
        _mine("diamond", 1, "stone_pickaxe"),
        inventory=_with("stone_pickaxe"),
        max_steps=DEEP,
        paper=0.00,
    ),
    Skill("Kill 1 sheep with axe", Goal("kill", "sheep"), animals=FARM, paper=0.44),
    Skill("Kill 1 cow with axe", Goal("kill", "cow"), animals=FARM, paper=0.60),
    Skill("Kill 1 chicken with axe", Goal("kill", "chicken"), animals=FARM, paper=0.46),
    Skill("Kill 1 pig with axe", Goal("kill", "pig"), animals=FARM, paper=0.49),
    Skill("Kill 1 llama", Goal("kill", "llama"), "savanna", animals=("llama",), paper=0.50),
    Skill(
        "Mine 1 coal with pickaxe",
        _mine("coal"),
        "extreme_hills",
        inventory=_with("stone_pickaxe", 2),
        max_steps=UNDERGROUND,
    ),
    Skill(
        "Equip tool on mainhand",
        Goal("equip", "wooden_pickaxe"),
        inventory=(AXE, ("wooden_pickaxe", 1)),
        paper=1.0,
    ),
    Skill("Craft w/o crafting_table", Goal("craft", "planks", 4), inventory=(AXE, ("log", 1)), paper=1.0),
    Skill("Craft w/o crafting_table", Goal("craft", "stick", 4), inventory=(AXE, ("planks", 2)), paper=1.0),
    Skill(
        "Craft w/ crafting_table",
        Goal("craft", "wooden_pickaxe"),
        inventory=(AXE, TABLE, ("planks", 3), ("stick", 2)),
        paper=0.90,
    ),
    Skill(
        "Craft w/ crafting_table",
        Goal("craft", "furnace"),
        inventory=(AXE, TABLE, ("cobblestone", 8)),
        paper=0.90,
    ),
    Skill(
        "Smelt w/ furnace",
        Goal("smelt", "iron_ingot"),
        inventory=(AXE, FURNACE, ("iron_ore", 1), COAL),
        paper=0.80,
    ),
    Skill(
        "Smelt w/ furnace",
        Goal("smelt", "cooked_beef"),
        inventory=(AXE, FURNACE, ("beef", 1), ("planks", 2)),
        paper=0.80,
    ),
    Skill("Place a station", Goal("place", "crafting_table"), inventory=(AXE, TABLE)),
    Skill(
        "Dig down to y 40",
        Goal("dig", "down", 40),
        inventory=_with("stone_pickaxe"),
        max_steps=UNDERGROUND,
    ),
)
"""Table 18 in its order, then rows that the planners' tasks need besides."""

PRACTISED = tuple(skill for skill in SKILLS if skill.moves and skill.goal.count == 1 and not skill.goal.tool)
"""The skills that the learned controller is trained on; others of ``mine`` and ``kill`` are these, longer."""


def begin(
    skill: Skill, seed: int, image_size: tuple[int, int] | None = (64, 64)
) -> tuple[OverworldEnv, Observation]:
    """A world for a skill, its animals placed, and the first observation; equal arguments, equal worlds."""
    env = OverworldEnv(
        seed,
        max_steps=2 * skill.max_steps,
        image_size=image_size,
        specified_biome=skill.biome,
        initial_inventory=dict(skill.inventory),
        start_time=NOON,
        allow_time_passage=False,
    )
    env.reset()
    rng = np.random.default_rng(seed)
    for kind in skill.animals:
        herd(env, kind, rng)
    return env, env.step(a.functional(0))[0]


def wander(env: OverworldEnv, rng: np.random.Generator, steps: int) -> Observation:
    """Turn somewhere and walk about for some steps, at least one; the last observation."""
    observation = env.step(a.functional(0, yaw=int(rng.integers(-12, 12))))[0]
    for _ in range(steps):
        turn = int(rng.choice([a.NONE, a.NONE, a.NONE, a.TURN_LEFT, a.TURN_RIGHT]))
        observation = env.step(a.to_minedojo(a.index(a.FORWARD_JUMP, turn)))[0]
    return observation


def burrow(env: OverworldEnv, height: int) -> None:
    """Put the player into a closed hole underground, two blocks high, below where it is now."""
    body = env.world["bodies"][0, 0]
    env.teleport_agent(int(body["x"] >> 16) + 0.5, height, int(body["z"] >> 16) + 0.5)
    env.step(a.functional(0))
    for up, block in enumerate(("stone", "air", "air"), -1):
        env.set_block(block, (0, up, 0))
