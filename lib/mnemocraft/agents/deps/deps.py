"""DEPS: describe, explain, plan and select; DEP is the same without a selector.

The letters are those of equation 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.code import looks_like_code
from mnemocraft.agents.deps.plan import Reading, Step, read_plan
from mnemocraft.agents.deps.rounds import Rounds
from mnemocraft.agents.deps.selectors import Selector, parallel
from mnemocraft.agents.rollout import Rollout
from mnemocraft.llm.types import Message


async def deps(
    rollout: Rollout,
    max_rounds: int | None = None,
    selector: Selector | None = None,
    method: str = "deps",
    explains: bool = True,
) -> None:
    """DEPS: plan, select and act; on a failure describe, explain and plan again, until it is stopped.

    Args:
        rollout: The episode.
        max_rounds: Revised plans allowed (Table 4); None for as many as the dialogue has room for.
        selector: Who chooses among parallel goals; None for the order of the plan: DEP.
        method: Whose prompt is sent. With ``gpt_rp``, the zero-shot planner that plans again (GPT+RP,
            appendix A.1), failures are neither described nor explained: only what is there now is told, not
            which step failed either, which the paper's may be (appendix D: "textual feedback").
        explains: False for a control: a failure is described, and nobody is asked why it happened.
    """
    rounds = Rounds(rollout, max_rounds)
    dialogue = [prompts.planner(rollout.world, method), rounds.question()]
    while True:
        answer = await rounds.ask("planner", dialogue)  # P_t = f_LM(p_t)
        plan = await read(rounds, answer)
        rounds.planned(plan)
        report = carry_out(rounds, plan, selector)
        rounds.next_round()
        told = method == "deps"
        lines = describe(rounds, plan, report) if told else [rounds.scene]  # d_t = f_DESC(s_t-1)
        if told and explains and report.step:
            lines.append(await explain(rounds, report, answer))  # e_t = f_EX(d_t)
        feedback = prompts.user(*lines, f"Correct the plan for the task: {rollout.world.task.goal}")
        dialogue += [prompts.assistant(answer), feedback]  # p_t = CONCAT(p_t-1, d_t, e_t)


async def read(rounds: Rounds, answer: str) -> Reading:
    """The plan of an answer: code where actions are goals and it looks like code, else lines in words."""
    code = rounds.goals and looks_like_code(answer)
    return read_plan(answer) if code else await rounds.read_lines(answer)


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


def carry_out(rounds: Rounds, plan: Reading, selector: Selector | None) -> Report:
    """Try the steps of a plan until one fails or none is left."""
    report, left = Report(), list(enumerate(plan.steps, 1))
    while left:
        number, step = left.pop(_select(rounds, [step for _, step in left], selector))  # g_t ~ f_S
        feedback = rounds.attempt(step, number)  # a_t ~ pi(s_t-1, g_t)
        if not feedback.success:
            report.failed, report.step, report.reason = number, step, feedback.failure
            break
        report.done.append(number)
    return report


def _select(rounds: Rounds, steps: Sequence[Step], selector: Selector | None) -> int:
    """The place of the step to do next: the first one, or of parallel goals the one that is selected."""
    goals = [step.goal for step in steps if step.goal]
    if selector is None or rounds.goals is None:
        return 0
    places = parallel(goals, rounds.goals)
    if len(places) < 2:
        return 0
    choice = selector.choose([goals[place] for place in places], rounds.world, rounds.random)
    rounds.chosen([steps[place] for place in places], choice)
    return places[choice.place]


def describe(rounds: Rounds, plan: Reading, report: Report) -> list[str]:
    """The descriptor: what was done, what failed, and what is there now.

    Why a step failed is not among it, but in the explainer's request.
    """
    if plan.problem:
        event = f"The plan could not be read: {plan.problem}"
    elif report.step:
        event = f'I failed at step {report.failed} "{report.step.line}".'
    elif rounds.goals:
        event = f"The plan is done, but the task is not: the inventory has {rounds.goals.lacking()}."
    else:
        event = "The plan is done, but the task is not."
    done = prompts.done(sorted(report.done))
    lines = [f"Description: {done} {event}" if done else f"Description: {event}", rounds.scene]
    rounds.rollout.note("description", "\n".join(lines))
    return lines


async def explain(rounds: Rounds, report: Report, answer: str) -> str:
    """The explainer's sentence about the step that failed, as a line for the planner.

    It is told what the world said about the failure; the paper's has to find it from the description.
    """
    request: list[Message] = [
        prompts.explainer(rounds.world),
        prompts.user(
            f"Failed step: {report.step.line if report.step else ''}",
            f"Message: {report.reason}",
            rounds.scene,
            f"Plan:\n{answer.strip()[: prompts.LONGEST_PLAN]}",
        ),
    ]
    text = prompts.explanation(await rounds.ask("explainer", request))
    rounds.rollout.note("explanation", text)
    return f"Explanation: {text}" if text else ""
