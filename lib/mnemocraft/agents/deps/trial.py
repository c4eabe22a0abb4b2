"""One episode of any method: its world, its model, and everything that is counted and recorded.

Read :func:`play` first, then a method's own file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mnemocraft.agents.deps import lines, prompts
from mnemocraft.agents.deps.plan import Reading, Step
from mnemocraft.agents.deps.selectors import Selector
from mnemocraft.agents.deps.stage import Attempt, Stage
from mnemocraft.agents.deps.tasks import LIMITS
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Model
from mnemocraft.llm.types import Message, TokenLedger
from mnemocraft.runs import Episode

MAX_DIALOGUE_TOKENS = 8000
"""About what code-davinci-02 took, the paper's planner: re-planning ends after 7 or 8 rounds (Table 4)."""
MAX_ANSWER_TOKENS = 2048
CHARACTERS_A_TOKEN = 4
"""For the length of a dialogue, which has to be the same whatever the model."""
UNDERGROUND = ("iron_ore", "gold_ore", "redstone", "lapis_lazuli", "coal")
CODE_ROUNDS = 12
"""Revised plans that the released code allows."""
_CODE_LIMITS = {"craft": 150, "smelt": 200}


class Stopped(Exception):
    """A method ends the episode; the argument is the reason for the record."""


