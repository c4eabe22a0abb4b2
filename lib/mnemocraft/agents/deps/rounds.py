"""Plans, and rounds of planning: what DEPS and its baselines do with a rollout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.agents.deps import lines, prompts, selectors
from mnemocraft.agents.deps.plan import Reading, Step
from mnemocraft.agents.rollout import MOST_UNUSABLE, Rollout, Sampling, Stopped
from mnemocraft.llm.types import Message
from mnemocraft.runs.events import Choice, Plan
from mnemocraft.worlds.world import Feedback, Goals

SAMPLING = {"": Sampling(temperature=0.0, max_tokens=2048)}
MAX_DIALOGUE_TOKENS = 8000
"""About what code-davinci-02 took, the paper's planner: re-planning ends after 7 or 8 rounds (Table 4)."""
CHARACTERS_A_TOKEN = 4
"""For the length of a dialogue, which has to be the same whatever the model."""


class Rounds:
    """A rollout in rounds: a plan, its steps, what is told about them, and a revised plan.

    Args:
        rollout: The episode.
        max_rounds: Revised plans allowed (Table 4); None for as many as the dialogue has room for.
        max_dialogue_tokens: Length of a planner's dialogue beyond which it is not asked any more.

    Attributes:
        goals: The world, if its actions are goals.
        round: Revised plans so far; for Inner Monologue failed steps.
        random: Of the selector's draws.
    """

    def __init__(
        self,
        rollout: Rollout,
        max_rounds: int | None = None,
        max_dialogue_tokens: int = MAX_DIALOGUE_TOKENS,
    ) -> None:
        self.rollout, self.world = rollout, rollout.world
        self.goals = rollout.world if isinstance(rollout.world, Goals) else None
        self.max_rounds, self.max_dialogue_tokens = max_rounds, max_dialogue_tokens
        self.round = 0
        self.random = np.random.default_rng(rollout.seed)
        rollout.count_from(("goals", "failed_goals", "unread", "dialogue_tokens", "rounds"))
        self._unread = 0
        self._guessed = False  # of the plan read last, only similarity made something
        self._items: set[str] = set()
        self._seen()

    # --- the model --------------------------------------------------------------------------------

    def question(self) -> Message:
        """The first message of every planner: task and scene, and what is remembered."""
        return prompts.user(self.task, self.scene, prompts.memory(self.rollout.recall()))

    @property
    def task(self) -> str:
        """The task in a line."""
        return f"Task: {self.world.task.goal}"

    @property
    def scene(self) -> str:
        """What is there now."""
        return self.world.observe().scene

    async def ask(self, role: str, messages: list[Message]) -> str:
        """The model's answer as ``planner``, ``explainer`` or ``parser``.

        Raises:
            Stopped: ``dialogue_full``; a planner's dialogue has become too long.
            ModelError: The request finally failed.
        """
        counts = self.rollout.counts
        if role == "planner":
            length = sum(len(message["content"]) for message in messages) // CHARACTERS_A_TOKEN
            if length > self.max_dialogue_tokens:
                raise Stopped("dialogue_full")
            counts["dialogue_tokens"] = max(length, int(counts["dialogue_tokens"]))
        return (await self.rollout.ask(role, messages)).text

    async def read_lines(self, answer: str) -> Reading:
        """The steps of a plan in words: action lines, or goals in the words of a plan.

        Where actions are goals, lines that cannot be read directly are the parser's.
        """
        texts = lines.step_lines(answer)
        if problem := lines.check(texts):
            return Reading(problem=problem)
        if self.goals:
            steps = await self._parse(texts, self.goals.version)
            return Reading(tuple(steps), "" if steps else "none of its lines is a step.")
        return Reading(tuple(Step(None, text) for text in texts))

    async def _parse(self, texts: Sequence[str], version: str) -> list[Step]:
        """What lines mean: read as they are, by the parser model, and failing that by sentence similarity.

        What the parser calls no step is left out.
        """
        read = {place: lines.read_line(text, version) for place, text in enumerate(texts)}
        unread = [place for place, step in read.items() if step is None]
        self._guessed = False
        if unread:
            asked = [texts[place] for place in unread]
            request = [prompts.parser(version), prompts.user(lines.question(asked))]
            parsed = lines.read_parsed(await self.ask("parser", request), asked, version)
            for i, place in enumerate(unread):
                read[place] = parsed[i] if i in parsed else lines.nearest(asked[i], version)
            self._guessed = len(unread) == len(texts) and not any(parsed.values())
        return [step for step in read.values() if step]

    # --- plans ------------------------------------------------------------------------------------

    def planned(self, plan: Reading) -> None:
        """Record a plan that was read.

        Raises:
            Stopped: ``no_answers``; it is one of :data:`~mnemocraft.agents.rollout.MOST_UNUSABLE` in a row of
                which nothing could be read.
        """
        self.rollout.count("unread", bool(plan.problem))
        self.rollout.log(Plan(self.round, [step.line for step in plan.steps], plan.problem))
        self._unread = 0 if plan.steps and not self._guessed else self._unread + 1
        self._guessed = False
        if self._unread >= MOST_UNUSABLE:
            raise Stopped("no_answers")

    def attempt(self, step: Step, place: int) -> Feedback:
        """Try a step of a plan.

        Args:
            step: The step.
            place: Its number in the plan, from 1 on.

        Raises:
            Stopped: The episode is over, with the world's reason.
        """
        self.rollout.count("goals")
        try:
            done = self.rollout.act(step.action, place=place, line=step.line)
        finally:
            self._seen()
            self.rollout.count("failed_goals", not self.rollout.feedback.success)
        return done

    def chosen(self, steps: Sequence[Step], choice: selectors.Choice) -> None:
        """Record that one of several steps was chosen."""
        predicted = None if choice.horizons is None else [round(float(n), 2) for n in choice.horizons]
        lines = [step.action for step in steps]
        self.rollout.log(Choice(lines, lines[choice.place], predicted, choice.looked))

    def next_round(self) -> None:
        """Begin another round. Raises Stopped: ``max_rounds``."""
        if self.max_rounds is not None and self.round >= self.max_rounds:
            raise Stopped("max_rounds")
        self.round += 1
        self.rollout.sample = self.round
        self.rollout.counts["rounds"] = self.round

    def _seen(self) -> None:
        """Items that were ever held."""
        self._items |= set(self.world.observe().inventory)
        self.rollout.counts["items"] = ",".join(sorted(self._items))
