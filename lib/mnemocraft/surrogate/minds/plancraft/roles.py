"""The surrogate in the other roles of How2: Ask, Relevance, Parse, Teacher and Judge."""

import re
from collections.abc import Iterable

from mnemocraft.envs.plancraft import Game, Recipe, RecipeBook, plan_steps
from mnemocraft.envs.plancraft.actions import actions_for
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.plancraft.beliefs import believed, revised
from mnemocraft.surrogate.minds.plancraft.reading import (
    GRID,
    WORDS,
    Scene,
    accepts,
    read_executable,
    read_impossible,
    read_recipes,
    read_scene,
    shaped,
    smelting,
)


def answer(prompt: str, who: Competence) -> str:
    """The answer to a prompt of one of the roles, told apart by what it asks for."""
    if prompt.rstrip().endswith("Return the question and nothing else."):
        return ask(prompt)
    if "Does this memory help to reach the goal" in prompt:
        return relevance(prompt, who)
    if "as an entry for the memory" in prompt:
        return parse(prompt, who)
    if "who explains crafting to a beginner" in prompt:
        return explain(prompt, who)
    if "who answers how-to questions about crafting" in prompt:
        return restate(prompt, who)
    if "Reply VALID or INVALID" in prompt:
        return judge(prompt, who)
    return "I do not understand the question."


def _section(prompt: str, title: str) -> str:
    """The text under a ``# heading``, up to the next one or to the closing line."""
    match = re.search(rf"^# {title}[^\n]*\n(.*?)(?=^# |\Z)", prompt, re.MULTILINE | re.DOTALL)
    return match.group(1).strip() if match else ""


def ask(prompt: str) -> str:
    """A how-to question about the item that the prompt names."""
    match = re.search(r"to an expert about (.+?)\.$", prompt, re.MULTILINE)
    return f"How do I make {match.group(1) if match else 'it'} with what is in my inventory?"


def relevance(prompt: str, who: Competence) -> str:
    """Yes when the memory, with what it believes, leads to the goal from this inventory."""
    scene, memory = read_scene(_section(prompt, "Situation")), _section(prompt, "Memory")
    assert scene is not None, "a relevance prompt shows the situation"
    helps = _leads_to_target(scene, memory, who)
    if who.slips("relevance", prompt):
        helps = not helps
    return "yes" if helps else "no"


def _leads_to_target(scene: Scene, memory: str, who: Competence) -> bool:
    steps = read_executable(memory)
    if steps:
        return any(recipe.result == scene.target for recipe in _carried_out(scene, steps, None, who))
    told = read_recipes(memory)
    if not told:
        return False
    recipes = revised(believed(who.seed, who.knowledge), told, frozenset())
    plan = plan_steps(scene.counts, scene.target, recipes)
    return plan is not None and any(step.recipe.result in {r.result for r in told} for step in plan)


def parse(prompt: str, who: Competence) -> str:
    """A memory entry in four sections that names items instead of inventory slots."""
    match = re.search(r"^RECIPE: (\S+)", prompt, re.MULTILINE)
    recipe = match.group(1) if match else "unknown"
    text = _section(prompt, "Answer of the expert")
    scene = read_scene(_section(prompt, "Situation"))
    steps = read_executable(text)
    told = _carried_out(scene, steps, recipe, who) if steps and scene else list(read_recipes(text))
    if not told:
        lines = [f"{item} cannot be made from the current inventory." for item in read_impossible(text)]
        return _entry(recipe, [], lines or [text.splitlines()[0]], [])
    told = _garbled(told, who, prompt)
    made = {r.result for r in told}
    used = list(dict.fromkeys(item for r in told for unit in r.units for item in unit))
    related = [item for item in dict.fromkeys([*used, *sorted(made)]) if item != recipe]
    return _entry(recipe, [item for item in used if item not in made], _steps(told), related)


def _entry(recipe: str, materials: list[str], steps: list[str], related: list[str]) -> str:
    numbered = [f"{n}. {line}" for n, line in enumerate(steps, start=1)]
    needs = [f"- {item}" for item in materials]
    return "\n".join(
        [f"RECIPE: {recipe}", "REQUIREMENTS:", *needs, "PROCEDURE:", *numbered, f"RELATED ITEMS: {related}"]
    )


def _steps(told: Iterable[Recipe]) -> list[str]:
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


def _carried_out(
    scene: Scene, steps: tuple[tuple[str, str, str, int], ...], goal: str | None, who: Competence
) -> list[Recipe]:
    """The recipes behind executable steps, played through in the mind on the inventory shown.

    Products are known where the beliefs cover them; with ``goal``, the last product is that.
    Steps that do not fit the inventory end the account.
    """
    recipes = believed(who.seed, who.knowledge)
    slots = dict(scene.slots)
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


def _garbled(told: list[Recipe], who: Competence, *key: object) -> list[Recipe]:
    """The recipes as written down: with a slip, one ingredient of a recipe gets lost."""
    return [_lossy(recipe) if who.slips("write", recipe.name, *key) else recipe for recipe in told]


def _lossy(recipe: Recipe) -> Recipe:
    if recipe.kind == "smelting" or len(recipe.units) == 1:
        return recipe
    cells = {cell: allowed[0] for cell, allowed in next(recipe.placements()).items()}
    cells.popitem()
    return shaped(recipe.result, recipe.count, cells)


def explain(prompt: str, who: Competence) -> str:
    """The plan in one paragraph without slots."""
    plan = _section(prompt, "Plan")
    told = _garbled(list(read_recipes(plan)), who, prompt)
    return _prose(told) if told else plan.splitlines()[0]


def _prose(told: list[Recipe]) -> str:
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


def restate(prompt: str, who: Competence) -> str:
    """The plan in the style asked for, each recipe of it written down with the usual slips."""
    plan, scene = _section(prompt, "Plan"), read_scene(_section(prompt, "Situation"))
    told = _garbled(list(read_recipes(plan)), who, prompt)
    if not told or scene is None:
        return plan.splitlines()[0]
    style = prompt.partition("Style of your answers:")[2].partition("\n")[0]
    if "prose" in style:
        return _prose(told)
    lines = _executable_lines(scene, told) if "exact slots" in style else _steps(told)
    return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1))


def _executable_lines(scene: Scene, told: list[Recipe]) -> list[str]:
    """The recipes as moves between slots, as far as they lead to the target from what is held."""
    recipes = RecipeBook(told)
    steps = plan_steps(scene.counts, scene.target, recipes) or []
    return [
        f"{action['name']} from {a['slot_from']} to {a['slot_to']} with quantity {a['quantity']}"
        for actions in actions_for(steps, Game(scene.slots, recipes))
        for action in actions
        for a in (action["arguments"],)
    ]


def judge(prompt: str, who: Competence) -> str:
    """VALID when answer and reference tell the same steps."""
    reference, text = _section(prompt, "Reference"), _section(prompt, "Answer")
    same = set(read_recipes(text)) == set(read_recipes(reference))
    same = same and read_executable(text) == read_executable(reference)
    if who.slips("judge", prompt):
        same = not same
    return "VALID" if same else "INVALID"
