"""The prompt texts and tool definitions of How2, kept as readable files in ``prompts/``."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template

from mnemocraft.llm.types import Tool
from mnemocraft.runs.sources import folder_hash

_FOLDER = files("mnemocraft.agents.how2") / "prompts"


@cache
def text(name: str) -> str:
    """The text of ``prompts/<name>.txt``."""
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def render(name: str, **values: str) -> str:
    """``prompts/<name>.txt`` with its ``$placeholders`` filled in; a missing one raises KeyError."""
    return Template(text(name)).substitute(values)


@cache
def role_system() -> str:
    """System prompt of the Ask, Relevance and Parse roles: the Actor's and the memory's (Figure 9)."""
    return text("system") + text("memory_system")


def tools(names: Sequence[str]) -> list[Tool]:
    """OpenAI tool definitions for ``names``, in that order (Figures 10 to 14); every argument is required."""
    return [_tool(name) for name in names]


@cache
def _tool(name: str) -> Tool:
    spec = json.loads((_FOLDER / "tools.json").read_text(encoding="utf-8"))[name]
    parameters = {
        "type": "object",
        "properties": spec["parameters"],
        "required": list(spec["parameters"]),
        "additionalProperties": False,
    }
    function = {"name": name, "description": spec["description"], "parameters": parameters}
    return {"type": "function", "function": function}


@cache
def teacher_styles() -> dict[str, dict[str, str]]:
    """For each teacher how a model in its place should write, and an example (Appendix C.1)."""
    return json.loads((_FOLDER / "teacher_styles.json").read_text(encoding="utf-8"))


@cache
def fingerprint() -> str:
    """SHA-256 over all prompt files, so that a changed text never reuses old results."""
    return folder_hash(_FOLDER)
