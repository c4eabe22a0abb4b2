"""ProgPrompt: a plan as a program of calls, made once."""

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.code import looks_like_code
from mnemocraft.agents.deps.plan import read_program
from mnemocraft.agents.deps.trial import Trial
from mnemocraft.agents.deps.zero_shot import follow


async def progprompt(trial: Trial) -> None:
    """ProgPrompt (Singh et al. 2022): each step is a call named after its verb and item."""
    system = prompts.planner(trial.stage.version, "progprompt")
    answer = await trial.ask("planner", [system, trial.question()])
    follow(trial, read_program(answer) if looks_like_code(answer) else await trial.read_lines(answer))
