"""Gymnasium spaces of the kitchen: observations are texts, actions are sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium


class TextSpace(gymnasium.Space[str]):
    """Any text; samples are drawn from what ``texts`` gives at that moment."""

    def __init__(self, texts: Callable[[], list[str]]) -> None:
        super().__init__()
        self._texts = texts

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is text (an invalid action belongs to the space, because it gets an answer)."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A valid action, or the present observation."""
        return str(self.np_random.choice(self._texts()))
