"""The goal-conditioned network: policy and horizon head on one backbone.

In the spirit of the goal-sensitive Impala CNN that DEPS takes over (section 3.3 and appendix C.1): at each
stage of the CNN the goal gates the channels. The horizon head predicts a distribution over the remaining
steps, ``-log mu(h | s, g)`` being its loss (section 3.3), on a logarithmic grid.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool2d, adaptive_max_pool2d

from mnemocraft.controllers.actions import ACTIONS
from mnemocraft.controllers.features import BODY, GOALS, GRID, NUMBERS, PAST, UNKNOWN_BLOCK, Features
from mnemocraft.paths import DATA
from mnemocraft.weights import BadWeights, read, write

WEIGHTS = DATA / "models" / "controller.safetensors"
CHANNELS = (16, 32, 48)
GOAL, BLOCK, STATE, HIDDEN = 32, 8, 128, 256
ROWS, COLUMNS, QUARTERS, DROPPED = 8, 4, 2, 0.2
"""Of what the horizon head sees: cells of the spotter, of the picture; share that is left out in training."""
DARK, BRIGHTEST = 8.0, 4.0
HORIZONS = np.unique(np.round(np.geomspace(1, 12_000, 40))).astype(np.int64)
"""Upper ends of the classes of remaining steps: 1, 2, 3 ... 12,000, about a quarter apart."""


class Batch(NamedTuple):
    """Inputs of the network: uint8 images (n, 3, side, side), int64 blocks (n, 27), float32 numbers (n, 30),
    int64 goals (n,)."""

    image: Tensor
    blocks: Tensor
    numbers: Tensor
    goal: Tensor


class Residual(nn.Module):
    """Adds to a picture what a convolution of it with gaps makes: the wider the gaps, the more is around.

    Args:
        channels: Channels that come in and go out.
        gap: Distance between the cells that it looks at.
    """

    def __init__(self, channels: int, gap: int = 1) -> None:
        super().__init__()
        layer = nn.Conv2d(channels, channels, 3, padding=gap, dilation=gap, bias=False)
        self.inner = nn.Sequential(layer, nn.BatchNorm2d(channels), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        """(n, channels, h, w) to the same."""
        changed: Tensor = x + self.inner(x)
        return changed


def _halved(inputs: int, outputs: int, size: int) -> nn.Sequential:
    """Convolution to half the resolution, batch normalisation (without it few things are spotted), ReLU."""
    layer = nn.Conv2d(inputs, outputs, size, 2, padding=size // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.ReLU())


class Spotter(nn.Module):
    """Where in the picture the source of each goal is seen: logits for each goal and cell.

    Trained on the simulator's knowledge of what each pixel shows, so that few worlds are enough to learn what
    to look for; at work it has nothing but the picture.

    Args:
        inputs: Channels that come in, at the resolution of the grid.
    """

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.around = nn.Sequential(*(Residual(inputs, gap) for gap in (1, 2, 3)))
        self.cell = nn.Conv2d(inputs, len(GOALS), 1)

    def forward(self, x: Tensor) -> Tensor:
        """(n, inputs, GRID, GRID) to (n, len(GOALS), GRID, GRID)."""
        cells: Tensor = self.cell(self.around(x))
        return cells


class GatedStage(nn.Module):
    """Halve the picture, add channels, one residual block; the goal scales the channels.

    Args:
        inputs: Channels that come in.
        outputs: Channels that go out.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.reduce = _halved(inputs, outputs, 3)
        self.gate = nn.Linear(GOAL, outputs)
        self.inner = Residual(outputs)

    def forward(self, x: Tensor, goal: Tensor) -> Tensor:
        """(n, inputs, h, w) and (n, GOAL) to (n, outputs, h / 2, w / 2)."""
        x = self.reduce(x) * (2 * torch.sigmoid(self.gate(goal)))[:, :, None, None]
        refined: Tensor = self.inner(x)
        return refined


def _width(inputs: int) -> int:
    """Numbers that a horizon head takes besides its goal's: coarse picture, which goals are seen, body."""
    return inputs * QUARTERS**2 + len(GOALS) + NUMBERS - (PAST.stop - PAST.start)


def _classes() -> nn.Sequential:
    """From the state to the logits of the classes of remaining steps."""
    return nn.Sequential(
        nn.Dropout(DROPPED), nn.Linear(STATE, STATE), nn.ReLU(), nn.Linear(STATE, len(HORIZONS))
    )


