"""Scene graphs and the graph neural network that encodes them (GiG, sections 3.1.1 and 3.1.3, appendix A.4).

The encoder needs PyTorch and PyG (``pip install 'mnemocraft[graph]'``); they are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mnemocraft.errors import MissingExtra
from mnemocraft.gnn.scene_graph import BadObservation, SceneGraph, scene_graph

if TYPE_CHECKING:
    from mnemocraft.gnn.encoder import Encoder, load_encoder
    from mnemocraft.gnn.training import train_encoder

__all__ = ["BadObservation", "Encoder", "SceneGraph", "load_encoder", "scene_graph", "train_encoder"]

_LAZY = {"Encoder": "encoder", "load_encoder": "encoder", "train_encoder": "training"}


def __getattr__(name: str) -> Any:
    """Imports what needs PyTorch when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_LAZY[name]}")
    except ImportError as missing:
        raise MissingExtra(
            f"The encoder needs {missing.name}, which is not installed: pip install 'mnemocraft[graph]'."
        ) from None
    return getattr(module, name)
