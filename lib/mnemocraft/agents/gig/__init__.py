"""GiG, planning with a graph in a graph, and the three planners it is compared with.

Read :func:`~mnemocraft.agents.gig.episode.play` first, one episode from beginning to end, then
:meth:`~mnemocraft.agents.gig.gig.GiG.next_action`, Algorithm 1.
"""
