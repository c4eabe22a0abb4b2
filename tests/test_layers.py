"""Who may import whom: packages lie in layers, and no two modules import each other in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

import mnemocraft

LIB = Path(mnemocraft.__file__).parent
LAYERS = (
    ("errors", "paths", "lazy", "registry", "bounded", "files"),
    ("stats", "figstyle", "costs", "weights", "encoders"),
    ("llm",),
    ("envs",),
    ("controllers",),
    ("gnn",),
    ("memory",),
    ("worlds",),
    ("runs",),
    ("agents",),
    ("surrogate",),
    ("viewer",),
    ("finetune",),
    ("studies",),
    ("training", "notebooks", "book", "doctor"),
)
"""Lowest first; a package imports from its own layer and from lower ones."""
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}
KNOWN: set[tuple[str, str]] = set()
"""Module, and module above it that it imports all the same; only ever to become fewer."""


def imports(tree: ast.AST, modules: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """Modules of ours that are imported anywhere in a tree, functions included, and the line.

    Relative imports do not count: only the worker for MineDojo's own environment has some, within itself.
    """
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
        return
    found: list[str] = []
    if isinstance(tree, ast.Import):
        found = [alias.name for alias in tree.names]
    if isinstance(tree, ast.ImportFrom) and not tree.level:
        inside = [f"{tree.module}.{alias.name}" for alias in tree.names]
        found = [name if name in modules else str(tree.module) for name in inside]
    yield from ((name, tree.lineno) for name in found if name.split(".")[0] == "mnemocraft")
    for child in ast.iter_child_nodes(tree):
        yield from imports(child, modules)


def test_imports_go_down_and_in_no_circle() -> None:
    paths = {path: ("mnemocraft", *path.relative_to(LIB).with_suffix("").parts) for path in LIB.rglob("*.py")}
    modules = {".".join(parts).removesuffix(".__init__"): path for path, parts in paths.items()}
    graph: nx.DiGraph = nx.DiGraph()
    upward: dict[tuple[str, str], str] = {}
    for module, path in modules.items():
        own = module.partition(".")[2].partition(".")[0]
        for imported, line in imports(ast.parse(path.read_text(encoding="utf-8")), modules):
            graph.add_edge(module, imported)
            other = imported.partition(".")[2].partition(".")[0]
            if own and other and LEVEL[own] < LEVEL[other]:
                upward[module, imported] = f"{path.relative_to(LIB)}:{line} imports {imported}"
    circles = [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    assert not circles
    assert set(upward) == KNOWN, "\n".join(upward.values())


def test_imports_in_functions_count_and_those_for_type_checking_do_not() -> None:
    code = """
import mnemocraft.errors
if TYPE_CHECKING:
    from mnemocraft import agents
def late():
    from mnemocraft.envs import checks, KitchenEnv
"""
    found = list(imports(ast.parse(code), {"mnemocraft.envs.checks": LIB}))
    assert found == [("mnemocraft.errors", 2), ("mnemocraft.envs.checks", 6), ("mnemocraft.envs", 6)]
