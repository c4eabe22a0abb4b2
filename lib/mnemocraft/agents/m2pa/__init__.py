"""M2PA, which plans with four memories, and two planners beside it: Plan4MC-like and MP5-like.

Read :func:`~mnemocraft.agents.m2pa.m2pa.m2pa` first, equation 4 of the paper; ``working`` composes prompts,
``answers`` says what they are answered with, ``controller`` carries out Table 4's actions.
"""
