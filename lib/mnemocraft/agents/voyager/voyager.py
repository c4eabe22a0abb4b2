"""Voyager: an automatic curriculum, a library of skills, and programs that are mended by what they led to."""

from __future__ import annotations

from mnemocraft.agents.deps import prompts as deps_prompts
from mnemocraft.agents.deps.deps import Report, carry_out, read
from mnemocraft.agents.deps.plan import Reading
from mnemocraft.agents.deps.prompts import assistant, user
from mnemocraft.agents.deps.rounds import SAMPLING, Rounds
from mnemocraft.agents.rollout import Agent, Rollout, Stopped
from mnemocraft.agents.voyager import prompts
from mnemocraft.bounded import whole
from mnemocraft.worlds.world import Goals

TRIES = 4
"""Programs for a task before it has failed and another one is proposed (Wang et al. 2023, section 2.3)."""
PROGRAMS = 160
"""Programs in an episode: the prompting iterations of Voyager's own main experiment."""


def agent(name: str, max_rounds: int = PROGRAMS - 1) -> Agent:
    """Voyager.

    Args:
        name: ``voyager``.
        max_rounds: Programs after the first that may be carried out in an episode.

    Raises:
        MnemocraftError: ``max_rounds`` is no whole number of at least 0.
    """
    whole(max_rounds, "max_rounds", 0)

    async def run(rollout: Rollout) -> None:
        await voyager(rollout, max_rounds)

    return Agent(name, "Voyager", run, SAMPLING, (Goals,), teaches_itself=True)


async def voyager(rollout: Rollout, max_rounds: int) -> None:
    """Voyager (Wang et al. 2023): propose a task, solve it with programs, keep what solved it, and so on.

    Kept: the curriculum goes by the inventory and by completed and failed tasks; skills are found by the
    embedding of their description (memory ``skills``); a program is mended by the world's feedback, its
    errors and a critic, in at most four tries; a skill is kept once the critic says that its task is done.

    Left out: exploration without an end (tasks lead to what the episode asks for), questions that the
    curriculum asks itself, a description by a second model (the task describes its program), and skills that
    call each other: a program is a plan in DEPS's language, which is read and never executed as code.

    Raises:
        Stopped: ``max_rounds``, ``dialogue_full``, or the world's reason.
    """
    mind = _Voyager(rollout, max_rounds)
    while True:
        await mind.attempt(await mind.propose())


class _Voyager:
    def __init__(self, rollout: Rollout, max_rounds: int) -> None:
        assert isinstance(rollout.world, Goals)  # as the agent needs
        self.rollout, self.version, self.rounds = rollout, rollout.world.version, Rounds(rollout, max_rounds)
        self.completed: list[str] = []
        self.failed: list[str] = []
        rollout.count_from(("proposed", "completed", "recalled", "skills"))

    async def propose(self) -> str:
        """The next task, from what is held and what was completed and failed in this episode."""
        goal = self.rollout.world.task.goal
        told = (prompts.listed("Completed", self.completed), prompts.listed("Failed", self.failed))
        task = prompts.proposed(
            await self._ask("curriculum", self.rounds.task, *told, self.rounds.scene), goal
        )
        self.rollout.count("proposed")
        self.rollout.note("proposed task", task)
        return task

    async def attempt(self, task: str) -> None:
        """Write programs for a task until the critic says that it is done, at most :data:`TRIES`."""
        hits = self.rollout.recall(task)
        self.rollout.count("recalled", len(hits))
        known = prompts.skills(hits)
        dialogue = [
            prompts.system("programmer", self.version, self.rollout.world.guide),
            user(f"Task: {task}", self.rounds.scene, *known),
        ]
        for _ in range(TRIES):
            before = self.rounds.scene
            answer = await self.rounds.ask("planner", dialogue)
            plan = await read(self.rounds, answer)
            self.rounds.planned(plan)
            try:
                report = carry_out(self.rounds, plan, None)
            except Stopped:
                if self.rollout.world.success:
                    await self._verify(task, before, plan, ["Feedback: all was done."])
                raise
            feedback = _feedback(plan, report)
            done, critique = await self._verify(task, before, plan, feedback)
            self.rounds.next_round()
            if done:
                self.completed.append(task)
                return
            again = f"Correct the plan for the task: {task}"
            dialogue += [assistant(answer), user(*feedback, self.rounds.scene, critique, again)]
        self.failed.append(task)

    async def _verify(self, task: str, before: str, plan: Reading, feedback: list[str]) -> tuple[bool, str]:
        """Whether the critic says that the task is done, its critique as a line; what solved it is kept."""
        answer = await self._ask(
            "critic", f"Task: {task}", f"Before: {before}", f"Program: {prompts.program(plan)}", *feedback,
            self.rounds.scene,
        )  # fmt: skip
        done, critique = prompts.verdict(answer)
        self.rollout.note("critic", critique or ("done" if done else "not done"))
        self.rollout.count("completed", done)
        if done and plan.steps:
            self.rollout.memory.learn(prompts.program(plan), [task])
            self.rollout.count("skills")
        return done, f"Critique: {critique}" if critique else ""

    async def _ask(self, role: str, *lines: str) -> str:
        return await self.rounds.ask(role, [prompts.system(role, self.version), user(*lines)])


def _feedback(plan: Reading, report: Report) -> list[str]:
    """What the program did, and the error that stopped it."""
    if plan.problem:
        return [f"Error: the program could not be read: {plan.problem}"]
    done = deps_prompts.done(sorted(report.done))
    if report.step is None:
        return [f"Feedback: {done} The program ran to its end."]
    return [f"Feedback: {done} Step {report.failed} failed: {report.step.line}", f"Error: {report.reason}"]
