"""An adapter laid into its base model once and for all, with no more tokens than its texts are made of.

Of a token that Gemma 3 270M generates, most of the time goes into choosing among 262,144; an adapter that
knows its texts names the few thousand that they need. And llama.cpp computes an adapter beside every layer,
anew for each token, unless it has been added to the weights. What both are worth is in
``training/finetune/PLAN.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mnemocraft.errors import MnemocraftError
from mnemocraft.files import replacing
from mnemocraft.llm.gguf_file import read_gguf

TOKENS = "mnemocraft.tokens"
"""Where an adapter's file names its tokens: their ids in the base model, in ascending order."""
_PER_TOKEN = ("tokenizer.ggml.tokens", "tokenizer.ggml.scores", "tokenizer.ggml.token_type")
_EMBEDDINGS = "token_embd.weight"


def merged(base: Path, adapter: Path, target: Path) -> bool:
    """Write the merged model, with 8-bit weights, unless it is there; False if the adapter names no tokens.

    The marks (beginning, end, unknown, padding) keep their ids, so that these must be the first kept ones.

    Args:
        base: A model's GGUF file, whose embeddings are its output layer too, as Gemma's are.
        adapter: That of a LoRA adapter for it.
        target: The file to write, replaced only once the new one is whole.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        MnemocraftError: A file cannot be read or written, or the adapter is another model's.
    """
    try:
        held = read_gguf(adapter)
        if TOKENS not in held.fields:
            return False
        if not target.is_file():
            with replacing(target) as draft:
                _write(draft, read_gguf(base), held, np.array(held.fields[TOKENS].contents()))
    except (OSError, ValueError, LookupError) as error:
        raise MnemocraftError(f"{adapter} cannot be laid into {base}: {error}.") from None
    return True


def _write(path: Path, base: Any, adapter: Any, tokens: np.ndarray) -> None:
    import gguf
    from gguf.quants import dequantize, quantize

    added = {tensor.name: np.array(tensor.data, dtype=np.float32) for tensor in adapter.tensors}
    alpha = adapter.fields[gguf.Keys.Adapter.LORA_ALPHA].contents()
    eight = gguf.GGMLQuantizationType.Q8_0
    for key, field in base.fields.items():
        if key.endswith("_token_id") and (mark := field.contents()) not in tokens[mark : mark + 1]:
            name = key.rpartition(".")[2].removesuffix("_token_id")
            raise LookupError(f"its tokens leave out {mark}, the {name}")
    layers = {f"{tensor.name}.lora_{part}" for tensor in base.tensors if _is_layer(tensor) for part in "ab"}
    if alone := sorted(layers ^ added.keys()):
        raise LookupError(f"only one of them has {alone[0]}")
    writer: Any = gguf.GGUFWriter(path, base.fields["general.architecture"].contents())
    for key, field in base.fields.items():
        if key.startswith("tokenizer.") or key.startswith(writer.arch):
            _copy(writer, key, field, tokens if key in _PER_TOKEN else None)
    for tensor in base.tensors:
        if tensor.name == _EMBEDDINGS:
            writer.add_tensor(tensor.name, np.array(tensor.data[tokens]), raw_dtype=tensor.tensor_type)
            continue
        weight = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if not _is_layer(tensor):
            writer.add_tensor(tensor.name, weight)
            continue
        down, up = (added[f"{tensor.name}.lora_{part}"] for part in "ab")
        weight += (alpha / len(down)) * (up @ down)
        writer.add_tensor(tensor.name, quantize(weight, eight), raw_dtype=eight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _is_layer(tensor: Any) -> bool:
    """Whether it is a matrix that an adapter has a part for, as it has for all but the embeddings."""
    return len(tensor.shape) > 1 and tensor.name != _EMBEDDINGS


def _copy(writer: Any, key: str, field: Any, tokens: np.ndarray | None) -> None:
    import gguf

    value = field.contents()
    if field.types[0] == gguf.GGUFValueType.ARRAY:
        writer.add_array(key, value if tokens is None else [value[token] for token in tokens])
    else:
        writer.add_key_value(key, value, field.types[0])
