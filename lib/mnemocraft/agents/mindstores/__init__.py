"""MindStores, which plans from remembered experience, and the agents that it is compared with.

Read :func:`~mnemocraft.agents.mindstores.mindstores.mindstores` first, Algorithm 1 of the paper. It plans and
acts as DEPS does, and so do ``reflexion`` and :mod:`~mnemocraft.agents.voyager`.
"""
