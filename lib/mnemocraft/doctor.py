"""Says what is missing before a run: packages, disk, fonts, and a model that answers as the agents need it.

./run_all.sh doctor [--model NAME]
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Model, get_model
from mnemocraft.llm.types import Reply, Tool
from mnemocraft.runs.files import replace_file

EXTRAS = {
    "local": "xllamacpp",
    "graph": "torch_geometric",
    "finetune": "peft",
    "minecraft": "numba",
    "book": "myst_nb",
    "cluster": "distributed",
}
"""A module of each extra."""
ENOUGH_GB = 2.0
"""Space that all notebooks need in profile full."""
_ADD: Tool = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds two whole numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
Finding = tuple[bool, str]
"""Whether all is well, and a sentence."""


def extras() -> Finding:
    """Optional packages."""
    absent = [extra for extra, module in EXTRAS.items() if find_spec(module) is None]
    if absent:
        return False, f"not installed: pip install 'mnemocraft[{','.join(absent)}]'"
    return True, "all extras are installed"


def disk() -> Finding:
    """Room, and the right to write."""
    root = paths.output_root()
    try:
        replace_file(root / "build" / ".doctor", "")
        (root / "build" / ".doctor").unlink()
    except MnemocraftError as error:
        return False, str(error)
    free = shutil.disk_usage(root).free / 1e9
    return free >= ENOUGH_GB, f"{free:.1f} GB free in {root}; {ENOUGH_GB:.0f} GB are enough for all notebooks"


def fonts() -> Finding:
    """The fonts of the figures."""
    from matplotlib import font_manager

    from mnemocraft.figstyle import VENUES

    wanted = {"DejaVu Sans", *(venue.font for venue in VENUES.values())}
    found = {font.name for font in font_manager.fontManager.ttflist}
    return wanted <= found, f"fonts missing: {', '.join(sorted(wanted - found)) or 'none'}"


def model(name: str) -> Finding:
    """Three requests: does it answer, call a tool, say the same again with the same seed?"""
    if name.partition(":")[0] in ("surrogate", "replay"):
        return True, f"{name} answers what the studies ask, and nothing else: it is asked nothing here"
    try:
        return asyncio.run(_ask(get_model(name)))
    except MnemocraftError as error:
        return False, str(error)


async def _ask(asked: Model) -> Finding:
    async def say(text: str, tools: list[Tool] | None = None) -> Reply:
        messages = [{"role": "user", "content": text}]
        return await asked.complete(messages, tools=tools, temperature=1.0, max_tokens=64, seed=7, sample=0)

    try:
        started = time.perf_counter()
        first = await say("Name three colours.")
        seconds = time.perf_counter() - started
        again = await say("Name three colours.")
        called = await say("Add 17 and 25 with the tool.", [_ADD])
    finally:
        await asked.aclose()
    keeps = "keeps" if first.text == again.text else "does not keep (a rerun without its answers differs)"
    calls = "calls tools" if called.tool_calls else "called no tool when asked to"
    said = (
        f"it answers in {seconds:.1f} s with {first.usage.completion_tokens} tokens, {keeps} a seed, {calls}"
    )
    return bool(first.text.strip() and called.tool_calls), said


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line for each check. Returns 0 if all is well, else 1."""
    parser = argparse.ArgumentParser(prog="run_all.sh doctor", description="Says what is missing.")
    parser.add_argument("--model", default="surrogate", metavar="NAME")
    name = parser.parse_args(arguments).model
    checks: dict[str, Callable[[], Finding]] = {
        "extras": extras,
        "disk": disk,
        "fonts": fonts,
        f"model {name}": lambda: model(name),
    }
    well = True
    for what, check in checks.items():
        good, sentence = check()
        well &= good
        print(f"{'ok' if good else 'MISSING':8}{what}: {sentence}", flush=True)
    return int(not well)


if __name__ == "__main__":
    sys.exit(main())
