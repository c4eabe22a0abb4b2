"""A mind for Plancraft: it plans with the recipes that it believes in and those it has read.

What is told replaces the recipes that it contradicts, and what was tried and gave something else is given up.
The order of what it considers is the order of :meth:`PlancraftMind._calls`.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from mnemocraft.envs.plancraft import Game, Recipe, RecipeBook, plan_steps
from mnemocraft.envs.plancraft import Step as CraftingStep
from mnemocraft.envs.plancraft.actions import actions_for
from mnemocraft.errors import MnemocraftError
from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.conversation import Call
from mnemocraft.surrogate.minds import Mind, Step
from mnemocraft.surrogate.minds.plancraft import telling
from mnemocraft.surrogate.minds.plancraft.beliefs import believed, revised
from mnemocraft.surrogate.minds.plancraft.history import History, Reading, read_history
from mnemocraft.surrogate.minds.plancraft.reading import (
    GRID,
    Bench,
    accepts,
    read_executable,
    read_impossible,
    read_recipes,
)

MAX_READS = 3
"""Different items it looks up in one episode."""
_GAVE_UP = re.compile(r"Gave up: ([^.]+)\.")


class PlancraftMind(Mind):
    """A crafter; ``view`` is what it takes from the conversation, None where nothing is shown."""

    @cached_property
    def view(self) -> History | None:
        """What it sees and has seen."""
        seen = self.conversation
        view = read_history(seen)
        if view is not None and not seen.tools and "Memory" in seen.blocks:
            view.readings.append(Reading("", seen.blocks["Memory"]))
        return view

    @property
    def wanted(self) -> str:
        """The item to be made."""
        return self.view.bench.target if self.view else ""

    def call(self) -> Call | None:
        """The next call of the crafting tools, or of ``act`` where that is offered."""
        if self.view is None or "act" in self.conversation.tools:
            return super().call()
        return self._first(self.view)

    def step(self) -> Step | None:
        """The next action line."""
        return self._step(self._first(self.view)) if self.view else None

    def plan(self) -> list[Step]:
        """The action lines to the end, as its recipes would have it; a slip leaves one out."""
        steps = [self._step(call) for call in self._calls(self.view)] if self.view else []
        return [s for n, s in enumerate(steps) if not self.who.slips("plan", self.conversation.turn, n)]

    def _step(self, call: Call) -> Step:
        name, arguments = call
        parts = {"slot_from": "from", "slot_to": "to", "quantity": "with quantity", "item": ""}
        words = [f"{parts[key]} {value}".strip() for key, value in arguments.items() if key in parts]
        line = f"impossible: {arguments['reason']}" if name == "impossible" else " ".join([name, *words])
        return Step(line, reason=f"This is on the way to {self.wanted}.{self.note}")

    # --- what to do -------------------------------------------------------------------------------

    def _first(self, view: History) -> Call:
        seen = self.conversation
        if self.who.slips("act", view.opening, len(seen.messages), seen.sample):
            return self._slip(view.bench)
        return next(self._calls(view))

    def _calls(self, view: History) -> Iterator[Call]:
        """What it would do, step by step to the end; at least one call."""
        bench, who = view.bench, self.who
        fresh = frozenset() if view.acted else self.conversation.tools
        if bench.output == bench.target and bench.free_slot:
            yield _take_output(bench)
        elif "read_memory" in fresh and not view.readings and who.heeds("look up", view.opening):
            yield "read_memory", {"recipe": bench.target}
        elif "think" in fresh and not view.thought and who.heeds("think first", view.opening):
            yield "think", {"thought": f"I need the steps that lead to {bench.target}, in order."}
        elif self._told_impossible(view):
            yield "impossible", {"reason": f"As told, {bench.target} cannot be made from this inventory."}
        elif copied := self._copied(view):
            yield from copied
        else:
            yield from self._planned(view)

    def _told_impossible(self, view: History) -> bool:
        """Something it read says that the target cannot be made, and it believes that."""
        return any(
            view.bench.target in read_impossible(reading.content)
            and self.who.heeds("impossible", view.opening, reading.content)
            for reading in view.readings
        )

    def _copied(self, view: History) -> list[Call]:
        """What is left of some executable steps that it has looked up, as long as they seem to fit."""
        for reading in reversed([reading for reading in view.readings if reading.query]):
            steps = read_executable(reading.content)
            if steps and self.who.heeds("steps", view.opening, reading.content):
                left = steps[_steps_done(steps, reading) :]
                if left and left[0][1] in view.bench.slots:
                    return [(verb, {"slot_from": a, "slot_to": b, "quantity": n}) for verb, a, b, n in left]
        return []

    def _planned(self, view: History) -> Iterator[Call]:
        """Plan with what it believes after reading; where that leads nowhere look something up or give up."""
        beliefs, steps = self._best_plan(view)
        if steps:
            imagined = Game(view.bench.slots, RecipeBook(dict.fromkeys(step.recipe for step in steps)))
            try:
                for actions in actions_for(steps, imagined):
                    yield from ((action["name"], action["arguments"]) for action in actions)
            except MnemocraftError as error:
                yield "impossible", {"reason": str(error)}
            return
        wanted = _unread(view, beliefs) if "read_memory" in self.conversation.tools else None
        if wanted and self.who.heeds("ask again", view.opening, wanted):
            yield "read_memory", {"recipe": wanted}
        else:
            yield "impossible", {"reason": f"The inventory does not lead to {view.bench.target}."}

    def _best_plan(self, view: History) -> tuple[RecipeBook, list[CraftingStep] | None]:
        """The recipes it goes by, and its plan for the target: None when there is none.

        A recipe that the conversation has shown to be wrong is given up, and the plan made again.
        """
        told = tuple(
            dict.fromkeys(
                recipe
                for reading in view.readings
                for recipe in read_recipes(reading.content)
                if self.who.heeds("recipe", view.opening, recipe.name)
            )
        )
        beliefs = believed(self.who.seed, self.who.knowledge)
        noted = [] if self.conversation.tools else _GAVE_UP.findall(self.conversation.own)
        disproved = frozenset(name for names in noted for name in names.split(", "))
        while True:
            recipes = revised(beliefs, told, disproved) if told or disproved else beliefs
            steps = plan_steps(view.bench.counts, view.bench.target, recipes)
            wrong = frozenset(step.recipe.name for step in steps or () if _refuted(step.recipe, view))
            if not wrong:
                self.note = f" Gave up: {', '.join(sorted(disproved))}." if disproved else ""
                return recipes, steps
            disproved |= wrong

    def _slip(self, bench: Bench) -> Call:
        """A wrong or malformed call: no such tool, a missing argument, a misplaced item, an eager craft."""
        key = (self.who.seed, len(self.conversation.messages), self.conversation.sample, bench.target)
        kind = pick(("tool", "argument", "place", "eager"), "slip", *key)
        held = sorted(slot for slot in bench.slots if slot != "0")
        if kind == "eager" and bench.output and bench.free_slot:
            return _take_output(bench)
        if kind == "tool" or not held:
            return "craft", {"item": bench.target}
        if kind == "argument":
            return "move", {"slot_from": held[0]}
        slot = pick(held, "from", *key)
        return "move", {"slot_from": slot, "slot_to": pick(GRID, "to", *key), "quantity": 1}

    # --- what is known ----------------------------------------------------------------------------

    def helps(self, memory: str) -> bool:
        """Whether the memory, with what it believes, leads to the target from this inventory."""
        bench = self.view.bench if self.view else None
        if bench is None:
            return False
        book = believed(self.who.seed, self.who.knowledge)
        if steps := read_executable(memory):
            return any(r.result == bench.target for r in telling.carried_out(bench, steps, None, book))
        told = read_recipes(memory)
        if not told:
            return False
        plan = plan_steps(bench.counts, bench.target, revised(book, told, frozenset()))
        return plan is not None and any(step.recipe.result in {r.result for r in told} for step in plan)

    def entry(self, recipe: str, answer: str) -> tuple[list[str], list[str], list[str]]:
        """Materials, steps that name items, and the other items of an expert's answer."""
        steps = read_executable(answer)
        told = list(read_recipes(answer))
        if steps and self.view:
            book = believed(self.who.seed, self.who.knowledge)
            told = telling.carried_out(self.view.bench, steps, recipe, book)
        if not told:
            lines = [f"{item} cannot be made from the current inventory." for item in read_impossible(answer)]
            return [], lines or [answer.partition("\n")[0]], []
        told = self._written(told)
        made = {r.result for r in told}
        used = list(dict.fromkeys(item for r in told for unit in r.units for item in unit))
        related = [item for item in dict.fromkeys([*used, *sorted(made)]) if item != recipe]
        return [item for item in used if item not in made], telling.moves(told), related

    def retell(self, plan: str, style: str) -> str:
        """The recipes of a plan in a style, each written down with the usual slips."""
        told = self._written(list(read_recipes(plan)))
        if not told:
            return plan.partition("\n")[0]
        if "prose" in style:
            return telling.prose(told)
        exact = "exact slots" in style and self.view
        lines = telling.executable(self.view.bench, told) if exact and self.view else telling.moves(told)
        return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1))

    def agree(self, reference: str, answer: str) -> bool:
        """Whether two texts tell the same recipes and the same executable steps."""
        same = set(read_recipes(answer)) == set(read_recipes(reference))
        return same and read_executable(answer) == read_executable(reference)

    def _written(self, told: list[Recipe]) -> list[Recipe]:
        """The recipes as written down: with a slip, one ingredient of a recipe gets lost."""
        prompt = self.conversation.prompt
        return [telling.lossy(r) if self.who.slips("write", r.name, prompt) else r for r in told]


