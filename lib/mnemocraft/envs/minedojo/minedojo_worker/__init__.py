"""The half that runs in MineDojo's own environment: Python 3.9 to 3.11, NumPy 1, and nothing of ours but
this.

``protocol`` is shared by both halves, ``main`` answers requests, ``simulator`` is what it answers them with.
"""
