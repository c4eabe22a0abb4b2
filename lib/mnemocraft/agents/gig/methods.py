"""The planners of GiG's study, and the parts of GiG that each of its variants has."""

from functools import partial

from mnemocraft.agents.gig.baselines import chain_of_thought, react
from mnemocraft.agents.gig.gig import Parts, gig
from mnemocraft.agents.gig.recap import recap
from mnemocraft.agents.gig.steps import SAMPLING
from mnemocraft.agents.rollout import Agent
from mnemocraft.worlds.world import Lookahead

VARIANTS = {
    "gig": ("GiG", Parts(lookahead=True, loop_detection=True)),
    "gig_exp": ("GiG+Exp", Parts(lookahead=True, loop_detection=True, experience=True)),
    "gig_ld": ("GiG(+LD)", Parts(loop_detection=True)),
    "gig_bl": ("GiG(+BL)", Parts(lookahead=True)),
    "gig_plain": ("GiG(plain)", Parts()),
    "gig_ld_exp": ("GiG(+LD+Exp)", Parts(loop_detection=True, experience=True)),
    "gig_star": ("GiG*", Parts(lookahead=True, loop_detection=True, carry=True)),
    "gig_exp_star": ("GiG(+Exp)*", Parts(lookahead=True, loop_detection=True, experience=True, carry=True)),
}
"""GiG by the name that conditions use: its name in the paper's tables, and its parts. GiG itself has loop
detection and lookahead (footnote 3); those with experience are played with the memory ``trace``.
GiG with neither part is ours."""


def _variant(name: str, label: str, parts: Parts) -> Agent:
    needs = (Lookahead,) if parts.lookahead else ()
    return Agent(name, label, partial(gig, parts=parts), SAMPLING, needs)


METHODS = {name: _variant(name, *variant) for name, variant in VARIANTS.items()} | {
    "recap": Agent("recap", "ReCAP", recap, SAMPLING),
    "react": Agent("react", "ReAct", react, SAMPLING),
    "cot": Agent("cot", "CoT", chain_of_thought, SAMPLING),
}
"""All agents of the study by name."""


def parts(name: str) -> Parts:
    """Which parts of GiG a method has; a planner that is not GiG has none."""
    return VARIANTS[name][1] if name in VARIANTS else Parts()


def agent(name: str) -> Agent:
    """The agent of a method, a key of :data:`METHODS`."""
    return METHODS[name]
