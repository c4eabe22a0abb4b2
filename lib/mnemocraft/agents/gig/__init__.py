"""GiG, planning with a graph in a graph, and the three planners it is compared with.

Read :func:`~mnemocraft.agents.gig.gig.gig` first, Algorithm 1; ``steps`` is what they share.
"""
