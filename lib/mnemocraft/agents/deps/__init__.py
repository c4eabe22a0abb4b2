"""DEPS, which describes, explains, plans and selects, and the five planners it is compared with.

Read :func:`~mnemocraft.agents.deps.methods.play` first, then ``deps``, equation 1 of the paper; the baselines
are in ``zero_shot``, ``progprompt``, ``cot``, ``inner_monologue`` and ``code_as_policies``.
"""

from mnemocraft.agents.deps.methods import METHODS, Method, play
from mnemocraft.agents.deps.stage import TextStage, WorldStage, overworld, text_stage, world_stage
from mnemocraft.agents.deps.tasks import Task, task, tasks
from mnemocraft.agents.deps.trial import Trial

__all__ = [
    "METHODS",
    "Method",
    "Task",
    "TextStage",
    "Trial",
    "WorldStage",
    "overworld",
    "play",
    "task",
    "tasks",
    "text_stage",
    "world_stage",
]
