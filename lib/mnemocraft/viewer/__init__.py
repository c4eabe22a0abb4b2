"""Look at an episode: step through it with its world drawn, or see it as a strip of pictures.

``show`` takes records of any study; ``strip`` has the slider, ``replay`` plays an episode again
from its events, ``pictures`` draws each kind of world, ``memory`` looks into a memory.
"""

from mnemocraft.viewer.replay import replay, show
from mnemocraft.viewer.strip import HEADLESS, Look, Moment, headless, png

__all__ = ["HEADLESS", "Look", "Moment", "headless", "png", "replay", "show"]
