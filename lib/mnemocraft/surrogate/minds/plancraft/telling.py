"""Recipes in words: as steps that name items, as prose, as moves between slots; and back from moves."""

from collections.abc import Iterable

from mnemocraft.envs.plancraft import Game, Recipe, RecipeBook, plan_steps
from mnemocraft.envs.plancraft.actions import actions_for
from mnemocraft.surrogate.minds.plancraft.reading import GRID, WORDS, Bench, accepts, shaped, smelting


def moves(told: Iterable[Recipe]) -> list[str]:
    """Recipes as steps that name items and grid slots."""
    lines = []
    for recipe in told:
        if recipe.kind == "smelting":
            lines.append(f"smelt 1 {recipe.units[0][0]} into {recipe.result}, in a free inventory slot")
            continue
        cells = next(recipe.placements())
        lines += [f"move 1 {allowed[0]} to {GRID[cell]}" for cell, allowed in sorted(cells.items())]
        lines.append(f"move {recipe.count} {recipe.result} from slot 0 to a free inventory slot")
    return lines


def carried_out(
    bench: Bench, steps: tuple[tuple[str, str, str, int], ...], goal: str | None, recipes: RecipeBook
) -> list[Recipe]:
    """The recipes behind executable steps, played through in the mind on the inventory shown.

    Products are known where ``recipes`` cover them; with ``goal``, the last product is that.
    Steps that do not fit the inventory end the account.
    """
    slots = dict(bench.slots)
    crafts = sum(slot_from == "0" for _, slot_from, _, _ in steps)
    told: list[Recipe] = []
    for verb, slot_from, slot_to, quantity in steps:
        if slot_from == "0":
            crafts -= 1
            cells = {n: slots[slot][0] for n, slot in enumerate(GRID) if slot in slots}
            table = tuple(cells.get(n) for n in range(9))
            known = [r.result for r in recipes.recipes if accepts(r, table)]
            item = goal if goal and not crafts else (known[0] if known else None)
            if not cells or item is None:
                break
            told.append(shaped(item, quantity, cells))
            for slot in GRID:
                _remove(slots, slot, 1)
        elif slot_from not in slots or slots[slot_from][1] < quantity:
            break
        elif verb == "smelt":
            ore = slots[slot_from][0]
            smelts = recipes.smelts.get(ore)
            item = goal if goal and steps[-1][0] == "smelt" and len(steps) == 1 else None
            item = item or (smelts.result if smelts else None)
            if item is None:
                break
            told.append(smelting(item, ore))
            _remove(slots, slot_from, quantity)
        else:
            item = slots[slot_from][0]
            _remove(slots, slot_from, quantity)
        slots[slot_to] = (item, quantity + (slots[slot_to][1] if slot_to in slots else 0))
    return list(dict.fromkeys(told))


def _remove(slots: dict[str, tuple[str, int]], slot: str, quantity: int) -> None:
    if slot in slots:
        item, held = slots.pop(slot)
        if held > quantity:
            slots[slot] = (item, held - quantity)


def lossy(recipe: Recipe) -> Recipe:
    """A recipe of which one ingredient got lost."""
    if recipe.kind == "smelting" or len(recipe.units) == 1:
        return recipe
    cells = {cell: allowed[0] for cell, allowed in next(recipe.placements()).items()}
    cells.popitem()
    return shaped(recipe.result, recipe.count, cells)


def prose(told: list[Recipe]) -> str:
    """Recipes in one paragraph without slots."""
    sentences = []
    for recipe in told:
        if recipe.kind == "smelting":
            sentences.append(f"smelt 1 {recipe.units[0][0]} into {recipe.result} for each one needed.")
            continue
        cells = next(recipe.placements())
        places = [f"put 1 {allowed[0]} at the {WORDS[cell]}" for cell, allowed in sorted(cells.items())]
        sentences.append(
            f"{', '.join(places)}, and take {recipe.count} {recipe.result} from the output slot."
        )
    return "First " + " Then ".join(sentences)


def executable(bench: Bench, told: list[Recipe]) -> list[str]:
    """The recipes as moves between slots, as far as they lead to the target from what is held."""
    recipes = RecipeBook(told)
    steps = plan_steps(bench.counts, bench.target, recipes) or []
    return [
        f"{action['name']} from {a['slot_from']} to {a['slot_to']} with quantity {a['quantity']}"
        for actions in actions_for(steps, Game(bench.slots, recipes))
        for action in actions
        for a in (action["arguments"],)
    ]
