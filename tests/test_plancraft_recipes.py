"""Our recipes against the package's own, and what the planner relies on."""

import subprocess
import sys
from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest
from plancraft.environment.planner import MAX_STACK_SIZE
from plancraft.environment.recipes import RECIPES, convert_ingredients_to_table, id_to_item
from scipy.optimize import linprog

from mnemocraft.envs.plancraft import Recipe, RecipeBook, book, max_stack


def of_package(recipe):
    """A package recipe as a comparable value."""
    head = (recipe.recipe_type, recipe.result.item, recipe.result.count)
    if recipe.recipe_type == "shaped":
        names = [[sorted({id_to_item(i) for i in cell} - {None}) for cell in row] for row in recipe.kernel]
        return (*head, repr(names))
    if recipe.recipe_type == "shapeless":
        return (*head, repr(sorted(sorted(counter.items()) for counter in recipe.ingredients)))
    return (*head, repr(sorted(recipe.ingredient)))


def of_ours(recipe):
    head = (recipe.kind, recipe.result, recipe.count)
    if recipe.kind == "shaped":
        return (*head, repr([[list(cell) for cell in row] for row in recipe.grid]))
    if recipe.kind == "shapeless":
        counters = [sorted((i, items.count(i)) for i in set(items)) for items in product(*recipe.units)]
        return (*head, repr(sorted(counters)))
    return (*head, repr(list(recipe.units[0])))


def test_same_recipes_as_the_package():
    theirs = sorted(of_package(recipe) for recipes in RECIPES.values() for recipe in recipes)
    assert sorted(of_ours(recipe) for recipe in book().recipes) == theirs
    assert len(theirs) == 687


def test_same_stack_sizes_as_the_package():
    assert max_stack() == MAX_STACK_SIZE


def test_recipes_are_sorted_by_unique_name():
    names = [recipe.name for recipe in book().recipes]
    assert names == sorted(set(names))


def fits(items, cells):
    """Whether the items can be laid one into each cell."""
    if not cells:
        return not items
    return any(fits(items[:i] + items[i + 1 :], cells[1:]) for i in range(len(items)) if items[i] in cells[0])


def test_no_table_makes_two_things_and_nothing_smelts_to_two():
    """So the package's choice among its recipes, in the order of a file listing, never matters."""
    recipes = book().recipes
    places = [(cells, r) for r in recipes if r.kind == "shaped" for cells in r.placements()]
    by_cells = {}
    for cells, recipe in places:
        by_cells.setdefault(tuple(cells), []).append((cells, recipe))
    for group in by_cells.values():
        for i, (cells, recipe) in enumerate(group):
            for other_cells, other in group[:i]:
                overlap = all(not set(cells[slot]).isdisjoint(other_cells[slot]) for slot in cells)
                assert not overlap or other.result == recipe.result, (recipe.name, other.name)
    shapeless = [(items, r) for r in recipes if r.kind == "shapeless" for items in product(*r.units)]
    for items, recipe in shapeless:
        for other in recipes:
            if other.kind != "smelting" and other is not recipe and len(other.units) == len(items):
                assert not fits(items, other.units) or other.result == recipe.result, (
                    recipe.name,
                    other.name,
                )
    smelted = [item for r in recipes if r.kind == "smelting" for item in r.units[0]]
    assert len(smelted) == len(set(smelted)) == len(book().smelts)


def test_items_cannot_multiply():
    """No mix of crafts makes some item out of nothing, so every search through stocks is finite."""
    items = sorted({i for r in book().recipes for i in r.inputs} | set(book().by_result))
    row = {item: i for i, item in enumerate(items)}
    columns = []
    for recipe in book().recipes:
        # Treating alternatives as separate recipes that use one kind each covers every mixture in the limit.
        for choice in product(*(cell for cell, _ in recipe.needs)):
            column = np.zeros(len(items))
            for item, (_, n) in zip(choice, recipe.needs, strict=True):
                column[row[item]] -= n
            column[row[recipe.result]] += recipe.count
            columns.append(column)
    effect = np.array(columns).T
    gain = linprog(-effect.sum(axis=0), A_ub=-effect, b_ub=np.zeros(len(items)), bounds=(0, 1))
    assert gain.status == 0 and gain.fun == pytest.approx(0, abs=1e-7)


def table(*rows):
    return [{".": None, "p": "oak_planks", "s": "stick", "b": "birch_planks"}[c] for c in "".join(rows)]


@pytest.mark.parametrize(
    ("cells", "made"),
    [
        (table("p..", "p..", "..."), "stick"),
        (table("...", "..p", "..b"), "stick"),
        (table("p..", "...", "p.."), None),
        (table("pp.", ".s.", ".s."), "wooden_hoe"),
        (table("pp.", "s..", "s.."), None),
        (table("ppb", ".s.", ".s."), "wooden_pickaxe"),
        (table("ppb", ".s.", ".ss"), None),
        (table("...", "...", "..."), None),
    ],
)
def test_match_agrees_with_the_package(cells, made):
    found = book().match(cells)
    assert (found[0].result if found else None) == made
    ids = convert_ingredients_to_table(cells)
    theirs = [recipe.craft(ids) for recipes in RECIPES.values() for recipe in recipes]
    assert {result[0].item for result in theirs if result} == ({made} if made else set())
    if found:
        assert list(found[1]) == next(result[1] for result in theirs if result)


def test_match_ignores_order_of_shapeless_ingredients():
    items = ["gunpowder", "blaze_powder", "charcoal"]
    for order in permutations(items):
        cells = [None, order[0], None, None, order[1], None, None, None, order[2]]
        assert book().match(cells)[0].name == "fire_charge"
        assert book().match([*order, "charcoal", *[None] * 5]) is None


def test_a_book_with_another_recipe_changes_one_result_only():
    wrong = Recipe("stick", "shapeless", "stick", 1, ingredients=(("dirt",),))
    changed = RecipeBook([*(r for r in book().recipes if r.result != "stick"), wrong])
    assert changed.by_result["stick"] == (wrong,)
    assert changed.match(["dirt", *[None] * 8])[0] == wrong
    assert {r for r in changed.recipes if r.result != "stick"} < set(book().recipes)
    assert changed != book() and book().by_result["stick"][0] != wrong


def test_ancestors_and_graph_agree():
    graph = book().graph()
    for target in ("stick", "iron_ingot", "cake", "beacon", "sponge"):
        assert book().ancestors(target) - {target} == nx.ancestors(graph, target)
    assert RecipeBook([]).ancestors("stick") == frozenset()


def test_import_leaves_heavy_modules_out():
    """A worker process that only plays needs neither the package's code nor an optimiser nor tables."""
    heavy = ["plancraft.environment", "PIL", "scipy", "pandas", "networkx"]
    code = (
        "import sys; from mnemocraft.envs.plancraft import PlancraftEnv; PlancraftEnv('low', 0).reset();"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
