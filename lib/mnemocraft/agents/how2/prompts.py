"""The prompt texts and tool definitions of How2, kept as readable files in ``prompts/``."""

import json
from collections.abc import Sequence
from functools import cache
from string import Template

from mnemocraft.agents.prompts import file, text
from mnemocraft.llm.types import Tool


def system(guide: str) -> str:
    """System prompt of the Actor: the world's rules, and how to answer."""
    return guide + text("how2", "system")


def role_system(guide: str) -> str:
    """System prompt of the Ask, Relevance and Parse roles: the Actor's and the memory's (Figure 9)."""
    return system(guide) + text("how2", "memory_system")


def render(name: str, **values: str) -> str:
    """``prompts/<name>.txt`` with its ``$placeholders`` filled in; a missing one raises KeyError."""
    return Template(text("how2", name)).substitute(values)


def tools(names: Sequence[str]) -> list[Tool]:
    """OpenAI tool definitions for ``names``, in that order (Figures 10 to 14); every argument is required."""
    return [_tool(name) for name in names]


@cache
def _tool(name: str) -> Tool:
    spec = json.loads(file("how2", "tools.json"))[name]
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
    return json.loads(file("how2", "teacher_styles.json"))
