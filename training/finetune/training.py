"""LoRA fine-tuning on the expert's dialogues: seeded, resumable, on a processor or a GPU.

A sequence is one whole dialogue; the loss is the mean cross-entropy over the tokens of the expert's turns.
Logits are computed there only, and among the few thousand tokens that texts are made of: of Gemma's whole
vocabulary they are a quarter of the work. Most dialogues begin with the same system message. Its keys and
values are computed once per batch, without gradient, and shared: the adapter learns from what follows. That
saves half of the tokens.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file

from mnemocraft.errors import MnemocraftError
from mnemocraft.files import replace_file
from training.finetune.render import Sequence


@dataclass(frozen=True)
class Hyperparameters:
    """Everything that decides what is learnt from given sequences.

    Attributes:
        rank, alpha: LoRA's; on every linear layer of every block.
        learning_rate: Peak of a cosine schedule with a linear warm-up, in every course.
        warm_up: Steps of it.
        tokens_per_step: Tokens (without the shared ones) that make one optimiser step.
        tokens_per_batch: Tokens, padding counted, that are computed at a time.
        seed: Of the adapter's start and of the order.
    """

    rank: int = 16
    alpha: int = 32
    learning_rate: float = 5e-4
    warm_up: int = 10
    tokens_per_step: int = 4000
    tokens_per_batch: int = 2500
    seed: int = 0


Batch = list[Sequence]
"""Sequences that begin with the same shared tokens, computed at a time."""


def schedule(sequences: list[Sequence], recipe: Hyperparameters) -> list[list[Batch]]:
    """The sequences in a random order, as steps of batches of sequences of one prefix and similar length."""
    order = list(sequences)
    random.Random(f"order {recipe.seed}").shuffle(order)
    return [list(_batches(step, recipe.tokens_per_batch)) for step in _steps(order, recipe.tokens_per_step)]


def _steps(order: list[Sequence], tokens: int) -> Iterator[list[Sequence]]:
    step: list[Sequence] = []
    for item in order:
        step.append(item)
        if sum(len(s.tokens) - s.shared for s in step) >= tokens:
            yield step
            step = []
    if step:
        yield step


def _batches(step: list[Sequence], tokens: int) -> Iterator[Batch]:
    batch: Batch = []
    for item in sorted(step, key=lambda s: (tuple(s.tokens[: s.shared]), len(s.tokens))):
        longest = len(item.tokens) - item.shared
        alike = batch and np.array_equal(batch[0].tokens[: batch[0].shared], item.tokens[: item.shared])
        if batch and (not alike or longest * (len(batch) + 1) > tokens):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def add_adapter(model: Any, recipe: Hyperparameters) -> PeftModel:
    """The frozen model with a fresh adapter, whose weights are 32-bit floats whatever the model's are."""
    torch.manual_seed(recipe.seed)
    config = LoraConfig(r=recipe.rank, lora_alpha=recipe.alpha, target_modules="all-linear")
    adapted = get_peft_model(model, config)
    for weight in adapted.parameters():
        if weight.requires_grad:
            weight.data = weight.data.float()
    return adapted


