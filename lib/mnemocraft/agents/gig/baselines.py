"""ReAct and CoT, the two baselines without a memory beside the conversation."""

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import read_steps
from mnemocraft.agents.gig.steps import Steps
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.llm.types import Message


async def react(rollout: Rollout) -> None:
    """Reasons and acts in turn, with every earlier observation and answer in the prompt (Yao et al. 2023).

    Invalid answers are left out of the history: their feedback is in the message that was answered at last.
    """
    steps = Steps(rollout)
    history: list[Message] = [prompts.system(rollout.world, "react")]
    while True:
        shown = [*prompts.base(steps.observation.text), prompts.memory(rollout.recall())]
        choice = await steps.choose(history, shown)
        history = [*choice.messages, {"role": "assistant", "content": choice.answer}]
        steps.act(choice.action)


async def chain_of_thought(rollout: Rollout) -> None:
    """Plans once, before the first step, and carries the plan out without looking (Wei et al. 2022).

    Raises:
        Stopped: ``plan_ended`` or ``plan_invalid``, if nothing else ends the episode.
    """
    steps = Steps(rollout)
    message = prompts.message([*prompts.base(steps.observation.text), prompts.memory(rollout.recall())])
    plan = read_steps(await steps.ask([prompts.system(rollout.world, "cot"), message]))
    if not plan:
        steps.reject('The answer had no numbered line under "Plan:".')
        raise Stopped("plan_invalid")
    for action in plan:
        if error := rollout.world.check(action):
            steps.reject(error)
            raise Stopped("plan_invalid")
        if not steps.act(action).success:
            raise Stopped("plan_failed")
    raise Stopped("plan_ended")
