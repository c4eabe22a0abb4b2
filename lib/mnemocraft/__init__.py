"""Mnemocraft: reproducible studies of how LLM planning agents remember."""

from importlib.util import find_spec

if find_spec("gymnasium"):  # without it nothing but run_all.sh's check of its flags is to run
    import mnemocraft.envs  # noqa: F401 (registers the environments with Gymnasium)

__version__ = "0.1.0"
