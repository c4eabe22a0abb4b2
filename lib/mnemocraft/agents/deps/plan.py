"""Reading plans that models write as code. A plan is data: it is parsed, never executed.

Whatever is wrong with a plan is told in one sentence; nothing that a model writes raises an exception here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mnemocraft.agents.deps.code import Unreadable, at, code_of, parse, quoted, verb_of
from mnemocraft.agents.prompts import one_line
from mnemocraft.envs.minecraft.goals import DOWN, VERBS, Goal
from mnemocraft.worlds.minecraft import MAX_COUNT, line_of

MAX_STEPS = 100
"""Steps of a plan."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class Step:
    """One step of a plan.

    Attributes:
        goal: What the controller is asked for; None where actions are no goals.
        line: How the plan says it, in one line.
        needs: Units by item that the plan thinks are used up (empty where its format does not say).
        station: The station that the plan thinks is needed, or empty.
    """

    goal: Goal | None
    line: str
    needs: dict[str, int] = field(default_factory=dict)
    station: str = ""

    @property
    def action(self) -> str:
        """The action line; of fuels and materials those that the plan names are preferred."""
        return line_of(self.goal, tuple(self.needs)) if self.goal else self.line


@dataclass(frozen=True)
class Reading:
    """The steps of a plan, and in one sentence what could not be read (empty: everything could)."""

    steps: tuple[Step, ...] = ()
    problem: str = ""


def read_plan(text: str) -> Reading:
    """Read the code-like plan of DEP and DEPS: ``craft({"stick": 4}, {"oak_planks": 2}, station=None)``."""
    return _read(text, _read_call)


def read_program(text: str) -> Reading:
    """Read the plan of ProgPrompt: ``craft_stick(num=4)``."""
    return _read(text, _read_named_call)


CallReader = Callable[[ast.Call, str], Step]


def _read(text: str, read_call: CallReader) -> Reading:
    try:
        code = code_of(text)
        lines = code.split("\n")
        steps = tuple(read_call(call, _source(call, lines)) for call in _calls(parse(code)))
        if not steps:
            raise Unreadable("it has no step")
        if len(steps) > MAX_STEPS:
            raise Unreadable(f"it has {len(steps)} steps, and {MAX_STEPS} are allowed")
    except Unreadable as wrong:
        return Reading(problem=f"{one_line(str(wrong))}.")
    return Reading(steps)


# --- steps ----------------------------------------------------------------------------------------------


def step_of(call: ast.Call, verb: str, values: dict[str, object], line: str) -> Step:
    """The step that a call of a verb means.

    Args:
        call: Where it stands.
        verb: One of the verbs.
        values: The arguments by name: ``what``, and ``materials``, ``tool``, ``station`` where given.
        line: How it is written.

    Raises:
        Unreadable: An argument makes no sense.
    """
    item, count = _amount(call, verb, values.get("what"))
    needs = values.get("materials") or {}
    if not isinstance(needs, dict):
        raise at(call, f"the materials of {verb} must be like {{'stick': 2}}")
    for name, units in needs.items():
        _check(call, name, units)
    tool, station = (_optional(call, key, values.get(key)) for key in ("tool", "station"))
    return Step(Goal(verb, item, count, tool), line, dict(needs), station)


def _amount(call: ast.Call, verb: str, what: object) -> tuple[str, int]:
    """Item and number of the first argument."""
    if verb == "dig" and not isinstance(what, dict):
        what = {DOWN: what}
    if isinstance(what, str):
        what = {what: 1}
    if not isinstance(what, dict) or len(what) != 1:
        raise at(call, f"{verb} needs one item and its count first, like {verb}({{'stick': 2}})")
    ((item, count),) = what.items()
    _check(call, item, count)
    return item, count


def _check(call: ast.Call, item: object, count: object) -> None:
    if not isinstance(item, str) or not _NAME.fullmatch(item):
        raise at(call, f"{quoted(repr(item))} is no name of an item")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_COUNT:
        raise at(
            call,
            f"the count of {item} must be a whole number from 1 to {MAX_COUNT}, not {quoted(repr(count))}",
        )


