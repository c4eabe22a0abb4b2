"""Minecraft without Java: rules as data, recipe graph and plans, and the text world."""

from mnemocraft.envs.minecraft.facts import Rules
from mnemocraft.envs.minecraft.graph import ancestors, raw_materials, recipe_graph
from mnemocraft.envs.minecraft.planner import Plan, PlanStep, plan
from mnemocraft.envs.minecraft.rules import VERSIONS, rules
from mnemocraft.envs.minecraft.textworld import TextWorldEnv

__all__ = [
    "VERSIONS",
    "Plan",
    "PlanStep",
    "Rules",
    "TextWorldEnv",
    "ancestors",
    "plan",
    "raw_materials",
    "recipe_graph",
    "rules",
]
