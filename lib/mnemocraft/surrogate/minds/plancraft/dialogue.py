"""What the surrogate's Actor takes from the dialogue so far: one pass over the messages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mnemocraft.llm.types import Message
from mnemocraft.surrogate.minds.plancraft.reading import Scene, Table, read_scene


@dataclass
class Reading:
    """A result of read_memory, and the environment actions taken since."""

    query: str
    content: str
    actions: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@dataclass
class Dialogue:
    """The Actor's view.

    Attributes:
        opening: Text of the first observation; it tells episodes apart.
        scene: The latest observation.
        readings: Results of read_memory, in order.
        crafted: What each grid seen so far turned out to make (None: nothing).
        smelted: What smelting an item turned out to give (None: nothing happened).
        acted: Whether an environment action was tried.
        thought: Whether the think tool was used.
    """

    opening: str
    scene: Scene
    readings: list[Reading] = field(default_factory=list)
    crafted: dict[Table, str | None] = field(default_factory=dict)
    smelted: dict[str, str | None] = field(default_factory=dict)
    acted: bool = False
    thought: bool = False

    def has_read(self, item: str) -> bool:
        """Whether ``item`` was looked up before."""
        return any(reading.query == item for reading in self.readings)


def read_dialogue(messages: Sequence[Message]) -> Dialogue | None:
    """The Actor's view of a chat, or None when no observation stands in it."""
    view: Dialogue | None = None
    call: tuple[str, dict[str, Any]] | None = None
    for message in messages:
        if message["role"] == "assistant":
            call = _call(message)
            continue
        if message["role"] == "system":
            continue
        scene = read_scene(message["content"])
        if view is None:
            if scene is None:
                return None
            view = Dialogue(message["content"], scene)
        elif call and message["role"] == "tool":
            _result(view, *call, message["content"], scene)
            call = None
        if scene:
            view.scene = scene
            view.crafted[scene.table] = scene.output
    return view


def _call(message: Message) -> tuple[str, dict[str, Any]] | None:
    calls = message.get("tool_calls")
    if not calls:
        return None
    function = calls[0]["function"]
    return function["name"], json.loads(function["arguments"])


def _result(view: Dialogue, name: str, arguments: dict[str, Any], content: str, scene: Scene | None) -> None:
    if name == "read_memory" and "recipe" in arguments and not content.startswith("Error:"):
        view.readings.append(Reading(arguments["recipe"], content))
    elif name == "think":
        view.thought = True
    elif scene is not None:
        view.acted = True
        for reading in view.readings:
            reading.actions.append((name, arguments))
        if name == "smelt" and arguments["slot_from"] in view.scene.slots:
            item = view.scene.slots[arguments["slot_from"]][0]
            lit = arguments["slot_to"] in scene.slots and scene.slots != view.scene.slots
            view.smelted[item] = scene.slots[arguments["slot_to"]][0] if lit else None
