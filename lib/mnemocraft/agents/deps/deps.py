"""DEPS: describe, explain, plan and select; DEP is the same without a selector.

The letters are those of equation 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.code import looks_like_code
from mnemocraft.agents.deps.plan import Reading, Step, read_plan
from mnemocraft.agents.deps.selectors import FixedOrder, HorizonSelector, Selector, parallel
from mnemocraft.agents.deps.trial import Trial
from mnemocraft.llm.types import Message


async def deps(trial: Trial) -> None:
    """DEPS, with the trial's selector, by default the horizon-predictive one."""
    await _interactive(trial, trial.selector or HorizonSelector())


async def dep(trial: Trial) -> None:
    """DEP: goals are pursued in the order of the plan."""
    await _interactive(trial, FixedOrder())


@dataclass
class Report:
    """How a plan went.

    Attributes:
        done: Numbers of the steps that were done.
        failed: Number of the step that failed, 0 if none did.
        step: The step that failed.
        reason: Why, as the world or controller says it.
    """

    done: list[int] = field(default_factory=list)
    failed: int = 0
    step: Step | None = None
    reason: str = ""


async def _interactive(trial: Trial, selector: Selector) -> None:
    """Plan, select and act; on a failure describe, explain and plan again, until the trial is stopped."""
    dialogue = [prompts.planner(trial.stage.version, "deps"), trial.question()]
    while True:
        answer = await trial.ask("planner", dialogue)  # P_t = f_LM(p_t)
        plan = read_plan(answer) if looks_like_code(answer) else await trial.read_lines(answer)
        trial.planned(plan)
        report = carry_out(trial, plan, selector)
        trial.next_round()
        lines = describe(trial, plan, report)  # d_t = f_DESC(s_t-1)
        if report.step:
            lines.append(await explain(trial, report, answer))  # e_t = f_EX(d_t)
        feedback = prompts.user(*lines, f"Correct the plan for the task: {prompts.task(trial.stage.target)}")
        dialogue += [prompts.assistant(answer), feedback]  # p_t = CONCAT(p_t-1, d_t, e_t)


def carry_out(trial: Trial, plan: Reading, selector: Selector) -> Report:
    """Pursue the goals of a plan until one fails or none is left."""
    report, left = Report(), list(enumerate(plan.steps, 1))
    while left:
        places = parallel([step.goal for _, step in left], trial.stage)
        goals = [left[place][1].goal for place in places]
        chosen = selector.choose(goals, trial.stage, trial.random) if len(goals) > 1 else 0  # g_t ~ f_S
        number, step = left.pop(places[chosen])
        attempt = trial.attempt(step, number, goals)  # a_t ~ pi(s_t-1, g_t)
        if not attempt.success:
            report.failed, report.step, report.reason = number, step, attempt.reason
            break
        report.done.append(number)
    return report


def describe(trial: Trial, plan: Reading, report: Report) -> list[str]:
    """The descriptor: what was done, what failed, and what is there now.

    Why a step failed is not among it, but in the explainer's request.
    """
    if plan.problem:
        event = f"The plan could not be read: {plan.problem}"
    elif report.step:
        event = f'I failed at step {report.failed} "{report.step.line}".'
    else:
        event = f"The plan is done, but the task is not: the inventory has {trial.stage.lacking()}."
    happened = f"Description: {prompts.done(sorted(report.done))} {event}".replace(":  ", ": ")
    lines = [happened, *trial.scene()]
    trial.log("description", text="\n".join(line for line in lines if line), reason=report.reason)
    return lines


async def explain(trial: Trial, report: Report, answer: str) -> str:
    """The explainer's sentence about the step that failed, as a line for the planner."""
    request: list[Message] = [
        prompts.system(trial.stage.version, "explainer"),
        prompts.user(
            f"Failed step: {report.step.line if report.step else ''}",
            f"Message: {report.reason}",
            *trial.scene(),
            f"Plan:\n{answer.strip()[: prompts.LONGEST_PLAN]}",
        ),
    ]
    text = prompts.explanation(await trial.ask("explainer", request))
    trial.log("explanation", text=text)
    return f"Explanation: {text}" if text else ""
