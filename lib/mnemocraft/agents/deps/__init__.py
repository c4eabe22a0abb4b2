"""DEPS, which describes, explains, plans and selects, and the five planners it is compared with.

Read :func:`~mnemocraft.agents.deps.methods.play` first, then ``deps``, equation 1 of the paper; the baselines
are in ``zero_shot``, ``progprompt``, ``cot``, ``inner_monologue`` and ``code_as_policies``.
"""

from mnemocraft.agents.deps.methods import METHODS, Method, play
from mnemocraft.agents.deps.stage import Judge, TextStage, WorldStage
from mnemocraft.agents.deps.tasks import Task, task, tasks
from mnemocraft.agents.deps.trial import Trial
from mnemocraft.agents.deps.worlds import judge, overworld, text_stage, world_stage

__all__ = [
    "METHODS",
    "Judge",
    "Method",
    "Task",
    "TextStage",
    "Trial",
    "WorldStage",
    "judge",
    "overworld",
    "play",
    "task",
    "tasks",
    "text_stage",
    "world_stage",
]
