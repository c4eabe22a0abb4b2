"""A LoRA adapter of ``peft`` as the GGUF file that llama.cpp lays over the base model, and back again.

Gemma needs no rearranging here: llama.cpp keeps its query and key projections in the order of
``transformers`` (Llama's it permutes), and the one it adds to the norms is none of the adapter's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemocraft.errors import MnemocraftError
from mnemocraft.files import replacing
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.merged import TOKENS
from training.finetune.base import import_transformers

if TYPE_CHECKING:
    import torch
    from peft import PeftModel
    from transformers import PreTrainedModel

LICENCE = "gemma"
LICENCE_LINK = "https://ai.google.dev/gemma/terms"
"""An adapter is a derivative of the model it was trained on, hence under the same terms."""
_NAME = re.compile(r"base_model\.model\.(?P<layer>model\.layers\..+)\.lora_(?P<part>[AB])\.default\.weight")


def export_adapter(
    model: PeftModel,
    path: Path,
    *,
    base_name: str,
    kept: list[int],
    provenance: Mapping[str, str | int],
) -> None:
    """Write the adapter of a model; equal weights and arguments give equal bytes.

    Weights are stored in half precision: a file of half the size, and a rounding far below that of the
    quantised model under it.

    Args:
        model: with a LoRA adapter on linear layers of Gemma 3.
        path: the file, replaced only once the new one is whole.
        base_name: name of the model it was trained on.
        kept: tokens that are served (:mod:`training.finetune.vocabulary`), as ``mnemocraft.tokens``.
        provenance: what else should be known, such as seed, steps and commit; kept as ``mnemocraft.<key>``.

    Raises:
        MissingExtra: ``transformers``, ``peft`` or ``gguf`` is not installed.
        MnemocraftError: llama.cpp has no place for one of the adapter's weights, or the file cannot be
            written.
    """
    import_transformers()
    alpha = float(model.active_peft_config.lora_alpha)
    tensors = {
        name: weight.detach().float().cpu().numpy().astype(np.float16) for name, weight in _weights(model)
    }
    try:
        with replacing(path) as draft:
            _write(draft, tensors, alpha, base_name, kept, provenance)
    except OSError as error:
        raise MnemocraftError(f"The adapter cannot be written to {path}: {error}.") from None


def _weights(model: PeftModel) -> Iterator[tuple[str, torch.Tensor]]:
    """The adapter's weights under llama.cpp's names: A has shape (rank, inputs), B (outputs, rank)."""
    import gguf

    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.GEMMA3, model.config.num_hidden_layers)
    for name, weight in model.named_parameters():
        if "lora_" not in name:
            continue
        found = _NAME.fullmatch(name)
        layer = found and names.get_name(found["layer"])
        if not found or not layer:
            raise MnemocraftError(
                f"llama.cpp has no place for '{name}'; adapt only linear layers, with LoRA."
            )
        yield f"{layer}.weight.lora_{found['part'].lower()}", weight


def load_adapter(base: PreTrainedModel, path: Path) -> PeftModel:
    """The base model with the adapter of a file that :func:`export_adapter` wrote.

    Args:
        base: what :func:`~training.finetune.base.load_base` returns; it is changed.

    Raises:
        MissingExtra: ``peft`` or ``gguf`` is not installed.
        MnemocraftError: the file is not there, or holds no adapter for this model.
    """
    held = _read(path)
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=held.rank, lora_alpha=held.alpha, target_modules="all-linear")
    model = get_peft_model(base, config)
    copy_adapter(path, model)
    return model.eval()


def copy_adapter(path: Path, model: PeftModel) -> int:
    """Give a model's adapter the weights of a file; returns the training step after which it was written.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        MnemocraftError: the file is not there, or its adapter is another's.
    """
    import torch

    held, places = _read(path), dict(_weights(model))
    if places.keys() != held.weights.keys() or any(
        places[name].shape != weight.shape for name, weight in held.weights.items()
    ):
        raise MnemocraftError(f"{path} holds no adapter of all linear layers of this model.")
    with torch.no_grad():
        for name, weight in places.items():
            weight.copy_(torch.from_numpy(held.weights[name]))
    return held.step


def step_of(path: Path) -> int:
    """The training step after which an adapter was written.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        MnemocraftError: the file is not there, or holds no adapter.
    """
    return _read(path).step


@dataclass(frozen=True)
class _Held:
    """What is in a file: weights under llama.cpp's names, and the step after which they were saved."""

    weights: dict[str, np.ndarray]
    rank: int
    alpha: float
    step: int


def _read(path: Path) -> _Held:
    import_transformers()
    import gguf

    try:
        file = read_gguf(path)
        weights = {tensor.name: np.array(tensor.data) for tensor in file.tensors}
        alpha = file.fields[gguf.Keys.Adapter.LORA_ALPHA].contents()
        rank = next(len(weight) for name, weight in weights.items() if name.endswith("lora_a"))
        step = file.fields["mnemocraft.step"].contents() if "mnemocraft.step" in file.fields else 0
    except (OSError, ValueError, LookupError, StopIteration) as error:
        raise MnemocraftError(f"{path} cannot be read as an adapter: {error}.") from None
    return _Held(weights, rank, alpha, step)


def _write(
    path: Path,
    tensors: Mapping[str, np.ndarray],
    alpha: float,
    base_name: str,
    kept: list[int],
    provenance: Mapping[str, str | int],
) -> None:
    import gguf

    writer: Any = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[gguf.MODEL_ARCH.GEMMA3])
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(alpha))
    writer.add_license(LICENCE)
    writer.add_license_link(LICENCE_LINK)
    writer.add_base_model_count(1)
    writer.add_base_model_name(0, base_name)
    writer.add_array(TOKENS, kept)
    for key, value in sorted(provenance.items()):
        add = writer.add_uint64 if isinstance(value, int) else writer.add_string
        add(f"mnemocraft.{key}", value)
    for tensor, weight in tensors.items():
        writer.add_tensor(tensor, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
