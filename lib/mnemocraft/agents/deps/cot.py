"""Chain-of-Thought: a plan in words with the inventory after each step, made once."""

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.trial import Trial
from mnemocraft.agents.deps.zero_shot import follow


async def chain_of_thought(trial: Trial) -> None:
    """Chain-of-Thought (Wei et al. 2022): each step is followed by a thought, which only the model reads."""
    answer = await trial.ask("planner", [prompts.planner(trial.stage.version, "cot"), trial.question()])
    steps = [line for line in answer.splitlines() if not line.strip().lower().startswith("thinking")]
    follow(trial, await trial.read_lines("\n".join(steps)))
