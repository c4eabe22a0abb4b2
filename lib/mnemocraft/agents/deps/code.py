"""Code in a model's answer: found, parsed and checked, never executed."""

from __future__ import annotations

import ast
import re
import warnings

from mnemocraft.agents.prompts import one_line
from mnemocraft.envs.minecraft.goals import VERBS

MAX_CHARACTERS, MAX_LINES, MAX_WIDTH = 20_000, 1000, 1000
"""Of an answer, and of a line."""
MAX_BRACKETS = 8
"""Brackets inside one another; a step needs two."""
_QUOTED = 160
"""Characters of an answer that a problem repeats."""
_FENCE = re.compile(r"^[ \t]*(?:```|''')\w*[ \t]*\n(.*?)(?:^[ \t]*(?:```|''')|\Z)", re.M | re.S)
_CODE = re.compile(
    r"^\s*(?:(?:def|from|import|while|for|if|assert) |(?:return|pass|break|continue)\b"
    r"|\w+ *(?:\(|[-+]?=)|[)}\]#])"
)
_CALL = re.compile(rf"\b(?:{'|'.join(VERBS)})(?:_\w+)? *\(|^[ \t]*def \w+\(", re.M)


class Unreadable(Exception):
    """Something that a plan or policy may not contain; the argument says what, without a full stop."""


def looks_like_code(text: str) -> bool:
    """Whether an answer calls verbs or defines a function, so that it is read as code, not line by line."""
    return _CALL.search(text[:MAX_CHARACTERS]) is not None


def code_of(text: str) -> str:
    """The code of an answer: what is in its first code fence, or from its first to its last line of code.

    Raises:
        Unreadable: It is too long.
    """
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"it has {len(text)} characters, and {MAX_CHARACTERS} are allowed")
    fenced = _FENCE.search(text)
    lines = (fenced.group(1) if fenced else text).expandtabs(4).splitlines()
    if len(lines) > MAX_LINES:
        raise Unreadable(f"it has {len(lines)} lines, and {MAX_LINES} are allowed")
    places = [place for place, line in enumerate(lines) if _CODE.match(line)]
    return "\n".join(lines[places[0] : places[-1] + 1]) if places else ""


def parse(code: str) -> list[ast.stmt]:
    """The statements of a program.

    Raises:
        Unreadable: It is no Python, or nested too deeply.
    """
    _check_shape(code)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd literals, which are refused afterwards
            return ast.parse(code).body
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise Unreadable(f"{where}this is no valid code ({quoted(error.msg)})") from None
    except (ValueError, RecursionError, MemoryError):
        raise Unreadable("this is no valid code") from None


def _check_shape(code: str) -> None:
    depth = 0
    for number, line in enumerate(code.split("\n"), 1):
        if len(line) > MAX_WIDTH:
            raise Unreadable(f"line {number}: it has {len(line)} characters, and {MAX_WIDTH} are allowed")
        for character in line:
            depth += (character in "([{") - (character in ")]}")
            if depth > MAX_BRACKETS:
                raise Unreadable(f"line {number}: brackets are nested more than {MAX_BRACKETS} deep")


def quoted(text: str) -> str:
    """A piece of an answer for a sentence about it: in one line and short."""
    text = one_line(text)
    return text if len(text) <= _QUOTED else text[:_QUOTED] + "..."


def at(node: ast.stmt | ast.expr, problem: str) -> Unreadable:
    """A problem with the number of its line."""
    return Unreadable(f"line {node.lineno}: {problem}")


def verb_of(call: ast.Call) -> str:
    """The name that is called; empty if it is no plain name."""
    return call.func.id if isinstance(call.func, ast.Name) else ""
