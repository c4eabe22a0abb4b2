"""Could a model replace the templated teachers? The study behind Table 5 (Appendix C.1).

A model answers in each teacher's style from the planner's output, and a judge, the same model, says
whether the answer agrees with the template. An episode is one answer; success is a VALID verdict.
"""

from collections.abc import Sequence
from typing import Any

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.roles import RoleCaller
from mnemocraft.agents.how2.teachers import TEACHERS, in_words, templated_answer
from mnemocraft.errors import ModelError
from mnemocraft.llm import Model
from mnemocraft.llm.types import TokenLedger
from mnemocraft.runs import Condition, Episode, Stream, Study
from mnemocraft.studies.how2.load import environment, shuffled, subset
from mnemocraft.studies.how2.sweep import MAX_STEPS, STEM, TASKS, fingerprint


def study(profile: str) -> Study:
    """All four teachers on the low split, one seed."""
    tasks = shuffled(subset("low", TASKS[profile]), 0)
    conditions = [Condition(f"validation/{teacher}", {"teacher": teacher}) for teacher in TEACHERS]
    return Study(STEM, tuple(Stream(c, 0, tasks) for c in conditions), start, fingerprint())


class Validation:
    """Judges one teacher's style, task by task; nothing is remembered."""

    def __init__(self, stream: Stream, model: Model) -> None:
        self.teacher, self.seed, self.model = stream.condition.settings["teacher"], stream.seed, model

    async def episode(self, task: str) -> Episode:
        """Let the model answer for one task and judge the answer."""
        observation, _ = environment(task, MAX_STEPS).reset()
        ledger = TokenLedger()
        log: list[dict[str, Any]] = []
        try:
            reason = await self._judged(RoleCaller(self.model, ledger, self.seed), observation, log)
        except ModelError as error:
            reason = "error"
            log.append({"type": "error", "message": str(error)})
        return Episode(reason == "VALID", reason, 0, tokens=ledger.roles, trajectory=log)

    async def _judged(self, call: RoleCaller, observation: Any, log: list[dict[str, Any]]) -> str:
        target = observation["target"]
        question = f"How do I make {target} with what is in my inventory?"
        plan = templated_answer("subgoal-partially-executable", observation, target)
        reference = (
            in_words(plan)
            if self.teacher == "non-executable"
            else templated_answer(self.teacher, observation, target)
        )
        answer = await call(
            "teacher",
            prompts.render(
                "teacher_by_model",
                **prompts.teacher_styles()[self.teacher],
                context=observation["text"],
                plan=plan,
                question=question,
            ),
        )
        verdict = await call(
            "judge", prompts.render("judge", question=question, reference=reference, answer=answer)
        )
        log.append({"type": "judged", "question": question, "reference": reference, "answer": answer})
        return "VALID" if verdict.upper().startswith("VALID") else "INVALID"

    def restore(self, deltas: Sequence[Any]) -> None:
        """Nothing to restore."""


def start(stream: Stream, model: Model) -> Validation:
    """Begin a stream."""
    return Validation(stream, model)
