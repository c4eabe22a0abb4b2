"""What the small model was shown of households: half of the rules that their tasks take one to know.

Where things are usually kept all know. Of a rule of the other half it has seen nothing, or only what an
explained failure says (:mod:`training.finetune.worlds`).
"""

from __future__ import annotations

from functools import cache

from mnemocraft.studies.small_player import half
from mnemocraft.surrogate.minds.household.beliefs import BOTH, FIRST, LAMP, TOOL, TOOLS

TOOL_RULES = tuple(TOOL.format(state=state, tool=tool) for state, tool in TOOLS.items())
"""What a failure explains."""
RULES = (*(FIRST.format(state=state) for state in TOOLS), *TOOL_RULES, BOTH, LAMP)
"""All that the tasks take one to know."""
_MARKS = (*("_clean_", "_heat_", "_cool_") * 2, "_two_", "_light")
"""Of each rule what the types that take it have in their names."""


@cache
def known_rules() -> frozenset[str]:
    """Half of :data:`RULES`."""
    return half("rules", RULES)


def rules_of(kind: str) -> list[str]:
    """The rules that a type of task takes one to know."""
    return [rule for rule, mark in zip(RULES, _MARKS, strict=True) if mark in kind]


def known_rule(belief: str) -> bool:
    """Whether a belief about households is known; all are that are none of :data:`RULES`."""
    return belief not in RULES or belief in known_rules()


def known(kind: str) -> bool:
    """Whether all rules of a type of task are known."""
    return known_rules().issuperset(rules_of(kind))
