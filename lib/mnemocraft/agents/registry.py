"""Every agent by name. A new agent is one file and one row here."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from mnemocraft.agents.rollout import Agent
from mnemocraft.errors import MnemocraftError

_GIG, _DEPS, _HOW2 = (
    f"mnemocraft.agents.{name}" for name in ("gig.methods:agent", "deps.methods:agent", "how2.agent:make")
)
AGENTS: dict[str, tuple[str, str]] = {
    "react": (_GIG, "react"),
    "cot": (_GIG, "cot"),
    "recap": (_GIG, "recap"),
    "gig": (_GIG, "gig"),
    "gig_exp": (_GIG, "gig_exp"),
    "gig_ld": (_GIG, "gig_ld"),
    "gig_bl": (_GIG, "gig_bl"),
    "gig_star": (_GIG, "gig_star"),
    "gig_exp_star": (_GIG, "gig_exp_star"),
    "zero_shot": (_DEPS, "gpt"),
    "zero_shot_cot": (_DEPS, "cot"),
    "progprompt": (_DEPS, "progprompt"),
    "inner_monologue": (_DEPS, "inner_monologue"),
    "code_as_policies": (_DEPS, "code_as_policies"),
    "dep": (_DEPS, "dep"),
    "deps": (_DEPS, "deps"),
    "base": (_HOW2, "base"),
    "just_ask": (_HOW2, "just_ask"),
    "memory_only": (_HOW2, "memory_only"),
    "parse": (_HOW2, "parse"),
    "relevance": (_HOW2, "relevance"),
    "how2": (_HOW2, "how2"),
}
"""Where each agent is made, and what it is called there."""


def get_agent(name: str, **options: Any) -> Agent:
    """An agent.

    Args:
        name: One of :data:`AGENTS`.
        options: Of its family, such as ``max_rounds`` (DEPS) or ``teacher`` (How2).

    Raises:
        MnemocraftError: There is no such agent or option.
    """
    if name not in AGENTS:
        raise MnemocraftError(f"There is no agent {name!r}; it is one of {', '.join(AGENTS)}.")
    place, own = AGENTS[name]
    module, _, function = place.partition(":")
    make = getattr(import_module(module), function)
    known = [option for option in inspect.signature(make).parameters if option != "name"]
    for option in options:
        if option not in known:
            raise MnemocraftError(
                f"The agent {name!r} has no option {option!r}; it has {', '.join(known) or 'none'}."
            )
    return make(own, **options)
