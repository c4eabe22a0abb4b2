"""What is seen as a vector, by which a memory compares views (M2PA, section 2.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mnemocraft.encoders import Floats
from mnemocraft.errors import MissingExtra, MnemocraftError


class ControllerSight:
    """The trained controller's eyes: its first channels in the quarters of the picture (128 numbers).

    It learnt them by playing (card in ``data/models/``), so that biomes come out far apart.
    """

    name = "controller"

    def __init__(self) -> None:
        import torch

        from mnemocraft.controllers.network import load_network

        torch.set_num_threads(1)  # streams already share the processor
        self._network = load_network()

    def encode(self, images: Sequence[np.ndarray]) -> Floats:
        """Unit vectors, shape (len(images), 128); each picture by itself."""
        import torch

        with torch.inference_mode():
            seen = [torch.from_numpy(image.transpose(2, 0, 1)[None].copy()) for image in images]
            return _unit(np.concatenate([self._network.glance(each)[0].numpy() for each in seen]))


class MeanColour:
    """Three numbers: the weak features of the comparison with the controller's (M2PA's Table 3)."""

    name = "mean_colour"

    def encode(self, images: Sequence[np.ndarray]) -> Floats:
        """Unit vectors, shape (len(images), 3)."""
        return _unit(np.stack([image.reshape(-1, 3).mean(0) + 1 for image in images]))


class Clip:
    """The image side of a CLIP model.

    Args:
        weights: A folder, or a model's name on the Hugging Face hub.
    """

    def __init__(self, weights: str) -> None:
        if not weights:
            raise MnemocraftError(
                "CLIP needs weights: name a model in the format of the library transformers, such as "
                "clip:openai/clip-vit-base-patch32, or clip: and a folder with one."
            )
        self.name = f"clip:{weights}"
        self._model, self._processor = load_clip(weights)

    def encode(self, images: Sequence[np.ndarray]) -> Floats:
        """Unit vectors of the model's size; each picture by itself."""
        import torch

        with torch.inference_mode():
            seen = [self._processor(images=image, return_tensors="pt") for image in images]
            pooled = [self._model.vision_model(each["pixel_values"]).pooler_output for each in seen]
            return _unit(np.concatenate([self._model.visual_projection(each).numpy() for each in pooled]))


def load_clip(weights: str) -> tuple[Any, Any]:
    """Model and processor of a CLIP model in the format of the library ``transformers``.

    Args:
        weights: A folder, or a model's name on the Hugging Face hub.

    Raises:
        MnemocraftError: There are none of that name.
        MissingExtra: The library transformers is not installed.
    """
    try:
        import torch  # noqa: F401 (transformers needs it without saying so)
        from transformers import CLIPModel, CLIPProcessor
    except ImportError as missing:
        raise MissingExtra(
            f"CLIP needs {missing.name}, which is not installed: pip install 'mnemocraft[finetune]'."
        ) from None
    try:
        given = {"local_files_only": Path(weights).is_dir()}  # else the hub is asked for what a folder lacks
        return CLIPModel.from_pretrained(weights, **given), CLIPProcessor.from_pretrained(weights, **given)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise MnemocraftError(f"There is no CLIP model {weights!r}: {reason}") from None


def _unit(vectors: np.ndarray) -> Floats:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
