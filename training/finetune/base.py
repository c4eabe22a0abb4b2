"""The packaged base model as ``transformers`` takes it: its GGUF file turned back into plain floats.

What is trained on is thus what is served: the dequantised values of the very file that llama.cpp loads.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.llm import local
from mnemocraft.llm.gguf_file import reader

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def load_base(dtype: torch.dtype) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The base model with weights of type ``dtype``, in evaluation mode, and its tokenizer.

    The first call takes about a minute and leaves 1.1 GB of 32-bit floats in the user's cache
    (``~/.cache/mnemocraft``); later ones take seconds.

    Raises:
        MissingExtra: ``transformers`` or the packaged model is not installed.
        MnemocraftError: the cache cannot be written.
    """
    transformers = import_transformers()
    with quiet():
        folder = _dequantised(transformers)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    return model.eval(), load_tokenizer()


def load_tokenizer() -> PreTrainedTokenizerBase:
    """The base model's tokenizer alone; errors as of :func:`load_base`."""
    transformers = import_transformers()
    with quiet():
        return transformers.AutoTokenizer.from_pretrained(_dequantised(transformers))


def import_transformers() -> Any:
    """The ``transformers`` package. Raises MissingExtra if it, ``peft`` or ``gguf`` is not installed."""
    try:
        import gguf  # noqa: F401
        import peft  # noqa: F401
        import transformers
    except ImportError:
        raise MissingExtra("Fine-tuning needs an extra: pip install 'mnemocraft[finetune]'.") from None
    return transformers


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no warnings of ``transformers`` while it loads; settings as before afterwards."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _dequantised(transformers: Any) -> Path:
    """Folder of the model in ``transformers``' own format, made at first use and named by its content."""
    source = local.default_model()
    folder = local.CACHE / "gemma-3-270m-transformers" / local.fingerprint(source)
    if folder.is_dir():
        return folder
    unfinished = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=folder.parent))
        _dequantise(transformers, source, unfinished)
        unfinished.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # another process may have been first
            raise MnemocraftError(f"The base model cannot be unpacked to {folder}: {error}.") from None
    finally:
        if unfinished is not None:
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _dequantise(transformers: Any, source: Path, folder: Path) -> None:
    import torch

    where: dict[str, Any] = {"pretrained_model_name_or_path": source.parent, "gguf_file": source.name}
    # A progress bar that has no switch of its own, and a file that is read four times.
    with redirect_stderr(StringIO()), patch("gguf.GGUFReader", reader()):
        packed = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
        tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
        config = transformers.AutoConfig.from_pretrained(**where)
    # A model that came from a GGUF file counts as quantised and refuses to be saved; its weights do not.
    plain = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(packed.state_dict())
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
