"""Gymnasium spaces of texts and tool calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np


def _anything() -> Sequence[str]:
    return ("anything",)


class TextSpace(gymnasium.Space[str]):
    """Any text (Gymnasium's own space limits its length and its characters).

    Args:
        texts: What samples are drawn from at that moment.
    """

    def __init__(self, texts: Callable[[], Sequence[str]] = _anything) -> None:
        super().__init__((), np.str_)
        self._texts = texts

    def __eq__(self, other: object) -> bool:
        """All texts are in both, whatever samples are drawn from."""
        return type(self) is type(other)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is text."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """One of the texts."""
        return str(self.np_random.choice(self._texts()))


class ToolCallSpace(gymnasium.Space[dict[str, Any]]):
    """Tool calls; malformed ones belong to the space, too, because they get an answer.

    Args:
        draw: Makes a well-formed call by chance.
    """

    def __init__(self, draw: Callable[[np.random.Generator], dict[str, Any]]) -> None:
        super().__init__()
        self._draw = draw

    def __eq__(self, other: object) -> bool:
        """All calls are in both, whatever samples are drawn from."""
        return type(self) is type(other)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a tool call, its JSON, or None."""
        return x is None or isinstance(x, str | dict)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A well-formed call."""
        return self._draw(self.np_random)
