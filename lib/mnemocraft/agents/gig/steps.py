"""Choosing one action after another: what ReAct, ReCAP and GiG have in common."""

from collections.abc import Sequence
from typing import NamedTuple

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import NO_ACTION, grammar, read_action
from mnemocraft.agents.rollout import Rollout, Sampling, Stopped
from mnemocraft.llm.types import Message
from mnemocraft.worlds.world import Feedback, Observation

SAMPLING = {"": Sampling(temperature=0.0, max_tokens=4096)}
"""Of every call (GiG, section 4.1)."""
FIELDS = ("Reasoning", "Action")
"""Parts of an answer, at least."""
IN_VAIN = "That took no step and changed nothing."
MAX_TRIES = 5
"""Invalid answers in a row after which a try at a step counts as failed."""
MAX_FAILED = 3
"""Failed tries at a step, anywhere in an episode, that end it; both limits are the benchmark's own."""


class Choice(NamedTuple):
    """An action that can be tried, the answer that named it, and the messages that it answered."""

    action: str
    answer: str
    messages: list[Message]


class Steps:
    """A rollout step by step: answers that name no possible action take no step, and too many of them end it.

    An action that takes no step counts as such an answer, too.

    Attributes:
        observation: The last one.
        error: What was wrong with the last answer or action, in one sentence; empty if nothing was.
    """

    def __init__(self, rollout: Rollout) -> None:
        self.rollout = rollout
        rollout.count_from(("invalid_actions", "loops", "retrieved", "followed"))
        rollout.counts["branching"] = 0.0
        self.error = ""
        self._tries = self._failed = self._listed = 0
        self.observation: Observation = rollout.world.observe()

    async def ask(self, messages: list[Message], about: str = "", fields: Sequence[str] = ()) -> str:
        """The planner's answer, of these fields if it is held. Raises ModelError when the request fails."""
        actions = self.observation.actions if fields and self.rollout.sampling("planner").held else None
        form = grammar(actions, fields) if actions else None
        return (await self.rollout.ask("planner", messages, about=about, grammar=form)).text

    async def choose(
        self, history: list[Message], blocks: Sequence[str], fields: Sequence[str] = FIELDS
    ) -> Choice:
        """Ask until an answer names an action that can be tried.

        Args:
            history: The messages before.
            blocks: Of the message to send, which begins with the error feedback if something was wrong.
            fields: Of an answer, as the prompt has them.

        Raises:
            Stopped: ``invalid_actions``, after ``MAX_TRIES`` invalid answers at a step for the
                ``MAX_FAILED``-th time.
            ModelError: The request finally failed.
        """
        while True:
            messages = [*history, prompts.message([prompts.feedback(self.error), *blocks])]
            answer = await self.ask(messages, fields=fields)
            action = read_action(answer)
            error = self.rollout.world.check(action) if action else NO_ACTION
            if not error:
                return Choice(action, answer, messages)
            self.reject(error)
            self._limit()

    def reject(self, error: str) -> None:
        """Count an answer that could not be used, and record the sentence that says why."""
        self.error = error
        self.rollout.count("invalid_actions")
        self.rollout.sample += 1
        self.rollout.note("feedback", error)

    def _limit(self) -> None:
        self._tries += 1
        if self._tries == MAX_TRIES:
            self._tries, self._failed = 0, self._failed + 1
        if self._failed == MAX_FAILED:
            raise Stopped("invalid_actions")

    def act(self, action: str) -> Feedback:
        """Try an action and look again. Raises Stopped when the episode is over."""
        rollout = self.rollout
        self._listed += len(self.observation.actions or ())
        try:
            feedback = rollout.act(action)
        finally:
            if steps := rollout.world.steps:
                rollout.counts["branching"] = round(self._listed / steps, 3)
        if feedback.steps:
            self._tries, self.rollout.sample, self.error = 0, 0, feedback.failure
        else:
            self.reject(feedback.failure or IN_VAIN)
            self._limit()
        self.observation = rollout.world.observe()
        return feedback
