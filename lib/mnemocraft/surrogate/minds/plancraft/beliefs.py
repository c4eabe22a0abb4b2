"""What the surrogate believes about recipes: right with probability ``knowledge``, else plausibly wrong."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from mnemocraft.envs.plancraft import Recipe, RecipeBook, book
from mnemocraft.surrogate.chance import chance, digest, pick
from mnemocraft.surrogate.minds.plancraft.reading import accepts, table_of


@lru_cache(maxsize=32)
def believed(seed: int, knowledge: float) -> RecipeBook:
    """The recipe book as one seed's surrogate remembers it; it knows all ways to make an item or none."""
    real = book()
    recipes = []
    for recipe in real.recipes:
        known = chance("knows", seed, recipe.result) < knowledge
        recipes.append(recipe if known else distorted(recipe, seed))
    return RecipeBook(recipes)


@lru_cache(maxsize=1 << 12)
def revised(beliefs: RecipeBook, told: tuple[Recipe, ...], disproved: frozenset[str]) -> RecipeBook:
    """Beliefs after reading: what is told replaces the recipes it contradicts, what failed is given up.

    A belief that already covers what is told stays as it is, since it may be more general.
    """
    news: dict[str, list[Recipe]] = {}
    for recipe in told:
        if not any(agrees(old, recipe) for old in beliefs.by_result.get(recipe.result, ())):
            news.setdefault(recipe.result, []).append(recipe)
    kept = [r for r in beliefs.recipes if r.result not in news and r.name not in disproved]
    return RecipeBook(kept + [r for many in news.values() for r in many if r.name not in disproved])


def agrees(belief: Recipe, told: Recipe) -> bool:
    """Whether what is told is a case of what is believed."""
    if told.kind == "smelting":
        return belief.kind == "smelting" and told.units[0][0] in belief.units[0]
    return belief.count == told.count and accepts(belief, table_of(told))


def distorted(recipe: Recipe, seed: int) -> Recipe:
    """A plausibly wrong version of a recipe, the same for the same seed.

    The kinds of error are a wrong ingredient, count or shape and a skipped intermediate step; the first in
    a drawn order that really differs from the truth is taken.
    """
    options = sorted(_errors(recipe, seed), key=lambda wrong: digest("error", seed, wrong.name))
    return next(wrong for wrong in options if not _true(wrong))


def _true(recipe: Recipe) -> bool:
    """Whether a recipe works in the real game."""
    if recipe.kind == "smelting":
        return any(
            item in book().smelts and book().smelts[item].result == recipe.result for item in recipe.units[0]
        )
    return any(accepts(real, table_of(recipe)) for real in book().by_result[recipe.result])


def _errors(recipe: Recipe, seed: int) -> Iterator[Recipe]:
    wrong = pick(sorted(set(recipe.units)), "unit", seed, recipe.name)
    pool = sorted(book().by_input)
    for n in range(4):
        yield _swap(recipe, wrong, (pick(pool, "swap", seed, recipe.name, n),), f"ingredient{n}")
    makers = [maker for item in wrong for maker in book().by_result.get(item, ())]
    if makers:
        maker = pick(makers, "step", seed, recipe.name)
        yield _swap(recipe, wrong, maker.units[0], "step")
    if recipe.kind == "shapeless" and len(recipe.units) > 1:
        yield _changed(recipe, "count", ingredients=recipe.ingredients[:-1])
    if recipe.kind == "shaped" and len(recipe.units) > 1:
        grid = recipe.grid
        width = max(len(row) for row in grid)
        padded = [row + ((),) * (width - len(row)) for row in grid]
        yield _changed(recipe, "shape", grid=tuple(zip(*padded, strict=True)))
        yield _changed(recipe, "count", grid=(*grid[:-1], _without_last(grid[-1])))


def _without_last(row: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    last = max(n for n, cell in enumerate(row) if cell)
    return tuple(() if n == last else cell for n, cell in enumerate(row))


def _swap(recipe: Recipe, old: tuple[str, ...], new: tuple[str, ...], kind: str) -> Recipe:
    grid = tuple(tuple(new if cell == old else cell for cell in row) for row in recipe.grid)
    cells = tuple(new if cell == old else cell for cell in recipe.ingredients)
    return _changed(recipe, kind, grid=grid, ingredients=cells)


def _changed(recipe: Recipe, kind: str, **parts: Any) -> Recipe:
    return replace(recipe, name=f"believed:{recipe.name}:{kind}", **parts)
