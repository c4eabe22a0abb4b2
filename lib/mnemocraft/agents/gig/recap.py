"""ReCAP, the strongest baseline: plans in a tree of tasks that share one bounded conversation."""

from collections import deque
from dataclasses import dataclass, field

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import Decomposition, read_decomposition
from mnemocraft.agents.gig.steps import Steps
from mnemocraft.agents.rollout import Rollout, Stopped
from mnemocraft.llm.types import Message

WINDOW = 64
"""Exchanges of the conversation that stay in the prompt, beside the system message (GiG, section 3.2)."""
MAX_DEPTH = 4
"""Tasks inside one another, the goal included; a choice of ours."""
MAX_CALLS = 20
"""Model calls without an environment step that end the episode; a choice of ours. A way up from the deepest
task and down again takes seven."""


@dataclass
class Task:
    """A task on the current branch of the context tree."""

    text: str
    think: str = ""
    subtasks: list[str] = field(default_factory=list)
    """Those not yet begun."""
    result: str = ""
    """How the subtask begun last went; empty before the first one."""


async def recap(rollout: Rollout) -> None:
    """ReCAP, see :class:`Tree`. Raises Stopped: ``gave_up``, if nothing else ends the episode."""
    tree = Tree(Steps(rollout))
    while True:
        subtask = await tree.next_action()
        feedback = tree.steps.act(subtask)
        if not feedback.success:
            tree.branch[-1].result = f'failed "{subtask}": {feedback.failure}'


class Tree:
    """Recursive context-aware reasoning and planning (Zhang et al., NeurIPS 2025).

    The algorithm, with the goal as the first task:

    1. The model thinks about the current task and lists all its subtasks (plan ahead).
    2. Only the first subtask is begun. One that is a valid action is carried out. Any other becomes the
       current task, and step 1 is done for it (recursion).
    3. Afterwards the model sees the new observation, how the subtask went and the subtasks that remained,
       and lists anew what is still to be done (refinement): step 2 again.
    4. An empty list ends the task, and control returns to the task above, which is refined as in step 3.
       A task whose answer was malformed returns too, with what went wrong (backtracking). Where tasks may
       not be divided further, one whose subtask was no valid action is asked again.

    All tasks share one conversation. It is cut to its last exchanges, so whenever control returns to a task
    the whole branch is restated: every task on it, what was thought about it and what is still to be done.
    Answers that could not be used do not enter the conversation.
    """

    def __init__(self, steps: Steps) -> None:
        self.steps, self.world = steps, steps.rollout.world
        self.branch = [Task(self.world.task.goal)]
        self.window: deque[tuple[Message, Message]] = deque(maxlen=WINDOW)

    async def next_action(self) -> str:
        """Up and down the tree until a subtask is a valid action. Raises Stopped: ``gave_up``."""
        for _ in range(MAX_CALLS):
            task = self.branch[-1]
            plan = await self._think(task)
            if isinstance(plan, str):
                self._fail(plan)
                continue
            task.think, task.subtasks = plan.think, plan.subtasks
            if not task.subtasks:
                self._leave(f'done "{task.text}"')
                continue
            subtask = task.subtasks.pop(0)
            if not self.world.check(subtask):
                task.result = f'done "{subtask}"'
                return subtask
            self._enter(subtask)
        raise Stopped("gave_up")

    async def _think(self, task: Task) -> Decomposition | str:
        """One exchange about the current task: its subtasks, or what was wrong with the answer."""
        steps = self.steps
        seen = [prompts.feedback(steps.error), *prompts.base(steps.observation.text)]
        remembered = prompts.memory(steps.rollout.recall())
        question = prompts.message([self._context(task), *seen, remembered, *self._request(task)])
        past = [message for exchange in self.window for message in exchange]
        answer = await steps.ask([prompts.system(self.world, "recap"), *past, question], about=task.text)
        plan = read_decomposition(answer)
        steps.error = ""
        if isinstance(plan, Decomposition):
            self.window.append((question, {"role": "assistant", "content": answer}))
        return plan

    def _context(self, task: Task) -> str:
        """The branch restated, outermost task first, when control returns to a task."""
        if not task.result:
            return ""
        return "Context:\n" + "\n".join(
            f"Task: {each.text}\nThought: {each.think}\nStill to do: {'; '.join(each.subtasks) or 'nothing'}"
            for each in self.branch
        )

    def _request(self, task: Task) -> list[str]:
        """The blocks that say what is asked about a task."""
        current = f"Current Task: {task.text}"
        if not task.result:
            return [current, "Decompose it into subtasks."]
        remaining = "\n".join(["Remaining Subtasks:", *(f"- {subtask}" for subtask in task.subtasks)])
        return [current, f"Last Result: {task.result}", remaining, "Refine them."]

    def _enter(self, subtask: str) -> None:
        """Make a subtask the current task, if it may be divided further."""
        if len(self.branch) < MAX_DEPTH:
            self.branch.append(Task(subtask))
            return
        why = f"it is not one of the valid actions, and tasks are divided only {MAX_DEPTH} deep"
        self.steps.reject(f'"{subtask}" was not begun: {why}.')
        self.branch[-1].result = f'failed "{subtask}": {why}'

    def _leave(self, result: str) -> None:
        """Return to the task above. Raises Stopped when there is none: the goal itself is said to be done."""
        self.branch.pop()
        if not self.branch:
            raise Stopped("gave_up")
        self.branch[-1].result = result

    def _fail(self, error: str) -> None:
        """Backtrack from a task whose answer could not be used; the goal itself is asked about again."""
        self.steps.reject(error)
        if len(self.branch) > 1:
            self._leave(f'failed "{self.branch[-1].text}": {error}')
