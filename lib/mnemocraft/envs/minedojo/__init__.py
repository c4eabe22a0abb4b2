"""The real MineDojo 0.1 behind the interface of ``OverworldEnv``.

Its packages cannot live beside ours, so it runs in a process of its own, made by ``./run_all.sh
minedojo-env``, and they speak through a pipe.

Where to look: ``env`` (Gymnasium), ``observation`` and ``outcome`` (MineDojo's answers in our schema),
``connection`` (the process and its failures), ``launch`` (what must be installed), ``minedojo_worker`` (the
other end of the pipe).
"""

from mnemocraft.envs.minedojo.env import MineDojoEnv

__all__ = ["MineDojoEnv"]
