"""Could a model replace the templated teachers? The study behind Table 5 (Appendix C.1).

A model answers in each teacher's style from the planner's output, and a judge, the same model, says
whether the answer agrees with the template. An episode is one answer; success is a VALID verdict.
"""

from functools import partial

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.agent import SAMPLING
from mnemocraft.agents.how2.roles import call, says
from mnemocraft.agents.how2.settings import TEACHERS
from mnemocraft.agents.rollout import Agent, Rollout, Stopped
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.how2.load import environment, shuffled, subset
from mnemocraft.studies.how2.sweep import MAX_STEPS, STEM, TASKS
from mnemocraft.worlds.plancraft import PlancraftWorld
from mnemocraft.worlds.world import Teaching


def study(profile: str) -> Study:
    """All four teachers on the low split, one seed."""
    tasks = shuffled(subset("low", TASKS[profile]), 0)
    conditions = [Condition(f"validation/{teacher}", {"teacher": teacher}) for teacher in TEACHERS]
    return Study(STEM, tuple(Stream(c, 0, tasks) for c in conditions), start, fingerprint(start))


class Judged(PlancraftWorld):
    """A table at which nothing is crafted: the episode succeeds by the judge's verdict.

    Attributes:
        verdict: VALID or INVALID, empty before it.
    """

    verdict = ""

    @property
    def success(self) -> bool:
        """Whether the answer agrees with the template."""
        return self.verdict == "VALID"


async def validate(rollout: Rollout, teacher: str) -> None:
    """Let the model answer in a teacher's style and judge the answer.

    All styles see the table with its slots and the same plan; the paper's non-executable teacher is shown
    them without (section 3.4).

    Raises:
        Stopped: With the verdict.
    """
    world = rollout.world
    assert isinstance(world, Judged)
    target = world.task.item
    question = f"How do I make {target} with what is in my inventory?"
    prompt = prompts.render(
        "teacher_by_model",
        **prompts.teacher_styles()[teacher],
        context=world.observe().text,
        plan=world.how_to(target, question, "subgoal-partially-executable"),
        question=question,
    )
    answer = await call(rollout, "teacher", prompt)
    reference = world.how_to(target, question, teacher)
    prompt = prompts.render("judge", question=question, reference=reference, answer=answer)
    valid = says("valid", await call(rollout, "judge", prompt))
    world.verdict = "VALID" if valid else "INVALID"
    raise Stopped(world.verdict)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream: one teacher's style, task by task; nothing is remembered."""
    teacher = stream.condition.settings["teacher"]
    agent = Agent("validation", teacher, partial(validate, teacher=teacher), SAMPLING, (Teaching,))

    def begin(task: str) -> tuple[Judged, int]:
        return Judged(environment(task, MAX_STEPS)), stream.seed

    return EpisodeStream(agent, NoMemory(), model, begin)
