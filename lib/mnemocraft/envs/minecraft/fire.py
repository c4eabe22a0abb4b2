"""Fire in a plan: burning a unit of fuel as an operator that gives the heat which smelting takes.

In the text world a furnace burns fuel by itself when something is smelted; a plan must know before what it
will burn, and that it is there by then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mnemocraft.envs.minecraft.facts import Rules
from mnemocraft.envs.minecraft.operators import Operator

HEAT = "heat"
"""Ticks of furnace heat, as if they were units of an item."""
BURN = "burn"
"""Verb of burning; no action of the text world."""


def fired(rules: Rules, ways: Iterable[Operator], fuels: Iterable[str]) -> list[Operator]:
    """Operators whose smelting takes heat, and those that give it by burning ``fuels``."""
    burns = (_burn(rules, fuel) for fuel in fuels)
    return [*(replace(w, takes=(*w.takes, ((HEAT,), w.heat))) if w.heat else w for w in ways), *burns]


def _burn(rules: Rules, fuel: str) -> Operator:
    left = ((rules.remains[fuel], 1),) if fuel in rules.remains else ()
    return Operator((BURN, fuel), takes=(((fuel,), 1),), gives=((HEAT, rules.fuels[fuel]), *left))
