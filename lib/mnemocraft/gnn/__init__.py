"""Scene graphs and the graph neural network that encodes them (GiG, sections 3.1.1 and 3.1.3, appendix A.4).

The encoder needs PyTorch and PyG (``pip install 'mnemocraft[graph]'``); they are imported on first use.
"""

from typing import TYPE_CHECKING

from mnemocraft.gnn.scene_graph import BadObservation, SceneGraph, scene_graph
from mnemocraft.lazy import importer

if TYPE_CHECKING:
    from mnemocraft.gnn.encoder import Encoder, load_encoder
    from mnemocraft.gnn.training import train_encoder

__all__ = ["BadObservation", "Encoder", "SceneGraph", "load_encoder", "scene_graph", "train_encoder"]

_MODULES = {
    "encoder": "Encoder load_encoder",
    "training": "train_encoder",
}
__getattr__ = importer(__name__, _MODULES, "graph")