def _take_output(bench: Bench) -> Call:
    quantity = bench.slots["0"][1]
    return "move", {"slot_from": "0", "slot_to": bench.free_slot, "quantity": quantity}


def _steps_done(steps: tuple[tuple[str, str, str, int], ...], reading: Reading) -> int:
    """How many of the steps were carried out, in order, since they were read."""
    done = 0
    for name, arguments in reading.actions:
        if done < len(steps):
            action = (name, arguments["slot_from"], arguments["slot_to"], arguments["quantity"])
            done += action == steps[done]
    return done


def _refuted(recipe: Recipe, view: History) -> bool:
    """Whether the recipe was tried in this episode and gave something else or nothing."""
    if recipe.kind == "smelting":
        return any(view.smelted.get(item, recipe.result) != recipe.result for item in recipe.inputs)
    return any(made != recipe.result and accepts(recipe, table) for table, made in view.crafted.items())


def _unread(view: History, beliefs: RecipeBook) -> str | None:
    """What it would look up next: the target, else an ingredient that it seems to lack."""
    if len(view.readings) >= MAX_READS:
        return None
    target = view.bench.target
    if not view.has_read(target):
        return target
    lacking = [
        cell[0]
        for recipe in beliefs.by_result.get(target, ())
        for cell in recipe.units
        if not any(item in view.bench.counts for item in cell) and not view.has_read(cell[0])
    ]
    return lacking[0] if lacking else None
