"""GiG: Algorithm 1 of the paper, one state at a time (section 3)."""

from dataclasses import dataclass

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.answers import kind, read_fields
from mnemocraft.agents.gig.steps import FIELDS, Steps
from mnemocraft.agents.rollout import Rollout
from mnemocraft.memory.session import Loops
from mnemocraft.worlds.world import Lookahead

_FIELDS = (*FIELDS, "Summary", "Current Progress")
"""Of an answer."""


@dataclass(frozen=True)
class Parts:
    """The parts of GiG that are on."""

    lookahead: bool = False
    """Show the observation after every valid action (Bounded Lookahead, section 3.2)."""
    loop_detection: bool = False
    """Warn when a state comes back (loop detection, section 3.1.2)."""
    experience: bool = False
    """Retrieve from a memory bank and add to it (section 3.3)."""
    carry: bool = False
    """Carry the whole last answer instead of what its Summary and Current Progress say (footnote 3)."""


async def gig(rollout: Rollout, parts: Parts) -> None:
    """Plans each step from the current state alone, and from what its two graphs say about it.

    The session graph lasts an episode; the experience bank is the rollout's memory. The numbers are those of
    the lines of Algorithm 1. Without loop detection or lookahead the lines that belong to it are
    passed over. What is retrieved is the memory's to say: a bank of traces, or any other, which is shown as
    what it is; with ``none`` there is no experience.
    """
    world, steps = rollout.world, Steps(rollout)
    session = Loops() if parts.loop_detection else None  # G_session
    carried: list[str] = []
    while True:
        cue = rollout.cue()  # 1, 2: the memories embed the scene
        path = session.path(cue) if session is not None else None  # 4, 5
        successors = world.successors() if parts.lookahead and isinstance(world, Lookahead) else {}  # 8
        hits = rollout.recall()  # 10, 11, 12
        match = hits[0] if hits and hits[0].source == "trace" else None
        shown = [  # in the order of the paper's Figure 12, where what happened before comes last
            *prompts.base(steps.observation.aggregated or steps.observation.text),
            prompts.simulation(successors),  # 9
            *carried,
            prompts.loop_warning(path),  # 6, 7
            prompts.past_experience(match.text) if match else prompts.memory(hits),  # 13, 14
        ]
        if path is not None:
            rollout.note("loop", "; ".join(path))
        choice = await steps.choose([prompts.system(world, "gig")], shown, _FIELDS)  # 3, 15
        rollout.count("loops", path is not None)
        rollout.count("retrieved", match is not None)
        rollout.count("followed", match is not None and kind(match.action) == kind(choice.action))
        carried = _carried(choice.answer, parts)
        if session is not None:
            session.observe(cue, choice.action)  # 16
        steps.act(choice.action)  # 20; lines 17 to 19 are the memory's commit


def _carried(answer: str, parts: Parts) -> list[str]:
    """What the next step is told about this one."""
    if parts.carry:
        return prompts.last_reasoning(answer)
    fields = read_fields(answer)
    return prompts.last_step(fields.get("summary", ""), fields.get("current progress", ""))
