"""A small real model in the kitchen (notebook 09): what is each part of GiG worth to it?

The model was shown half of the dishes, in layouts made for that (:mod:`mnemocraft.studies.gig.known`); of the
others only steps at which one does what an experience in the prompt did. ``python -m training.recording 09``
records its answers. :mod:`.small_tables` has the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mnemocraft import paths
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs.kitchen import HORIZONS
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.controls import ShuffledTraces
from mnemocraft.memory.none import NoMemory
from mnemocraft.memory.traces import Traces
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.gig import sweep
from mnemocraft.studies.gig.known import known_dishes
from mnemocraft.studies.gig.load import memory_bank, task_facts, tasks
from mnemocraft.studies.small_player import UNKNOWN, brief

ADAPTER = "kitchen_gemma-3-270m"
"""Name of the model's adapter and of its recording."""
MODE = "sync"
"""What takes time makes prompts longer than the model is taught on."""
KNOWN_SHORT, KNOWN_LONG = "known_short", "known_long"
"""A known dish is short or long. The expert's own ReAct conversation about a long one is longer than the
model's context (32,768 tokens), and a prompt with lookahead than what it is taught on."""
SHORTEST_LONG = 50
"""Listed steps from which a dish is long; unknown dishes are all short."""
HELD = {"gig_ld_held": "gig_ld", "react_held": "react"}
"""Whose answers are held to the valid actions. ReCAP's are sub-tasks, which nothing lists."""
MISLED = "gig_ld_exp_shuffled"
"""GiG(+LD+Exp) with the memory ``trace_shuffled``: it is handed the nearest steps of other dishes."""
METHOD = HELD | {MISLED: "gig_ld_exp"}
"""The method behind an arm that is no method of its own."""
ARMS = (
    *((method, KNOWN_SHORT) for method in ("gig_ld", "react", "gig_ld_exp")),
    *((method, UNKNOWN) for method in ("gig_ld_exp", "gig_ld")),
    *((MISLED, items) for items in (KNOWN_SHORT, UNKNOWN)),
    *((method, KNOWN_SHORT) for method in ("gig_plain", *HELD, "recap")),
    ("gig_ld", KNOWN_LONG),
    ("gig", KNOWN_SHORT),
    ("react", KNOWN_LONG),
)
"""Who makes which dishes, in the order in which they are recorded."""
LAYOUTS = sweep.LAYOUTS[:24]
"""Four more than a test takes, by the rule of the paper's ten."""
LONGEST = 300
"""Tokens of an answer; the expert's answers have about a third of that."""


def dishes(items: str) -> tuple[str, ...]:
    """The synchronous tasks of a kind, in the benchmark's order."""
    return tuple(task for task in tasks(MODE) if _kind(task) == items)


def _kind(task: str) -> str:
    if task not in known_dishes():
        return UNKNOWN
    return KNOWN_SHORT if HORIZONS[task] < SHORTEST_LONG else KNOWN_LONG


def study(profile: str, arms: Sequence[tuple[str, str]]) -> Study:
    """A stream an arm and layout, of all dishes of the arm's kind; ``smoke`` has one of them in one layout.

    Raises:
        MnemocraftError: There is no such profile.
    """
    one_of("profile", profile, paths.PROFILES)
    layouts, length = (LAYOUTS[:1], 1) if profile == "smoke" else (LAYOUTS, None)
    streams = tuple(
        Stream(condition(method, items), layout, dishes(items)[:length])
        for method, items in arms
        for layout in layouts
    )
    return Study(sweep.STEM, streams, start, fingerprint(start, sweep.DATA))


def condition(method: str, items: str) -> Condition:
    """One condition; its id reads ``small/method/items``."""
    settings = sweep.condition(METHOD.get(method, method), MODE).settings
    own = {"method": method, "held": method in HELD, "items": items}
    return Condition(f"small/{method}/{items}", settings | own)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; with experience its memory holds the bank, and grows on success."""
    choice, layout = stream.condition.settings, stream.seed
    method = choice["method"]
    bank = ShuffledTraces if method == MISLED else Traces
    return EpisodeStream(
        brief(METHODS[METHOD.get(method, method)], LONGEST, choice["held"]),
        memory_bank(MODE, bank) if choice["experience"] else NoMemory(),
        model,
        partial(sweep.begin, choice, layout),
        lambda task: task_facts(task, layout),
    )
