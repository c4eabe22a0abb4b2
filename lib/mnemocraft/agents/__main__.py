"""What combines: ``python -m mnemocraft.agents`` prints which agents can play in which worlds, as Markdown.

Every memory goes with all of them.
"""

from __future__ import annotations

from mnemocraft.agents.registry import AGENTS, get_agent
from mnemocraft.agents.rollout import Agent
from mnemocraft.memory.registry import MEMORIES
from mnemocraft.worlds.registry import make
from mnemocraft.worlds.world import CAPABILITIES, World

EXAMPLES = {
    "plancraft": "plancraft/low/VAL0001",
    "kitchen": "kitchen/sync/0",
    "textworld": "textworld/stick",
    "overworld": "overworld/stick",
    "tabletop": "tabletop/bowls",
    "household": "household/generated/pick_and_place_simple/0",
}
"""A task of every kind of world that runs here; ``minedojo`` has what ``overworld`` has."""


def lacking(agent: Agent, world: World) -> list[str]:
    """What an agent needs and a world does not have."""
    return [CAPABILITIES[need] for need in agent.needs if not isinstance(world, need)]


def table() -> str:
    """Agents by worlds: ``plays``, or what the world lacks for it."""
    worlds = {kind: make(task) for kind, task in EXAMPLES.items()}
    lines = [f"| agent | {' | '.join(worlds)} |", f"|---|{'---|' * len(worlds)}"]
    rows: dict[str, list[str]] = {}
    for name in AGENTS:
        agent = get_agent(name)
        cells = [
            f"no {' or '.join(lacks)}" if (lacks := lacking(agent, w)) else "plays" for w in worlds.values()
        ]
        rows.setdefault(" | ".join(cells), []).append(f"`{name}`")
    lines += [f"| {', '.join(names)} | {cells} |" for cells, names in rows.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    print(f"\nEach with every memory: {', '.join(f'`{name}`' for name in MEMORIES)}.")
