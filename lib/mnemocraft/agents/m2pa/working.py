"""Working memory: prompts composed of what is seen, remembered and reflected (section 2.2.3, A.2)."""

from __future__ import annotations

from string import Template

from mnemocraft.agents.m2pa.answers import Answer, Reflection, SubGoal, read
from mnemocraft.agents.prompts import one_line, text
from mnemocraft.agents.rollout import Rollout
from mnemocraft.llm.types import Message
from mnemocraft.worlds.minecraft import example_names, listed
from mnemocraft.worlds.world import Goals

LONGEST_REFLECTION, REFLECTIONS = 600, 12
"""Characters of a reflection, and how many of an episode stay in the prompts: the last ones."""


class Working:
    """Prompts of an episode.

    Args:
        rollout: In a world whose actions are goals.
        sees: Sensory memory: whether the prompts show what is there, each time anew.
        works: Whether they carry what is remembered, what was reached, and reflections; without that every
            prompt stands alone.

    Attributes:
        reflections: On what failed, in order.
        reached: Items of the sub-goals that were reached.
    """

    def __init__(self, rollout: Rollout, sees: bool = True, works: bool = True) -> None:
        assert isinstance(rollout.world, Goals)  # as the agents need
        self.rollout, self.goals, self.sees, self.works = rollout, rollout.world, sees, works
        self.reflections: list[str] = []
        self.reached: list[str] = []
        names = ("goals", "failed_goals", "unread", "rounds", "reflections", "recalled")
        rollout.count_from(names)

    async def ask(self, role: str, kind: type[Answer], *lines: str) -> tuple[Answer | None, str]:
        """A role's answer to a prompt of some lines, or what is wrong with it.

        Raises:
            ModelError: The request finally failed.
        """
        version = self.goals.version
        form = Template(text("m2pa", role)).substitute(example_names(version))
        messages: list[Message] = [
            {"role": "system", "content": f"{self.rollout.world.guide}\n{form}"},
            {"role": "user", "content": "\n".join(line for line in lines if line)},
        ]
        answer, problem = read((await self.rollout.ask(role, messages)).text, kind)
        self.rollout.count("unread", bool(problem))
        return answer, problem

    @property
    def task(self) -> str:
        """The whole task in a line."""
        return f"Task: {self.rollout.world.task.goal}"

    def scene(self, assumed: str = "") -> str:
        """The visual buffer as text, as the models take no pictures; without eyes what should be there."""
        if self.sees:
            return self.rollout.world.observe().scene
        return f"Inventory: not seen{f'; there should be {assumed}' if assumed else ''}"

    def context(self, query: str = "") -> list[str]:
        """References for selection: plans that worked in such situations; then reflections and progress."""
        if not self.works:
            return []
        hits = self.rollout.recall(query)
        self.rollout.count("recalled", bool(hits))
        known = [f"Experience: {one_line(hit.text)}" for hit in hits]
        done = [f"Sub-goals reached: {', '.join(self.reached)}"] if self.reached else []
        return [*done, *known, *self.reflections[-REFLECTIONS:]]

    def about(self, goal: SubGoal) -> list[str]:
        """A sub-goal as the template has it: the units to have in the end, and what it takes."""
        materials = listed(goal.materials)
        taken = [part for part in (materials if goal.materials else "", goal.tool, goal.platform) if part]
        there = self.rollout.world.observe().inventory.get(goal.task, 0) if self.sees else 0
        return [
            f"Task: obtain {there + goal.quantity} {goal.task}",
            f"Whole task: {self.rollout.world.task.goal}",
            f"Materials: {materials}",
            f"Tool: {goal.tool or 'none'}",
            f"Platform: {goal.platform or 'none'}",
            self.scene(", ".join(part if " " in part else f"1 {part}" for part in taken)),
        ]

    async def reflect(self, why: str, last: str, message: str = "") -> None:
        """The reflector looks at what was done last: after a failure, at an obstacle, or now and then.

        It is told no memories, which the paper's is (section 2.1).

        Args:
            why: ``failure``, ``obstacle`` or ``period``.
            last: What was done.
            message: What the world said, or what is wrong with a plan.
        """
        self.rollout.count("reflections")
        told = f"Message: {message}" if message else ""
        answer, _ = await self.ask("reflection", Reflection, self.task, f"Last: {last}", told, self.scene())
        said = one_line(answer.reflection)[:LONGEST_REFLECTION] if answer else ""
        self.rollout.note(f"reflection ({why})", said)
        if said and not (answer and answer.achieved):
            self.reflections.append(f'Reflection on "{last}": {said}')
