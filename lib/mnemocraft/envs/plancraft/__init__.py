"""Plancraft: a Minecraft crafting table as a planning task (environment, planner, data)."""

from mnemocraft.envs.plancraft.actions import actions_for, batches, expert_actions
from mnemocraft.envs.plancraft.data import Example, example, examples
from mnemocraft.envs.plancraft.env import PlancraftEnv, parse_action
from mnemocraft.envs.plancraft.game import Game
from mnemocraft.envs.plancraft.planner import Step, plan, plan_steps
from mnemocraft.envs.plancraft.recipes import Recipe, RecipeBook, book, max_stack

__all__ = [
    "Example",
    "Game",
    "PlancraftEnv",
    "Recipe",
    "RecipeBook",
    "Step",
    "actions_for",
    "batches",
    "book",
    "example",
    "examples",
    "expert_actions",
    "max_stack",
    "parse_action",
    "plan",
    "plan_steps",
]
