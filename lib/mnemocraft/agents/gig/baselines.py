"""ReAct and CoT, the two baselines without a memory beside the conversation."""

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import action_error, read_steps
from mnemocraft.agents.gig.episode import Stopped, Trial
from mnemocraft.llm.types import Message


class ReAct:
    """Reasons and acts in turn, with every earlier observation and answer in the prompt (Yao et al. 2023).

    Invalid answers are left out of the history: their feedback is in the message that was answered at last.
    """

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.history: list[Message] = [prompts.system("react")]

    async def next_action(self) -> str:
        """The action that the model names, after all it has seen so far."""
        choice = await self.trial.choose(
            lambda error: [*self.history, prompts.message(prompts.base(self.trial.observation, error))]
        )
        self.history = [*choice.messages, {"role": "assistant", "content": choice.answer}]
        return choice.action

    def succeeded(self) -> None:
        """Nothing to keep."""


class CoT:
    """Plans once, before the first step, and carries the plan out without looking (Wei et al. 2022)."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.plan: list[str] | None = None

    async def next_action(self) -> str:
        """The next line of the plan. Raises Stopped: ``plan_ended``, ``plan_invalid``."""
        if self.plan is None:
            message = prompts.message(prompts.base(self.trial.observation, ""))
            self.plan = read_steps(await self.trial.ask([prompts.system("cot"), message]))
            if not self.plan:
                self.trial.reject('The answer had no numbered line under "Plan:".')
                raise Stopped("plan_invalid")
        if len(self.trial.actions) == len(self.plan):
            raise Stopped("plan_ended")
        action = self.plan[len(self.trial.actions)]
        if error := action_error(action, self.trial.valid):
            self.trial.reject(error)
            raise Stopped("plan_invalid")
        return action

    def succeeded(self) -> None:
        """Nothing to keep."""