class Trainer:
    """The training loop, one step at a time.

    Args:
        model: As :func:`add_adapter` makes it.
        courses: Of each course the steps, as :func:`schedule` makes them. A course begins as if from the
            file of the one before: weights in half precision, optimiser and learning rate anew.
        recipe: The hyperparameters.
        kept: Ids, in ascending order, among which every token is predicted.
        folder: Where checkpoints are kept; one that is there is gone on from.

    Raises:
        MnemocraftError: the checkpoint belongs to another recipe or other data.
    """

    def __init__(
        self,
        model: PeftModel,
        courses: list[list[list[Batch]]],
        recipe: Hyperparameters,
        kept: list[int],
        folder: Path,
    ) -> None:
        self.model, self.recipe, self.folder = model, recipe, folder
        self.steps = [step for course in courses for step in course]
        self._at = [(n, len(course)) for course in courses for n in range(len(course))]
        self.weights = {name: p for name, p in model.named_parameters() if p.requires_grad}
        device = next(iter(self.weights.values())).device
        self.kept, self._kept = kept, torch.tensor(kept, device=device)
        self._head = model.base_model.model.lm_head.weight[self._kept].detach()
        self.optimizer = self._fresh()
        self.done, self.losses = 0, list[float]()
        self._identity = asdict(recipe) | {"data": _digest(self.steps)}
        if (folder / "state.json").is_file():
            self._resume()

    def step(self) -> float:
        """Learn from the next step's batches; returns their loss in nats per token."""
        batches = self.steps[self.done]
        if self.done and self._at[self.done][0] == 0:
            for weight in self.weights.values():
                weight.data = weight.data.half().float()
            self.optimizer = self._fresh()
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate * self._pace()
        count = sum(int(s.learn.sum()) for batch in batches for s in batch)
        total = 0.0
        for batch in batches:
            loss = self._loss(batch) / count
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(self.weights.values(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.done += 1
        self.losses.append(total)
        return total

    def begin_after(self, step: int) -> None:
        """Go on with the model's weights as they are, which the courses up to a step have made.

        Raises:
            MnemocraftError: no course ends at that step.
        """
        ends = [n for n, (at, steps) in enumerate(self._at, 1) if at + 1 == steps]
        if step not in ends:
            raise MnemocraftError(f"The adapter was saved after step {step}; courses end after {ends}.")
        self.done = step

    def _fresh(self) -> torch.optim.AdamW:
        return torch.optim.AdamW(self.weights.values(), lr=self.recipe.learning_rate, weight_decay=0.0)

    @property
    def course_is_over(self) -> bool:
        """Whether the last step ended its course."""
        step, steps = self._at[self.done - 1]
        return step + 1 == steps

    @property
    def course_loss(self) -> float:
        """Mean loss of the present course's steps, as far as they were made here."""
        return float(np.mean(self.losses[-self._at[self.done - 1][0] - 1 :]))

    def _pace(self) -> float:
        step, steps = self._at[self.done]
        warm = min(1.0, (step + 1) / self.recipe.warm_up)
        return warm * (0.05 + 0.95 * (1 + math.cos(math.pi * step / steps)) / 2)

    def _loss(self, batch: Batch) -> torch.Tensor:
        """Summed cross-entropy of the tokens to learn."""
        device, body = self._kept.device, self.model.base_model.model.model
        shared = batch[0].shared
        tokens, learn = _padded(batch, device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self._head.dtype == torch.bfloat16):
            past = None
            if shared:
                with torch.no_grad():
                    prefix = torch.as_tensor(batch[0].tokens[:shared], device=device)[None]
                    past = body(input_ids=prefix, use_cache=True).past_key_values
                    past.batch_repeat_interleave(len(batch))
            hidden = body(
                input_ids=tokens, past_key_values=past, use_cache=past is not None
            ).last_hidden_state
            here = learn[:, 1:]
            logits = F.linear(hidden[:, :-1][here], self._head)
        wanted = torch.searchsorted(self._kept, tokens[:, 1:][here])
        return F.cross_entropy(logits.float(), wanted, reduction="sum")

    def save(self) -> None:
        """Keep adapter, optimiser and place, so that an interrupted training goes on from here."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state: dict[str, torch.Tensor] = {}
        for name, weight in self.weights.items():
            state[f"weight/{name}"] = weight.data.contiguous()
            for key, value in self.optimizer.state[weight].items():
                state[f"{key}/{name}"] = value.contiguous()
        file = self.folder / f"step{self.done}.safetensors"
        save_file(state, file)
        place = {"identity": self._identity, "done": self.done, "losses": self.losses, "file": file.name}
        replace_file(self.folder / "state.json", json.dumps(place))
        for old in self.folder.glob("step*.safetensors"):
            if old != file:  # which the place no longer names
                old.unlink()

    def _resume(self) -> None:
        place = json.loads((self.folder / "state.json").read_text())
        if place["identity"] != self._identity:
            raise MnemocraftError(
                f"{self.folder} holds a training with other data or settings; delete it to start afresh."
            )
        self.done, self.losses = place["done"], place["losses"]
        state = load_file(self.folder / place["file"])
        for name, weight in self.weights.items():
            weight.data.copy_(state[f"weight/{name}"])
            means = {key: state[f"{key}/{name}"].to(weight.device) for key in ("exp_avg", "exp_avg_sq")}
            self.optimizer.state[weight] = {"step": state[f"step/{name}"]} | means


def _padded(batch: Batch, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens after the shared ones, and which to learn, padded at the end, where nothing looks back at it."""
    longest = max(len(s.tokens) - s.shared for s in batch)
    tokens = torch.zeros((len(batch), longest), dtype=torch.long)
    learn = torch.zeros((len(batch), longest), dtype=torch.bool)
    for row, item in enumerate(batch):
        n = len(item.tokens) - item.shared
        tokens[row, :n] = torch.as_tensor(item.tokens[item.shared :])
        learn[row, :n] = torch.as_tensor(item.learn[item.shared :])
    return tokens.to(device), learn.to(device)


def _digest(steps: list[list[Batch]]) -> str:
    """Of the tokens, of those to be predicted, and of how they are dealt out."""
    digest = hashlib.sha256()
    for step in steps:
        digest.update(b"step")
        for item in itertools.chain.from_iterable(step):
            digest.update(item.tokens.tobytes() + item.learn.tobytes())
    return digest.hexdigest()
