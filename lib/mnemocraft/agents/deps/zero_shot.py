"""Planners that plan once: GPT, Chain-of-Thought and ProgPrompt; nobody is told how the plan goes."""

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.code import looks_like_code
from mnemocraft.agents.deps.plan import Reading, read_program
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.agents.rollout import Rollout, Stopped


async def zero_shot(rollout: Rollout) -> None:
    """GPT as a zero-shot planner (Huang et al. 2022): a list of steps."""
    rounds, answer = await _asked(rollout, "gpt")
    _follow(rounds, await rounds.read_lines(answer))


async def chain_of_thought(rollout: Rollout) -> None:
    """Chain-of-Thought (Wei et al. 2022): each step is followed by a thought, which only the model reads."""
    rounds, answer = await _asked(rollout, "cot")
    steps = [line for line in answer.splitlines() if not line.strip().lower().startswith("thinking")]
    _follow(rounds, await rounds.read_lines("\n".join(steps)))


async def progprompt(rollout: Rollout) -> None:
    """ProgPrompt (Singh et al. 2022): each step is a call named after its verb and item."""
    rounds, answer = await _asked(rollout, "progprompt")
    _follow(rounds, read_program(answer) if looks_like_code(answer) else await rounds.read_lines(answer))


async def _asked(rollout: Rollout, method: str) -> tuple[Rounds, str]:
    rounds = Rounds(rollout)
    return rounds, await rounds.ask("planner", [prompts.planner(rollout.world, method), rounds.question()])


def _follow(rounds: Rounds, plan: Reading) -> None:
    """Carry out a plan line by line.

    Raises:
        Stopped: ``plan_invalid``, ``goal_failed`` or ``plan_ended``, if nothing else ends the episode.
    """
    rounds.planned(plan)
    if plan.problem or not plan.steps:
        raise Stopped("plan_invalid")
    for place, step in enumerate(plan.steps, 1):
        if not rounds.attempt(step, place).success:
            raise Stopped("goal_failed")
    raise Stopped("plan_ended")
