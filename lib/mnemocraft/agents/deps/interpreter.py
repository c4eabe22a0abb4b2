"""Carries out the programs of Code as Policies; nothing is executed by Python.

A small subset of Python: one function, whose arguments have no values, assignments, ``for`` over a list or
``range``, ``while``, ``if``, ``assert``, comparisons, ``and``, ``or``, ``not``, ``+ - * // %``, calls of the
verbs and of ``count``. Anything else ends the program with one sentence, and so do too many evaluations or
too large a number.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Generator, Iterable
from typing import Any

from mnemocraft.agents.deps.code import Unreadable, at, code_of, parse, quoted, verb_of
from mnemocraft.agents.deps.plan import Step, arguments, step_of
from mnemocraft.agents.prompts import one_line
from mnemocraft.envs.minecraft.goals import VERBS

MAX_EVALUATIONS = 20_000
MAX_NUMBER = 1_000_000
MAX_ITEMS = 1000
"""Elements of a range."""
MAX_FAILURES = 5
"""Failed steps in a row, without one that succeeded between them, that end a program."""

Run = Generator[Step, bool, Any]
"""Yields steps, is sent whether they succeeded, and returns a value."""

_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
}


def run_policy(text: str, count: Callable[[str], int]) -> Generator[Step, bool, str]:
    """Carry out a program.

    Args:
        text: A model's answer.
        count: Units of an item in the inventory now.

    Yields:
        Steps; send True or False back, whether the step succeeded.

    Returns:
        Why it stopped before its end, in one sentence; empty if it did not.
    """
    try:
        body = _program(parse(code_of(text)))
        if not body:
            raise Unreadable("it has no step")
        yield from _Interpreter(count).block(body)
    except Unreadable as wrong:
        return f"{one_line(str(wrong))}."
    except RecursionError:
        return "it is nested too deeply."
    return ""


def _program(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of the one function, or of a program without one."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    if not functions:
        return body
    for node in body:
        started = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        idle = started and verb_of(node.value) == functions[0].name  # type: ignore[attr-defined]
        if node is not functions[0] and not idle and not isinstance(node, ast.Import | ast.ImportFrom):
            raise at(node, "a policy is one function and nothing else")
    return functions[0].body


class _Interpreter:
    """The state of one program."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._variables: dict[str, Any] = {}
        self._evaluations = self._failures = 0

    # --- statements -------------------------------------------------------------------------------

    def block(self, body: Iterable[ast.stmt]) -> Run:
        """Run statements; what ended them: ``break``, ``continue``, ``return`` or nothing."""
        for node in body:
            ended = yield from self._statement(node)
            if ended:
                return ended
        return ""

    def _statement(self, node: ast.stmt) -> Run:
        self._tick(node)
        match node:
            case ast.Expr():
                yield from self._value(node.value)
            case ast.Assign(targets=[ast.Name(id=name)]):
                self._variables[name] = yield from self._value(node.value)
            case ast.AugAssign(target=ast.Name(id=name)):
                left, right = self._variable(node, name), (yield from self._value(node.value))
                self._variables[name] = self._calculate(node, node.op, left, right)
            case ast.If():
                holds = yield from self._value(node.test)
                return (yield from self.block(node.body if holds else node.orelse))
            case ast.While(orelse=[]):
                return (yield from self._while(node))
            case ast.For(target=ast.Name(), orelse=[]):
                return (yield from self._for(node))
            case ast.Assert():
                yield from self._assert(node)
            case ast.Return() | ast.Break() | ast.Continue():
                return type(node).__name__.lower()
            case ast.Pass():
                pass
            case _:
                raise at(node, f"this is not allowed in a policy ({type(node).__name__.lower()})")
        return ""

    def _while(self, node: ast.While) -> Run:
        while (yield from self._value(node.test)):
            ended = yield from self.block(node.body)
            if ended in ("break", "return"):
                return ended if ended == "return" else ""
        return ""

    def _for(self, node: ast.For) -> Run:
        values = yield from self._value(node.iter)
        if not isinstance(values, list | range):
            raise at(node, "a for loop goes over a list or range(...)")
        for value in values:
            self._variables[node.target.id] = value  # type: ignore[attr-defined]
            ended = yield from self.block(node.body)
            if ended in ("break", "return"):
                return ended if ended == "return" else ""
        return ""

    def _assert(self, node: ast.Assert) -> Run:
        if not (yield from self._value(node.test)):
            text = (yield from self._value(node.msg)) if node.msg else "no reason given"
            raise at(node, f"the assertion failed ({quoted(str(text))})")

    # --- expressions ------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Run:
        self._tick(node)
        match node:
            case ast.Constant(value=bool() | str() | None):
                return node.value
            case ast.Constant(value=int(number)):
                return self._bounded(node, number)
            case ast.Name(id=name):
                return self._variable(node, name)
            case ast.List() | ast.Tuple():
                return (yield from self._values(node.elts))
            case ast.Dict():
                return (yield from self._dictionary(node))
            case ast.UnaryOp(op=ast.Not()):
                return not (yield from self._value(node.operand))
            case ast.UnaryOp(op=ast.USub()):
                return self._calculate(node, ast.Sub(), 0, (yield from self._value(node.operand)))
            case ast.BinOp():
                left = yield from self._value(node.left)
                return self._calculate(node, node.op, left, (yield from self._value(node.right)))
            case ast.BoolOp():
                return (yield from self._both(node))
            case ast.Compare():
                return (yield from self._compare(node))
            case ast.Call():
                return (yield from self._call(node))
            case _:
                raise at(node, f"this is not allowed in a policy ({type(node).__name__.lower()})")

    def _values(self, nodes: Iterable[ast.expr]) -> Run:
        found = []
        for node in nodes:
            value = yield from self._value(node)
            if not isinstance(value, int | str | None):  # so that nothing can grow by being put into itself
                raise at(node, "lists and dictionaries cannot be put into one another")
            found.append(value)
        return found

    def _dictionary(self, node: ast.Dict) -> Run:
        if any(key is None for key in node.keys):
            raise at(node, "a policy may not contain ** in a dictionary")
        keys = yield from self._values(key for key in node.keys if key is not None)
        if not all(isinstance(key, str) for key in keys):
            raise at(node, "the keys of a dictionary must be names of items")
        return dict(zip(keys, (yield from self._values(node.values)), strict=True))

    def _both(self, node: ast.BoolOp) -> Run:
        value: Any = None
        for part in node.values:
            value = yield from self._value(part)
            if bool(value) == isinstance(node.op, ast.Or):
                return value
        return value

    def _compare(self, node: ast.Compare) -> Run:
        left = yield from self._value(node.left)
        for kind, part in zip(node.ops, node.comparators, strict=True):
            right = yield from self._value(part)
            if type(kind) not in _COMPARISONS:
                raise at(node, f"this comparison is not allowed in a policy ({type(kind).__name__.lower()})")
            equality = isinstance(kind, ast.Eq | ast.NotEq | ast.Is | ast.IsNot)
            if not equality and not (isinstance(left, int) and isinstance(right, int)):
                raise at(node, "only numbers can be more or less")
            if not _COMPARISONS[type(kind)](left, right):
                return False
            left = right
        return True

    def _call(self, node: ast.Call) -> Run:
        verb = verb_of(node)
        if verb in VERBS:
            return (yield from self._act(node, verb))
        if verb not in ("count", "range", "len") or node.keywords:
            known = ", ".join(("count", *VERBS))
            raise at(node, f"there is no {quoted(verb or 'such call')!r} to call; a policy calls {known}")
        values = yield from self._values(node.args)
        return self._builtin(node, verb, values)

    def _builtin(self, node: ast.Call, name: str, values: list[Any]) -> Any:
        if name == "count" and len(values) == 1 and isinstance(values[0], str):
            return self._count(values[0])
        if name == "len" and len(values) == 1 and isinstance(values[0], list):
            return len(values[0])
        numbers = all(isinstance(value, int) and abs(value) <= MAX_NUMBER for value in values)
        if name == "range" and 1 <= len(values) <= 3 and numbers and values[2:] != [0]:
            found = range(*values)
            if len(found) <= MAX_ITEMS:
                return found
        raise at(node, f"{name} cannot be called like this")

    def _act(self, node: ast.Call, verb: str) -> Run:
        values: dict[str, object] = {}
        for name, part in arguments(node, verb):
            values[name] = yield from self._value(part)
        step = step_of(node, verb, values, quoted(ast.unparse(node)))
        success = yield step
        self._failures = 0 if success else self._failures + 1
        if self._failures >= MAX_FAILURES:
            raise at(node, f"{MAX_FAILURES} steps failed in a row, the last one was {step.goal}")
        return success

    # --- limits -----------------------------------------------------------------------------------

    def _tick(self, node: ast.stmt | ast.expr) -> None:
        self._evaluations += 1
        if self._evaluations > MAX_EVALUATIONS:
            raise at(node, f"it does not end within {MAX_EVALUATIONS} evaluations")

    def _variable(self, node: ast.stmt | ast.expr, name: str) -> Any:
        if name == "null":
            return None
        if name not in self._variables:
            raise at(node, f"the variable {quoted(name)} has no value")
        return self._variables[name]

    def _calculate(self, node: ast.stmt | ast.expr, kind: ast.operator, left: Any, right: Any) -> int:
        if type(kind) not in _ARITHMETIC or not (isinstance(left, int) and isinstance(right, int)):
            raise at(node, "a policy calculates with + - * // % and whole numbers only")
        if right == 0 and isinstance(kind, ast.FloorDiv | ast.Mod):
            raise at(node, "it divides by zero")
        return self._bounded(node, _ARITHMETIC[type(kind)](left, right))

    def _bounded(self, node: ast.stmt | ast.expr, number: int) -> int:
        if abs(number) > MAX_NUMBER:
            raise at(node, f"a number is larger than {MAX_NUMBER}")
        return number
