"""MindStores (Algorithm 1): plan from experience, foresee, revise, act, remember."""

from __future__ import annotations

from dataclasses import dataclass

from mnemocraft.agents.deps import prompts as deps_prompts
from mnemocraft.agents.deps.deps import Report, carry_out, describe, explain, read
from mnemocraft.agents.deps.plan import Reading
from mnemocraft.agents.deps.prompts import assistant, user
from mnemocraft.agents.deps.rounds import MAX_DIALOGUE_TOKENS as DEPS_DIALOGUE_TOKENS
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.agents.deps.selectors import Selector
from mnemocraft.agents.mindstores import prompts
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.llm.types import Message
from mnemocraft.memory.interface import Cue
from mnemocraft.memory.none import NoMemory
from mnemocraft.worlds.world import Goals

MAX_REVISIONS = 3
"""Revisions of a plan before it is tried; the paper prints no bound, and a model could go on for ever."""
MAX_DIALOGUE_TOKENS = 32_000
"""Length of a planner's dialogue with a memory, and of the control's that makes as many calls; else DEPS's
own limit holds."""


@dataclass(frozen=True)
class Settings:
    """Which parts of the algorithm are on.

    Attributes:
        insights: Experiences are analysed before planning (line 2).
        revisions: Revisions of a plan whose failure is predicted (lines 4 to 11); 0 predicts nothing.
        unaided: All of the calls are made also where nothing is remembered: the control that costs as much.
    """

    insights: bool = True
    revisions: int = MAX_REVISIONS
    unaided: bool = False


async def mindstores(
    rollout: Rollout,
    settings: Settings | None = None,
    max_rounds: int | None = None,
    selector: Selector | None = None,
) -> None:
    """Algorithm 1 for every plan of DEPS's rounds, until it is stopped.

    Without a memory it sends what DEPS sends, request for request.

    Args:
        rollout: The episode, in a world whose actions are goals.
        settings: Which parts are on; None for all.
        max_rounds: Plans after the first that may be carried out; None for as many as there is room for.
        selector: Of parallel goals; None for the order of the plan.
    """
    mind = _Mind(rollout, settings or Settings(), max_rounds)
    rounds = mind.rounds
    dialogue = [deps_prompts.planner(rollout.world, "deps")]
    lines, end = [rounds.task, rounds.scene], ""
    while True:
        start = rollout.cue()
        known = await mind.remember()  # lines 1 and 2
        dialogue.append(user(*lines, *known, end))
        answer = await rounds.ask("planner", dialogue)  # line 3
        answer, plan = await mind.foresee(dialogue, answer)  # lines 4 to 11
        rounds.planned(plan)
        try:
            report = carry_out(rounds, plan, selector)  # line 12
        except Stopped:
            await mind.store(start, plan, None)
            raise
        await mind.store(start, plan, report)  # line 13
        rounds.next_round()
        lines = describe(rounds, plan, report)
        if report.step:
            lines.append(await explain(rounds, report, answer))
        end = mind.again
        dialogue.append(assistant(answer))


class _Mind:
    """The calls that DEPS does not make."""

    def __init__(self, rollout: Rollout, settings: Settings, max_rounds: int | None) -> None:
        assert isinstance(rollout.world, Goals)  # as the agent needs
        self.rollout, self.settings, self.world = rollout, settings, rollout.world
        self._keeps = type(rollout.memory) is not NoMemory
        room = MAX_DIALOGUE_TOKENS if self._keeps or settings.unaided else DEPS_DIALOGUE_TOKENS
        self.rounds = Rounds(rollout, max_rounds, room)
        self._shown: set[str] = set()
        rollout.count_from(("recalled", "insights", "predictions", "revisions"))

    async def remember(self) -> list[str]:
        """Similar experiences that the dialogue does not have yet, and the insights drawn from them."""
        hits = [hit for hit in self.rollout.recall() if hit.text not in self._shown]
        self._shown |= {hit.text for hit in hits}
        self.rollout.count("recalled", len(hits))
        memory = deps_prompts.memory(hits)
        if not self.settings.insights or not (hits or self.settings.unaided):
            return [memory]
        found = prompts.insights(await self._ask("analyst", self.rounds.task, self.rounds.scene, memory))
        self.rollout.count("insights", len(found))
        self.rollout.note("insights", "\n".join(found))
        return [memory, *found]

    async def foresee(self, dialogue: list[Message], answer: str) -> tuple[str, Reading]:
        """Revise a plan while its failure is predicted; the answer and the plan that is to be tried."""
        plan, draft = await read(self.rounds, answer), list(dialogue)
        for _ in range(self.settings.revisions):
            if not plan.steps or not (prediction := await self._predict(plan)):
                break
            draft += [assistant(answer), user(f"Prediction: {prediction}", self.again)]
            self.rollout.count("revisions")
            answer = await self.rounds.ask("planner", draft)
            plan = await read(self.rounds, answer)
        return answer, plan

    async def _predict(self, plan: Reading) -> str:
        """The prediction of failure from what became of similar plans; empty if there is none."""
        steps = prompts.told(plan)
        hits = self.rollout.recall(plan=steps)
        if not hits and not self.settings.unaided:
            return ""
        shown = (self.rounds.task, self.rounds.scene, f"Plan: {steps}", deps_prompts.memory(hits))
        prediction = prompts.after("Prediction:", await self._ask("predictor", *shown))
        self.rollout.count("predictions")
        self.rollout.note("prediction", prediction)
        return prediction if prompts.predicts_failure(prediction) else ""

    async def store(self, start: Cue, plan: Reading, report: Report | None) -> None:
        """Have the outcome of a plan evaluated, and keep it; ``report`` is None if the episode ended."""
        if not plan.steps or not (self._keeps or self.settings.unaided):
            return
        steps, success = prompts.told(plan), self.rollout.world.success
        answer = await self._ask(
            "evaluator",
            self.rounds.task,
            f"Before: {start.scene}",
            f"After: {self.rounds.scene}",
            f"Plan: {steps}",
            *self._result(report),
        )
        outcome = f"{'Success' if success else 'Failure'}: {prompts.after('|', answer)}"
        self.rollout.note("outcome", outcome)
        self.rollout.experience(start, steps, outcome, success)

    def _result(self, report: Report | None) -> list[str]:
        if report is None:
            return [f"Result: {self.world.reason}", f"Message: {self.rollout.feedback.failure}"]
        if report.step is None:
            return [f"Result: the plan is done, and the inventory has {self.world.lacking()}"]
        done = deps_prompts.done(sorted(report.done))
        return [f"Result: step {report.failed} failed. {done}", f"Failed step: {report.step.action}",
                f"Message: {report.reason}"]  # fmt: skip

    @property
    def again(self) -> str:
        """The last line of a message that asks for another plan."""
        return f"Correct the plan for the task: {self.world.task.goal}"

    async def _ask(self, role: str, *lines: str) -> str:
        return await self.rounds.ask(role, [prompts.system(role, self.world), user(*lines)])
