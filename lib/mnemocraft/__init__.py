"""Mnemocraft: reproducible studies of how LLM planning agents remember."""

import mnemocraft.envs  # noqa: F401 (registers the environments with Gymnasium)

__version__ = "0.1.0"
