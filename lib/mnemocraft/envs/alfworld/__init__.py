"""ALFWorld's household games: the real engine behind a Gymnasium environment, and small games of our own.

The engine comes with the extra ``alfworld``; nothing here imports it but the worker process.

Where to look: ``env`` (Gymnasium), ``process`` (the worker, its failures, and how an episode survives them),
``worker`` (the other end), ``games`` (files: which may be loaded, and where ALFWorld's data are),
``generator`` (small games of all six types).
"""

from mnemocraft.envs.alfworld.env import AlfworldEnv
from mnemocraft.envs.alfworld.games import known_games, read_game, valid_unseen_path
from mnemocraft.envs.alfworld.generator import TYPES, generate, generated_path

__all__ = [
    "TYPES",
    "AlfworldEnv",
    "generate",
    "generated_path",
    "known_games",
    "read_game",
    "valid_unseen_path",
]
