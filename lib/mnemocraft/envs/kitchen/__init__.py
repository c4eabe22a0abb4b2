"""Kitchens: Robotouille's tasks on an engine of our own (domains, layouts, goals, texts)."""

from mnemocraft.envs.kitchen.benchmark import BENCHMARK_SEEDS, HORIZONS, TASKS, TITLES, task_kitchen
from mnemocraft.envs.kitchen.domain import Domain, kitchen_domain, read_domain
from mnemocraft.envs.kitchen.engine import KitchenEngine, State
from mnemocraft.envs.kitchen.env import KitchenEnv

__all__ = [
    "BENCHMARK_SEEDS",
    "HORIZONS",
    "TASKS",
    "TITLES",
    "Domain",
    "KitchenEngine",
    "KitchenEnv",
    "State",
    "kitchen_domain",
    "read_domain",
    "task_kitchen",
]
