"""DEPS, which describes, explains, plans and selects, and the five planners it is compared with.

Read :func:`~mnemocraft.agents.deps.deps.deps` first, equation 1 of the paper; the baselines are in
``zero_shot``, ``inner_monologue`` and ``code_as_policies``, and what all share in ``rounds``.
"""
