"""Every agent by name. A new agent is one file and one row here."""

from __future__ import annotations

from typing import Any

from mnemocraft.agents.rollout import Agent
from mnemocraft.registry import entry, made

_FAMILIES = {
    "mnemocraft.agents.gig.methods:agent": (
        "react", "cot", "recap", "gig", "gig_exp", "gig_ld", "gig_bl", "gig_plain", "gig_ld_exp",
        "gig_star", "gig_exp_star",
    ),
    "mnemocraft.agents.deps.methods:agent": (
        "zero_shot", "zero_shot_rp", "zero_shot_cot", "progprompt", "inner_monologue",
        "code_as_policies", "dep", "deps", "deps_unexplained",
    ),
    "mnemocraft.agents.mindstores.methods:agent": ("mindstores", "reflexion"),
    "mnemocraft.agents.voyager.voyager:agent": ("voyager",),
    "mnemocraft.agents.m2pa.methods:agent": ("m2pa", "m2pa_semantic", "m2pa_sensory", "plan4mc", "mp5"),
    "mnemocraft.agents.how2.agent:make": (
        "base", "just_ask", "memory_only", "parse", "relevance", "how2",
    ),
}  # fmt: skip
AGENTS = {name: place for place, names in _FAMILIES.items() for name in names}
"""Where each agent is made, given its name."""


def get_agent(name: str, **options: Any) -> Agent:
    """An agent.

    Args:
        name: One of :data:`AGENTS`.
        options: Of its family, such as ``max_rounds`` (DEPS) or ``teacher`` (How2).

    Raises:
        MnemocraftError: There is no such agent or option.
    """
    return made(entry(AGENTS, name, "agent"), f"agent {name!r}", name, **options)