class Trial:
    """An episode that is being played.

    Args:
        stage: The world with its task.
        model: What answers.
        seed: Sent with every call, and of the selector's draws.
        max_rounds: Revised plans allowed (Table 4); None for as many as the dialogue has room for, and with
            the code's limits for 12.
        max_dialogue_tokens: Length of a planner's dialogue beyond which it is not asked any more.
        selector: For DEPS; None for the horizon-predictive one.
        limits: Steps allowed for a goal, and rounds: the ``paper``'s or those of the released ``code``.
        watch: Called with every event as it is recorded.

    Attributes:
        round: Revised plans so far; for Inner Monologue failed steps.
        reason: Why the episode ended; empty while it goes on.

    Raises:
        MnemocraftError: There are no such limits.
    """

    def __init__(
        self,
        stage: Stage,
        model: Model,
        seed: int = 0,
        max_rounds: int | None = None,
        max_dialogue_tokens: int = MAX_DIALOGUE_TOKENS,
        selector: Selector | None = None,
        limits: str = "paper",
        watch: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        if limits not in LIMITS:
            raise MnemocraftError(f"There are no limits {limits!r}; choose one of {', '.join(LIMITS)}.")
        self.stage, self.model, self.seed, self.selector = stage, model, seed, selector
        self.limits, self.max_dialogue_tokens = limits, max_dialogue_tokens
        self.max_rounds = CODE_ROUNDS if max_rounds is None and limits == "code" else max_rounds
        self.round, self.reason = 0, ""
        self.random = np.random.default_rng(seed)
        self.ledger = TokenLedger()
        self.trajectory: list[dict[str, Any]] = []
        self.count = dict.fromkeys(("calls", "goals", "failed_goals", "unread", "dialogue_tokens"), 0)
        self._items = set(stage.inventory)
        self._watch = watch or (lambda _: None)

    # --- the model --------------------------------------------------------------------------------

    def question(self) -> Message:
        """The first message of every planner: task and scene."""
        return prompts.user(f"Task: {prompts.task(self.stage.target)}", *self.scene())

    def scene(self) -> list[str]:
        """The lines that say what is there now."""
        return prompts.scene(self.stage.inventory, self.stage.biome)

    async def ask(self, role: str, messages: list[Message]) -> str:
        """The model's answer as ``planner``, ``explainer`` or ``parser``.

        Raises:
            Stopped: ``dialogue_full``; a planner's dialogue has become too long.
            ModelError: The request finally failed.
        """
        if role == "planner":
            length = sum(len(message["content"]) for message in messages) // CHARACTERS_A_TOKEN
            if length > self.max_dialogue_tokens:
                raise Stopped("dialogue_full")
            self.count["dialogue_tokens"] = max(length, self.count["dialogue_tokens"])
        reply = await self.model.complete(
            messages, temperature=0.0, max_tokens=MAX_ANSWER_TOKENS, seed=self.seed, sample=self.round
        )
        self.ledger.add(role, reply)
        self.count["calls"] += 1
        usage = reply.usage
        tokens = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        self.log("call", role=role, **tokens, text=reply.text)
        return reply.text

    async def read_lines(self, answer: str) -> Reading:
        """The steps of a plan in words; lines that cannot be read directly are the parser's."""
        texts = lines.step_lines(answer)
        if problem := lines.check(texts):
            return Reading(problem=problem)
        return Reading(tuple(await self._parse(texts)))

    async def _parse(self, texts: Sequence[str]) -> list[Step]:
        """What lines mean: read as they are, by the parser model, and failing that by sentence similarity."""
        version = self.stage.version
        steps = [lines.read_line(text, version) for text in texts]
        unread = [text for text, step in zip(texts, steps, strict=True) if step is None]
        if unread:
            request = [prompts.system(version, "parser"), prompts.user(lines.question(unread))]
            parsed = iter(lines.read_parsed(await self.ask("parser", request), unread, version))
            steps = [step or next(parsed) for step in steps]
        return [step or lines.nearest(text, version) for text, step in zip(texts, steps, strict=True)]

    # --- goals ------------------------------------------------------------------------------------

    def planned(self, plan: Reading) -> None:
        """Record a plan that was read."""
        steps = [step.line for step in plan.steps]
        goals = [str(step.goal) for step in plan.steps]
        self.count["unread"] += bool(plan.problem)
        self.log("plan", steps=steps, goals=goals, problem=plan.problem)

    def attempt(self, step: Step, place: int, candidates: Sequence[Goal] = ()) -> Attempt:
        """Pursue the goal of a step.

        Args:
            step: The step.
            place: Its number in the plan, from 1 on.
            candidates: The goals among which it was selected.

        Raises:
            Stopped: The episode is over: ``success``, ``death`` or ``max_steps``.
        """
        stage, goal = self.stage, step.goal
        horizons = [round(float(n), 2) for n in stage.horizon(candidates)] if len(candidates) > 1 else None
        shown = [str(candidate) for candidate in candidates] or [str(goal)]
        where = {"step": place, "goal": str(goal), "line": step.line}
        self.log("goal", **where, candidates=shown, horizons=horizons, at=stage.steps)
        done = stage.attempt(goal, goal_limit(goal, self.limits), tuple(step.needs))
        self._items |= set(stage.inventory)
        self.count["goals"] += 1
        self.count["failed_goals"] += not done.success
        outcome = {"success": done.success, "reason": done.reason, "steps": done.steps}
        self.log("outcome", step=place, **outcome, inventory=prompts.listed(stage.inventory))
        if stage.reason:
            raise Stopped(stage.reason)
        return done

    def next_round(self) -> None:
        """Begin another round. Raises Stopped: ``max_rounds``."""
        if self.max_rounds is not None and self.round >= self.max_rounds:
            raise Stopped("max_rounds")
        self.round += 1

    # --- the record -------------------------------------------------------------------------------

    def log(self, kind: str, **entry: Any) -> None:
        """Add an event to the trajectory."""
        event = {"type": kind, "round": self.round, **entry}
        self.trajectory.append(event)
        self._watch(event)

    def episode(self) -> Episode:
        """The record of the episode."""
        return Episode(
            success=self.reason == "success",
            reason=self.reason,
            steps=self.stage.steps,
            metrics={**self.count, "rounds": self.round, "items": ",".join(sorted(self._items))},
            tokens=self.ledger.roles,
            trajectory=self.trajectory,
        )


def goal_limit(goal: Goal, limits: str) -> int:
    """Steps after which a goal counts as failed.

    ``paper``: the episode lengths of Table 18 (600; 3,000 for ores; 12,000 for diamonds), by unit where a
    goal asks for several. ``code``: 150 to craft, 200 to smelt, for others only the episode's limit.
    """
    if limits == "code":
        return _CODE_LIMITS.get(goal.verb, 1_000_000)
    if goal.verb == "mine" and goal.item == "diamond":
        return 12_000
    if goal.verb == "dig" or goal.item in UNDERGROUND:
        return 3000
    return 600 * (1 if goal.verb == "place" else goal.count)
