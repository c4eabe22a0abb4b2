"""A mind for the kitchen: a robot that prepares dishes.

It reads the text (:mod:`scene`), takes the goal to mean something (:mod:`dishes`, by its :mod:`beliefs`),
chooses sites and items (:mod:`layout`) and what to do next by fixed rules (:mod:`policy`), wrongly where it
is wrong about the kitchen (:mod:`errors`). :mod:`choosing` says what each part of a prompt adds,
:mod:`errands` thinks ahead.

The rules and recipes of the system message are not read: how much of them it has at hand is what
``knowledge`` stands for. Thinking again, when all seems done and the episode goes on, is right with the same
probability.
"""

from functools import cached_property

from mnemocraft.surrogate.minds import Mind, Step
from mnemocraft.surrogate.minds.kitchen import choosing, errands
from mnemocraft.surrogate.minds.kitchen.beliefs import Beliefs
from mnemocraft.surrogate.minds.kitchen.dishes import words
from mnemocraft.surrogate.minds.kitchen.errors import slip
from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen, read_scene


class KitchenMind(Mind):
    """A robot in a kitchen; ``scene`` is what it reads of the kitchen, None where it can make nothing out."""

    @cached_property
    def scene(self) -> SeenKitchen | None:
        """The kitchen as shown."""
        return read_scene(self.conversation.observation)

    @property
    def wanted(self) -> str:
        """The goal text."""
        return self.conversation.goal

    @cached_property
    def beliefs(self) -> Beliefs:
        """Its beliefs, with the lessons in its notes that it heeds this time."""
        return choosing.beliefs_for(self.conversation, self.who)

    def plan(self) -> list[Step]:
        """The actions to the end, as it imagines them."""
        steps = []
        for n, (scene, act) in enumerate(errands.imagined(self.scene, self.beliefs) if self.scene else ()):
            line = act.text(scene)
            if self.who.slips("plan", self.beliefs.moment, n):
                line = slip(self.conversation.valid, line, self.beliefs)
            steps.append(Step(line, after=act.expected(scene).strip()))
        return steps

    def step(self) -> Step | None:
        """One action that nothing speaks against; None when it thinks that all is done."""
        seen = self.conversation
        if self.scene is None:
            return Step("Do nothing", reason="I cannot see the kitchen.")
        scene = choosing.seen(self.scene, self.beliefs)
        beliefs = self.beliefs.learns(choosing.taught(scene, seen, self.beliefs))
        beliefs, layout = choosing.survey(scene, seen, beliefs)
        if layout.done and not seen.valid:
            return None
        idea, beliefs = choosing.choose(scene, layout, seen, beliefs)
        action = choosing.written(idea, seen, beliefs)
        self.progress = "; ".join(f"{s.dish.name} on {s.station}: {s.built} layers" for s in layout.sites)
        self.note = choosing.note(seen, beliefs)
        wanted = ", ".join(want.need.kind for want in layout.wants) or "nothing"
        return Step(action, reason=f"Still wanted: {wanted}. Next: {action}.{self.note}")

    def subtasks(self) -> list[str]:
        """Errands for the whole goal, or the actions of the errand that is the current task."""
        seen, beliefs, scene = self.conversation, self.beliefs, self.scene
        if scene is None:
            return []
        task = errands.ERRAND.fullmatch(seen.blocks.get("Current Task", ""))
        if task is not None:
            left = errands.child(scene, seen, beliefs, task)
        else:
            beliefs, left = errands.root(scene, seen, beliefs)
        self.note = choosing.note(seen, beliefs)
        if left and self.who.slips("subtasks", beliefs.moment):
            left = [slip(seen.valid, left[0], beliefs), *left[1:]]
        return left

    def helps(self, memory: str) -> bool:
        """Whether a memory names a dish or an ingredient of the goal."""
        return bool(words(memory) & words(self.wanted)) and self.who.heeds("relevance", self.wanted, memory)