class HorizonHead(nn.Module):
    """How far each goal is: logits of the classes of remaining steps, for all goals at once.

    It looks at the picture coarsely, at where the spotter sees the goal and whether it sees the others, at
    the body's numbers and at the tool held; not at the past, which is of one goal only.

    Args:
        inputs: Channels of the picture.
    """

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.common, self.goal = nn.Linear(_width(inputs), STATE), nn.Linear(GOAL, STATE)
        self.own = nn.Linear(ROWS * COLUMNS, STATE)
        self.classes = _classes()

    def forward(self, x: Tensor, spots: Tensor, numbers: Tensor, goals: Tensor) -> Tensor:
        """Logits (n, len(GOALS), len(HORIZONS)).

        Args:
            x: The picture, (n, inputs, GRID, GRID).
            spots: Probability that each cell shows each goal's source, (n, len(GOALS), GRID, GRID).
            numbers: (n, NUMBERS).
            goals: All goals, (len(GOALS), GOAL).
        """
        seen = [adaptive_avg_pool2d(x, QUARTERS).flatten(1), spots.amax((2, 3))]
        common = self.common(torch.cat([*seen, numbers[:, :BODY], numbers[:, PAST.stop :]], 1))
        own = self.own(adaptive_max_pool2d(spots, (ROWS, COLUMNS)).flatten(2))
        logits: Tensor = self.classes(torch.relu(common[:, None] + own + self.goal(goals)))
        return logits


class PanoramaHead(nn.Module):
    """How far each goal is, from several looks around: logits as the horizon head's.

    One look shows a fifth of what is around, and of animals mostly the wrong fifth. Of every look it takes
    where the spotter sees the goal, how much of it and how low in the picture; of these the most over the
    looks, of all else the mean. Its pictures are sharper than those that one acts by: the backbone and the
    spotter, which only convolve, take them as they are, and see what is far as large as they know it near.

    Args:
        inputs: Channels of the picture.
    """

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.common, self.goal = nn.Linear(_width(inputs), STATE), nn.Linear(GOAL, STATE)
        self.own = nn.Sequential(nn.Linear(2 * ROWS * COLUMNS + 3, STATE), nn.ReLU(), nn.Linear(STATE, STATE))
        self.classes = _classes()

    @staticmethod
    def sizes(spots: Tensor) -> Tensor:
        """What is kept of where goals are seen: (..., cells, cells) to (..., 2 * ROWS * COLUMNS + 3); the
        last is the greatest probability."""
        flat, cells = spots.flatten(0, -3), spots.shape[-1]
        greatest = adaptive_max_pool2d(flat, (ROWS, COLUMNS)).flatten(1)
        mean = adaptive_avg_pool2d(flat, (ROWS, COLUMNS)).flatten(1)
        area = torch.log1p((2 * flat - 1).clamp(min=0).sum((1, 2)))
        depth = (flat.amax(2) * torch.arange(1, cells + 1) / cells).amax(1)
        rest = torch.stack([area, depth, flat.amax((1, 2))], 1)
        return torch.cat([greatest, cells / 2 * mean, rest], 1).unflatten(0, spots.shape[:-2])

    def forward(self, quarters: Tensor, sizes: Tensor, numbers: Tensor, goals: Tensor) -> Tensor:
        """Logits (n, len(GOALS), len(HORIZONS)).

        Args:
            quarters: The pictures, (n, looks, inputs * QUARTERS ** 2).
            sizes: Of the goals' sources in them (:meth:`sizes`), (n, looks, len(GOALS), ...).
            numbers: (n, looks, NUMBERS).
            goals: All goals, (len(GOALS), GOAL).
        """
        body = [numbers[..., :BODY], numbers[..., PAST.stop :]]
        common = self.common(torch.cat([quarters, sizes[..., -1], *body], -1).mean(1))
        own = self.own(sizes).amax(1)
        logits: Tensor = self.classes(torch.relu(common[:, None] + own + self.goal(goals)))
        return logits