def _optional(call: ast.Call, key: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise at(call, f"the {key} must be None or the name of an item, not {quoted(repr(value))}")
    return value


_PARAMETERS = {
    "mine": ("what", "tool"),
    "kill": ("what", "tool"),
    "craft": ("what", "materials", "station"),
    "smelt": ("what", "materials", "station"),
    "equip": ("what",),
    "place": ("what",),
    "dig": ("what",),
}
_SYNONYMS = {"obj": "what", "object": "what", "item": "what", "num": "what"}


def arguments(call: ast.Call, verb: str) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a call of a verb by name.

    Raises:
        Unreadable: There are too many, or one has no such name.
    """
    names = _PARAMETERS[verb]
    if len(call.args) > len(names):
        raise at(call, f"{verb} takes at most {len(names)} arguments")
    yield from zip(names, call.args, strict=False)
    for keyword in call.keywords:
        name = _SYNONYMS.get(keyword.arg or "", keyword.arg)
        if name == "tool" and "station" in names:
            name = "station"
        if name not in names:
            raise at(call, f"{verb} has no argument {keyword.arg or '**'}")
        yield name, keyword.value


# --- plans ------------------------------------------------------------------------------------------------


def _calls(body: list[ast.stmt], function: str | None = "") -> Iterator[ast.Call]:
    """The calls of a plan in their order; one function may be around them, and be called at the end.

    ``function`` is its name: empty before there is one, and None within it.
    """
    for node in body:
        if isinstance(node, ast.FunctionDef) and function == "":
            yield from _calls(node.body, None)
            function = None if node.name in VERBS else node.name
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if not (function and isinstance(node.value.func, ast.Name) and node.value.func.id == function):
                yield node.value
        elif not _idle(node):
            raise at(node, f"a plan has only calls of {', '.join(VERBS)}, one a line")


def _idle(node: ast.stmt) -> bool:
    """Whether a statement does nothing in a plan: imports, return, pass, a text."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Import | ast.ImportFrom | ast.Return | ast.Pass)


def _source(call: ast.Call, lines: list[str]) -> str:
    """How a call is written, in one line."""
    first, last = call.lineno - 1, (call.end_lineno or call.lineno) - 1
    text = [line.encode() for line in lines[first : last + 1]]
    text[-1] = text[-1][: call.end_col_offset]
    text[0] = text[0][call.col_offset :]
    return quoted(b" ".join(text).decode(errors="replace"))


def _read_call(call: ast.Call, line: str) -> Step:
    verb = verb_of(call)
    if verb not in VERBS:
        raise at(call, f"there is no step {quoted(verb or line)!r}; a step is one of {', '.join(VERBS)}")
    values = {name: _literal(node) for name, node in arguments(call, verb)}
    return step_of(call, verb, values, line)


def _read_named_call(call: ast.Call, line: str) -> Step:
    verb, _, item = verb_of(call).partition("_")
    if verb not in VERBS or not item:
        raise at(call, f"there is no step {quoted(line)!r}; a step is like craft_stick(num=4)")
    values = [_literal(node) for _, node in arguments(call, "dig")]
    return step_of(call, verb, {"what": {item: values[0] if values else 1}}, line)


def _literal(node: ast.expr) -> object:
    """The value of a constant, or of a dictionary of constants.

    Raises:
        Unreadable: It is anything else.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id == "null":
        return None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _literal(node.operand)
        return -value if isinstance(value, int) else value
    if isinstance(node, ast.Dict):
        return _pairs(node)
    raise at(
        node,
        f"an argument must be a text, a number, None or like {{'stick': 2}} ({type(node).__name__.lower()})",
    )


def _pairs(node: ast.Dict) -> dict[str, object]:
    """A dictionary from names to values, each once."""
    found: dict[str, object] = {}
    for name, value in zip(node.keys, node.values, strict=True):
        key = None if name is None else _literal(name)
        if not isinstance(key, str):
            raise at(node, f"{quoted(repr(key))} is no name of an item")
        if key in found:
            raise at(node, f"{quoted(key)} is named twice")
        found[key] = _literal(value)
    return found
