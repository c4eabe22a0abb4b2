"""Running studies: streams of episodes in parallel, kept safe from kills, resumed, read back as tables."""

from mnemocraft.runs.identity import code_version
from mnemocraft.runs.records import load_records, read_events, read_memory, read_trajectory, write_table
from mnemocraft.runs.runner import run_study
from mnemocraft.runs.study import Condition, Episode, ModelSpec, Stream, StreamRunner, Study

__all__ = [
    "Condition",
    "Episode",
    "ModelSpec",
    "Stream",
    "StreamRunner",
    "Study",
    "code_version",
    "load_records",
    "read_events",
    "read_memory",
    "read_trajectory",
    "run_study",
    "write_table",
]