class Network(nn.Module):
    """Backbone, spotter, action head (42), horizon head and panorama head."""

    def __init__(self) -> None:
        super().__init__()
        first, second, third = CHANNELS
        self.goal = nn.Embedding(len(GOALS), GOAL)
        self.look = nn.Sequential(_halved(3, first, 5), _halved(first, second, 3))
        self.spotter = Spotter(second)
        self.stage = GatedStage(second + 1, third)
        self.block = nn.Embedding(UNKNOWN_BLOCK + 1, BLOCK)
        self.state = nn.Sequential(
            nn.Linear(27 * BLOCK + NUMBERS + GOAL, STATE), nn.ReLU(), nn.Linear(STATE, STATE), nn.ReLU()
        )
        width = third * 8 * 8 + GRID * GRID + STATE + GOAL
        self.trunk = nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU())
        self.deeper = nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.gate = nn.Linear(GOAL, HIDDEN)
        self.action = nn.Linear(HIDDEN, ACTIONS)
        self.horizon = HorizonHead(second)
        self.panorama = PanoramaHead(second)  # the last, so that the others begin as they did without it

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of the actions (n, 42), of the classes of remaining steps to every goal (n, len(GOALS),
        len(HORIZONS)), and of where the goals' sources are seen (n, len(GOALS), GRID, GRID)."""
        goal = self.goal(batch.goal)
        x = self.look(_adapted(batch.image))
        spots = self.spotter(x)
        seen = torch.sigmoid(spots)
        horizon = self.horizon(x, seen.detach(), batch.numbers, self.goal.weight)
        wanted = seen[torch.arange(len(goal)), batch.goal]
        x = self.stage(torch.cat([x, wanted[:, None]], 1), goal)
        state = self.state(torch.cat([self.block(batch.blocks).flatten(1), batch.numbers, goal], 1))
        hidden = self.trunk(torch.cat([x.flatten(1), wanted.flatten(1), state, goal], 1)) * (
            2 * torch.sigmoid(self.gate(goal))
        )
        hidden = hidden + self.deeper(hidden)
        return self.action(hidden), horizon, spots

    def glance(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """What the panorama head takes of pictures (n, 3, 128, 128): quarters (n, ...) and sizes
        (n, len(GOALS), ...)."""
        x = self.look(_adapted(images))
        spots = torch.sigmoid(self.spotter(x))
        return adaptive_avg_pool2d(x, QUARTERS).flatten(1), self.panorama.sizes(spots)

    def around(self, images: Tensor, numbers: Tensor) -> Tensor:
        """Logits of the classes of remaining steps to every goal, (len(GOALS), len(HORIZONS)), from pictures
        (looks, 3, 128, 128) around one place and numbers (looks, 30)."""
        quarters, sizes = self.glance(images)
        logits: Tensor = self.panorama(quarters[None], sizes[None], numbers[None], self.goal.weight)[0]
        return logits

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write the weights as half-precision safetensors, with facts about them."""
        tensors = {name: tensor.half().contiguous().numpy() for name, tensor in self.state_dict().items()}
        write(path, tensors, about)


def _adapted(image: Tensor) -> Tensor:
    """The picture relative to its mean, as eyes get used to the dark: else a tunnel is black on black."""
    light = image.float()
    relative = light / (light.mean((1, 2, 3), keepdim=True) + DARK)
    return (relative.clamp(max=BRIGHTEST) - 1).contiguous(memory_format=torch.channels_last)


def load_network(path: Path = WEIGHTS) -> Network:
    """The network with the weights of a file.

    Raises:
        BadWeights: There is no such file, or it is damaged or of another network.
    """
    tensors, _ = read(path, "training.controller")
    network = Network()
    weights = {name: torch.from_numpy(array.astype(np.float32)) for name, array in tensors.items()}
    try:
        network.load_state_dict(weights)
    except RuntimeError:
        raise BadWeights(f"{path} holds the weights of another network than this version's.") from None
    return network.eval()


def collate(seen: list[Features], goals: list[int]) -> Batch:
    """Several observations as one batch."""
    return Batch(
        torch.from_numpy(np.stack([each.image for each in seen])),
        torch.from_numpy(np.stack([each.blocks for each in seen]).astype(np.int64)),
        torch.from_numpy(np.stack([each.numbers for each in seen])),
        torch.tensor(goals),
    )


def expected_steps(logits: Tensor) -> np.ndarray:
    """The geometric mean of the remaining steps under each predicted distribution (..., len(HORIZONS))."""
    weights = torch.softmax(logits, -1).numpy()
    return np.exp(weights @ np.log(HORIZONS))
