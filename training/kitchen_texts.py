"""The node texts that kitchens can make, and the table of their embeddings that is committed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from mnemocraft import weights
from mnemocraft.encoders import get_encoder
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.gnn.features import TABLE
from mnemocraft.gnn.scene_graph import scene_graph
from mnemocraft.gnn.sequences import SEEDS

ORDER = (
    "can be fried in a fryer", "can be fried in a fryer after being cut", "is fried",
    "can be cooked on a stove",
    "is cooking", "is cooked", "can be cut on a cutting board", "is cut", "is boiling", "is holding nothing",
    "has nothing on it", "has nothing inside it", "has no players at it", "has nothing above it",
)  # fmt: skip
"""What can be said of one entity besides its kind, in the order of an observation."""
CHANGES = {
    "Station": ("has nothing on it", "has no players at it"),
    "Player": ("is holding nothing",),
    "Container": ("has nothing inside it",),
    "Meal": ("is boiling",),
    "Item": ("has nothing above it",),
    "can be fried in a fryer": ("can be fried in a fryer", "is fried"),
    "can be fried in a fryer after being cut": ("can be fried in a fryer", "is fried"),
    "can be cooked on a stove": ("is cooking", "is cooked"),
    "can be cut on a cutting board": ("is cut",),
}
"""What may become true or false of an entity of a type, or of one of which something is said at the start."""


def kitchen_texts() -> list[str]:
    """The node texts that kitchens can make: those of training kitchens at the start, in all variants."""
    kitchens = [KitchenEnv(task, seed=seed) for task in TASKS for seed in SEEDS]
    starts = {"Meal: is water"}
    for env in kitchens:
        starts |= set(scene_graph(env.observation()).texts)
    return sorted({variant for text in starts for variant in variants(text)})


def variants(text: str) -> Iterator[str]:
    """A node's text with everything that can change about the node true or false."""
    kind, _, rest = text.partition(": ")
    what, *said = rest.split("; ")
    changing = {change for key in (kind, *said) for change in CHANGES.get(key, ())}
    fixed = set(said) - changing
    for chosen in product((False, True), repeat=len(changing)):
        true = fixed | {change for change, holds in zip(sorted(changing), chosen, strict=True) if holds}
        yield f"{kind}: {'; '.join([what, *sorted(true, key=ORDER.index)])}"


def save_table(texts: Sequence[str], path: Path = TABLE) -> None:
    """Embed ``texts`` and write them as the table of known texts (half precision)."""
    ordered = sorted(set(texts))
    features = get_encoder("minilm").encode(ordered).astype(np.float16)
    weights.write(path, {"features": features}, {"texts": ordered})
