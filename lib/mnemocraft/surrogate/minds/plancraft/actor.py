"""The surrogate as the Actor of How2: which tool it calls next, from the messages alone.

The order of what it considers is the order of :func:`next_call`.
"""

from collections.abc import Set
from typing import Any

from mnemocraft.envs.plancraft import Game, Recipe, RecipeBook, Step, plan_steps
from mnemocraft.envs.plancraft.actions import actions_for
from mnemocraft.errors import MnemocraftError
from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.plancraft.beliefs import believed, revised
from mnemocraft.surrogate.minds.plancraft.dialogue import Dialogue, Reading
from mnemocraft.surrogate.minds.plancraft.reading import (
    GRID,
    Scene,
    accepts,
    read_executable,
    read_impossible,
    read_recipes,
)

Call = tuple[str, dict[str, Any]]
"""Tool name and arguments."""
MAX_READS = 3
"""Different items it looks up in one episode."""


def next_call(view: Dialogue, tools: Set[str], who: Competence, turn: int, sample: int) -> Call:
    """The tool call of one turn.

    Args:
        view: The dialogue as read.
        tools: Names of the tools on offer.
        who: The surrogate's competence.
        turn: Number of messages so far; with ``sample`` it makes slips independent.
        sample: Repeat index of the request.
    """
    if who.slips("act", view.opening, turn, sample):
        return _slip(view.scene, who, turn, sample)
    scene = view.scene
    if scene.output == scene.target and scene.free_slot:
        return _take_output(scene)
    if "read_memory" in tools and not view.acted and not view.readings and who.heeds("look up", view.opening):
        return "read_memory", {"recipe": scene.target}
    if "think" in tools and not view.acted and not view.thought and who.heeds("think first", view.opening):
        return "think", {"thought": f"I need the steps that lead to {scene.target}, in order."}
    if _told_impossible(view, who):
        return "impossible", {"reason": f"As told, {scene.target} cannot be made from this inventory."}
    copied = _copied_step(view, who)
    if copied is not None:
        return copied
    return _planned(view, tools, who)


def _take_output(scene: Scene) -> Call:
    quantity = scene.slots["0"][1]
    return "move", {"slot_from": "0", "slot_to": scene.free_slot, "quantity": quantity}


def _told_impossible(view: Dialogue, who: Competence) -> bool:
    """Something it read says that the target cannot be made, and it believes that."""
    return any(
        view.scene.target in read_impossible(reading.content)
        and who.heeds("impossible", view.opening, reading.content)
        for reading in view.readings
    )


def _copied_step(view: Dialogue, who: Competence) -> Call | None:
    """The next of some executable steps it has read, as long as they seem to fit."""
    for reading in reversed(view.readings):
        steps = read_executable(reading.content)
        if steps and who.heeds("steps", view.opening, reading.content):
            done = _steps_done(steps, reading)
            if done < len(steps) and steps[done][1] in view.scene.slots:
                verb, slot_from, slot_to, quantity = steps[done]
                return verb, {"slot_from": slot_from, "slot_to": slot_to, "quantity": quantity}
    return None


def _steps_done(steps: tuple[tuple[str, str, str, int], ...], reading: Reading) -> int:
    """How many of the steps were carried out, in order, since they were read."""
    done = 0
    for name, arguments in reading.actions:
        if done < len(steps):
            action = (name, arguments["slot_from"], arguments["slot_to"], arguments["quantity"])
            done += action == steps[done]
    return done


def _planned(view: Dialogue, tools: Set[str], who: Competence) -> Call:
    """Plan with what it believes after reading; where that leads nowhere look something up or give up."""
    scene = view.scene
    beliefs, steps = best_plan(view, who)
    if steps:
        return _first_action(scene, steps)
    wanted = _unread(view, beliefs) if "read_memory" in tools else None
    if wanted and who.heeds("ask again", view.opening, wanted):
        return "read_memory", {"recipe": wanted}
    return "impossible", {"reason": f"The inventory does not lead to {scene.target}."}


def best_plan(view: Dialogue, who: Competence) -> tuple[RecipeBook, list[Step] | None]:
    """The recipes it goes by, and its plan for the target: None when there is none.

    A recipe that the dialogue has shown to be wrong is given up, and the plan made again.
    """
    told = tuple(
        dict.fromkeys(
            recipe
            for reading in view.readings
            for recipe in read_recipes(reading.content)
            if who.heeds("recipe", view.opening, recipe.name)
        )
    )
    beliefs = believed(who.seed, who.knowledge)
    disproved: frozenset[str] = frozenset()
    while True:
        recipes = revised(beliefs, told, disproved) if told or disproved else beliefs
        steps = plan_steps(view.scene.counts, view.scene.target, recipes)
        wrong = frozenset(step.recipe.name for step in steps or () if _refuted(step.recipe, view))
        if not wrong:
            return recipes, steps
        disproved |= wrong


def _refuted(recipe: Recipe, view: Dialogue) -> bool:
    """Whether the recipe was tried in this episode and gave something else or nothing."""
    if recipe.kind == "smelting":
        return any(view.smelted.get(item, recipe.result) != recipe.result for item in recipe.inputs)
    return any(made != recipe.result and accepts(recipe, table) for table, made in view.crafted.items())


def _first_action(scene: Scene, steps: list[Step]) -> Call:
    believed_game = Game(scene.slots, RecipeBook(dict.fromkeys(step.recipe for step in steps)))
    try:
        action = next(actions_for(steps, believed_game))[0]
    except MnemocraftError as error:
        return "impossible", {"reason": str(error)}
    return action["name"], action["arguments"]


def _unread(view: Dialogue, beliefs: RecipeBook) -> str | None:
    """What it would look up next: the target, else an ingredient that it seems to lack."""
    if len(view.readings) >= MAX_READS:
        return None
    target = view.scene.target
    if not view.has_read(target):
        return target
    lacking = [
        cell[0]
        for recipe in beliefs.by_result.get(target, ())
        for cell in recipe.units
        if not any(item in view.scene.counts for item in cell) and not view.has_read(cell[0])
    ]
    return lacking[0] if lacking else None


def _slip(scene: Scene, who: Competence, turn: int, sample: int) -> Call:
    """A wrong or malformed call: no such tool, a missing argument, a misplaced item, an eager craft."""
    key = (who.seed, turn, sample, scene.target)
    kind = pick(("tool", "argument", "place", "eager"), "slip", *key)
    held = sorted(slot for slot in scene.slots if slot != "0")
    if kind == "eager" and scene.output and scene.free_slot:
        return _take_output(scene)
    if kind == "tool" or not held:
        return "craft", {"item": scene.target}
    if kind == "argument":
        return "move", {"slot_from": held[0]}
    slot = pick(held, "from", *key)
    return "move", {"slot_from": slot, "slot_to": pick(GRID, "to", *key), "quantity": 1}
