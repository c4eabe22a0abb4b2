"""States as GiG sees them: the text of an observation, its scene graph, and the embedding of that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.gnn.encoder import Encoder, load_encoder
from mnemocraft.gnn.scene_graph import scene_graph


class SceneGraphEncoder:
    """The trained encoder as an :class:`~mnemocraft.encoders.TextEncoder` of object blocks."""

    name = "scene_graph"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embeddings, shape (len(texts), 64). Raises BadObservation for a text without object blocks."""
        return np.stack([_embedded(text) for text in texts])


class RoomGraphEncoder:
    """The same network for the texts of aggregated graphs; it was trained on kitchens only."""

    name = "room_graph"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embeddings, shape (len(texts), 64). Raises MnemocraftError for a text without a graph."""
        return np.stack([_room_embedded(text) for text in texts])


@lru_cache(maxsize=4096)
def _room_embedded(text: str) -> npt.NDArray[np.float32]:
    room = RoomGraph.read(text)
    if room is None:
        raise MnemocraftError("The text has no aggregated scene graph; one begins with 'You are at: '.")
    return _encoder().encode([room.graph])[0]


@lru_cache(maxsize=4096)
def _embedded(text: str) -> npt.NDArray[np.float32]:
    return _encoder().encode([scene_graph(text)])[0]


@cache
def _encoder() -> Encoder:
    return load_encoder()
