"""The encoder of scene graphs: two GAT layers, mean pooling, 64 numbers (GiG, equation 1, appendix A.4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import dropout, elu
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATConv, global_mean_pool

from mnemocraft import paths, weights
from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn.features import SIZE, kitchen_features
from mnemocraft.gnn.scene_graph import SceneGraph, scene_graph

WEIGHTS = paths.DATA / "models" / "gig_encoder.safetensors"
ABLATION = {weight: WEIGHTS.with_stem(f"gig_encoder_lambda_{weight}") for weight in (0, 2)}
"""Weights trained with another λ of the uniformity term (the main ones: 0.5), for notebook 05."""
HEADS = 4
DROPOUT = 0.6
OUTPUT = 64
HIDDEN = 64
"""Numbers per attention head; the paper does not print its hidden size."""
START_SCALE = (2 * OUTPUT) ** -0.5
"""Where the last BatchNorm's scale starts: two unrelated embeddings then are about 1 (the margin) apart."""
State: TypeAlias = SceneGraph | str | Data
"""A state as a scene graph, as the text of an observation, or as PyG data."""
CHUNK = 256
"""Graphs that are encoded together, which bounds the memory."""


class Encoder(nn.Module):
    """Maps scene graphs to embeddings of 64 numbers.

    GATConv (4 heads, concatenated), BatchNorm, ELU; GATConv (1 head), BatchNorm, ELU; mean over the nodes;
    linear to 64; BatchNorm. In training, dropout 0.6 on the attention and on what each layer hands on. Edges
    carry no features (equation 1), so two relations between the same nodes are two equal edges.

    Args:
        hidden: Numbers per head in both layers.
    """

    def __init__(self, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.hidden = hidden
        self.conv1 = GATConv(SIZE, hidden, heads=HEADS, dropout=DROPOUT)
        self.norm1 = nn.BatchNorm1d(HEADS * hidden)
        self.conv2 = GATConv(HEADS * hidden, hidden, heads=1, dropout=DROPOUT)
        self.norm2 = nn.BatchNorm1d(hidden)
        self.linear = nn.Linear(hidden, OUTPUT)
        self.norm3 = nn.BatchNorm1d(OUTPUT)
        nn.init.constant_(self.norm3.weight, START_SCALE)

    def forward(self, batch: Batch) -> torch.Tensor:
        """Embeddings of the graphs of a batch, shape (graphs, 64)."""
        x = elu(self.norm1(self.conv1(batch.x, batch.edge_index)))
        x = dropout(x, DROPOUT, self.training)
        x = elu(self.norm2(self.conv2(x, batch.edge_index)))
        x = dropout(x, DROPOUT, self.training)
        return self.norm3(self.linear(global_mean_pool(x, batch.batch, batch.num_graphs)))

    def encode(self, graphs: Sequence[State]) -> npt.NDArray[np.float32]:
        """Embeddings of scene graphs in evaluation mode, in one thread, shape (len(graphs), 64).

        Args:
            graphs: Scene graphs, texts of observations, or what :func:`as_data` made of them.

        Raises:
            MnemocraftError: no sequence of these, or a graph without nodes.
        """
        if isinstance(graphs, SceneGraph | str | Data):
            raise MnemocraftError("encode takes a sequence of scene graphs; put a single one into a list.")
        rows = [np.empty((0, OUTPUT), np.float32)]
        if self.training:
            self.eval()
        with torch.inference_mode(), one_thread():
            for start in range(0, len(graphs), CHUNK):
                chunk = [as_data(graph) for graph in graphs[start : start + CHUNK]]
                rows.append(self(collate(chunk)).numpy())
        return np.concatenate(rows)

    def save(self, path: str | Path = WEIGHTS) -> None:
        """Write the weights as safetensors."""
        state = {name: tensor.numpy() for name, tensor in self.state_dict().items()}
        weights.write(Path(path), state, {"kind": "gig encoder", "hidden": self.hidden})


def load_encoder(path: str | Path = WEIGHTS) -> Encoder:
    """Load a trained encoder, by default the committed one (its card lies beside it).

    Raises:
        BadWeights: the file is missing, damaged, or holds other weights.
    """
    tensors, about = weights.read(Path(path), "training.scene_encoder")
    if about.get("kind") != "gig encoder":
        raise weights.BadWeights(f"{path} holds no GiG encoder but {about.get('kind', 'something else')!r}.")
    encoder = Encoder(about["hidden"])
    state = {name: torch.from_numpy(tensor) for name, tensor in tensors.items()}
    try:
        encoder.load_state_dict(state)
    except RuntimeError:
        raise weights.BadWeights(f"{path} does not fit the encoder: it has other layers or sizes.") from None
    return encoder.eval()


def as_data(state: State) -> Data:
    """A scene graph as PyG holds it: node features ``x`` (nodes, 384) and ``edge_index`` (2, edges).

    Raises:
        MnemocraftError: it is no scene graph, or has no node.
    """
    if isinstance(state, Data):
        return state
    graph = scene_graph(state) if isinstance(state, str) else state
    if not isinstance(graph, SceneGraph):
        raise MnemocraftError(
            f"A {type(state).__name__} is no state; give scene graphs or texts of observations."
        )
    if not len(graph):
        raise MnemocraftError("A scene graph without nodes cannot be encoded; it must have at least one.")
    ends = np.array([edge[:2] for edge in graph.edges], dtype=np.int64).reshape(-1, 2)
    x = torch.from_numpy(kitchen_features()(graph.texts))
    return Data(x=x, edge_index=torch.from_numpy(ends.T.copy()))


def collate(graphs: Sequence[Data]) -> Batch:
    """Graphs as one disconnected graph."""
    return Batch.from_data_list(list(graphs))


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs PyTorch in one thread: small graphs gain nothing from more, and the order of sums stays fixed."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
