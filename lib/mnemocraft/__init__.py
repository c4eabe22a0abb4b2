"""Mnemocraft: reproducible studies of how LLM planning agents remember."""

__version__ = "0.1.0"
