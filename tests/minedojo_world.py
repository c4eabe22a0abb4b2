"""The overworld in the place of the game: understands what MineDojo sends to Java, answers as Java would."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mnemocraft.envs.minedojo.minedojo_worker.protocol import receive, send
from mnemocraft.envs.overworld import OverworldEnv
from mnemocraft.envs.overworld.biomes import BIOMES
from mnemocraft.envs.overworld.items import CRAFTS
from mnemocraft.envs.overworld.spaces import NO_OP, VOXEL_FLAGS

CRAFT_INDEX = {item: index for index, (item, _) in enumerate(CRAFTS)}
LOCATION = {
    "yaw": "yaw",
    "pitch": "pitch",
    "rainfall": "biome_rainfall",
    "temperature": "biome_temperature",
    "light_level": "light_level",
    "sky_light_level": "sky_light_level",
    "sun_brightness": "sun_brightness",
    "sea_level": "sea_level",
    "biome_id": "biome_id",
    "is_raining": "is_raining",
    "can_see_sky": "can_see_sky",
}
"""Our key of a fact about the place, and the game's."""
KEYS = {"jump": (2, 1), "sneak": (2, 2), "sprint": (2, 3), "use": (5, 1), "drop": (5, 2), "attack": (5, 3)}
KEYS |= {"forward": (0, 1), "back": (0, 2), "left": (1, 1), "right": (1, 2)}
"""Place and value in our action of each key of the keyboard."""


class Game:
    """A world that speaks the game's language.

    Attributes:
        missions: The settings sent at each reset, as XML.
        commands: Chat commands received.
        lose_at: Tick at which the game stops answering.
    """

    def __init__(self) -> None:
        self.missions: list[str] = []
        self.commands: list[str] = []
        self.lose_at: int | None = None
        self._ticks, self._lag = 0, 0

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], np.ndarray]:
        """What Java would send."""
        if request["what"] == "mission":
            self._begin(request["text"])
        else:
            self._tick(request["text"].splitlines())
        raw, picture = raw_observation(self._observation)
        dead = int(self._observation["life"] <= 0)
        return raw | {"stat": {"deaths": dead}, "lost": self._ticks == self.lose_at}, picture

    def _begin(self, mission: str) -> None:
        self.missions.append(mission)
        self._env = OverworldEnv(**settings_of(mission))
        self._observation, _ = self._env.reset()
        self._ticks, self._lag = 0, 0

    def _tick(self, lines: list[str]) -> None:
        """One tick. The overworld takes the three ticks of some actions at once, so two follow idly."""
        self._ticks += 1
        action = action_of(lines, self._observation)
        chat = [line[len("chat /") :].split() for line in lines if line.startswith("chat ")]
        if self._lag and not chat:
            assert action == list(NO_OP), "MineDojo waits two ticks"
            self._lag -= 1
            return
        self._lag = 2 if chat or action[5] in (2, 4, 5, 6, 7) else 0
        if chat:
            self.commands.append(" ".join(chat[0]))
            if not self._command(chat[0], action):
                return
        self._observation, *_ = self._env.step(action)

    def _command(self, words: list[str], action: list[int]) -> bool:
        """Obey a chat command; True if a step must follow, because it was part of an action."""
        match words:
            case ["replaceitem", "entity", "@p", slot, "minecraft:air", "1", "0"]:
                action[5], action[7] = 7, slot_number(slot)
                return True
            case ["clear"]:
                self._given: dict[str, int] = {}
                self._env.set_inventory({})
            case ["replaceitem", "entity", "@p", _, item, number, "0"]:
                name = item.removeprefix("minecraft:")
                self._given[name] = self._given.get(name, 0) + int(number)
                self._env.set_inventory(self._given)
            case ["tp", x, y, z, yaw, pitch]:
                self._env.teleport_agent(float(x), float(y), float(z), int(yaw), int(pitch))
            case ["setblock", x, y, z, block, variant]:
                self._env.set_block(block, offset(x, y, z), int(variant))
            case ["summon", mob, x, y, z]:
                self._env.spawn_mobs(mob, offset(x, y, z))
            case ["time", "set", time]:
                self._env.set_time(int(time))
            case _:
                raise AssertionError(words)
        return False


def offset(*places: str) -> tuple[int, int, int]:
    """``~1 ~0 ~-2`` as numbers."""
    x, y, z = (int(place.removeprefix("~")) for place in places)
    return x, y, z


def slot_number(name: str) -> int:
    """A slot as chat commands name it: the hot bar has nine, the main hand is its first."""
    if name == "slot.weapon.mainhand":
        return 0
    kind, number = name.removeprefix("slot.").split(".")
    return int(number) + {"hotbar": 0, "inventory": 9}[kind]


def settings_of(mission: str) -> dict[str, Any]:
    """The overworld that a mission's XML asks for."""
    parts = {part.tag.rpartition("}")[2]: part for part in ElementTree.fromstring(mission).iter()}
    tree = ElementTree.fromstring(mission)
    named = [part for part in tree.iter() if part.tag.endswith("}InventoryObject")]
    world = parts.get("BiomeGenerator", parts.get("DefaultWorldGenerator"))
    assert world is not None
    assert world.attrib["forceReset"] == "true", "otherwise an episode begins in the ruins of the last"
    inventory: dict[str, int] = {}
    for place, part in enumerate(named):
        assert part.attrib["slot"] == str(place)
        item = part.attrib["type"]
        inventory[item] = inventory.get(item, 0) + int(part.attrib["quantity"])
    biome = world.attrib.get("biome")
    size = parts["Height"].text, parts["Width"].text
    settings: dict[str, Any] = {
        "seed": int(world.attrib["seed"]),
        "specified_biome": None if biome is None else _biome(int(biome)),
        "initial_inventory": inventory,
        "image_size": tuple(int(side or 0) for side in size),
        "allow_time_passage": parts["AllowPassageOfTime"].text == "true",
        "allow_mob_spawn": parts["AllowSpawning"].text == "true",
    }
    return settings | ({"start_time": int(parts["StartTime"].text or 0)} if "StartTime" in parts else {})


def _biome(number: int) -> str:
    from mnemocraft.envs.minecraft.rules import rules

    return next(b.name for b in BIOMES if rules("1.11.2").biomes[b.rule].id == number)


def action_of(lines: list[str], observation: dict[str, Any]) -> list[int]:
    """The eight numbers of an action, from the lines that MineDojo sends to the game."""
    action = list(NO_OP)
    slots = [name.replace(" ", "_") for name in observation["inventory"]["name"].tolist()]
    for line in lines:
        word, *values = line.split()
        if word == "camera":
            action[3], action[4] = (round((float(value) + 180) / 15) for value in values)
        elif word in KEYS and values == ["1"]:
            place, value = KEYS[word]
            action[place] = value
        elif word in ("craft", "craftNearby", "smeltNearby") and values != ["none"]:
            action[5], action[6] = 4, CRAFT_INDEX[values[0]]
            assert CRAFTS[action[6]][1] == ("craft", "craftNearby", "smeltNearby").index(word)
        elif word in ("equip", "place") and values[0] not in ("none", "none#?"):
            action[5] = 5 if word == "equip" else 6
            action[7] = slots.index(values[0].removesuffix("#?"))
    return action


def raw_observation(observation: dict[str, Any]) -> tuple[dict[str, Any], np.ndarray]:
    """An observation as the game's message, and the picture, upside down."""
    raw: dict[str, Any] = {"inventory": _inventory(observation), "voxels": _voxels(observation["voxels"])}
    life, place, near = (observation[key] for key in ("life_stats", "location_stats", "nearby_tools"))
    for key, value in life.items():
        raw["air" if key == "oxygen" else key] = value.item()
    raw |= {theirs: place[ours].item() for ours, theirs in LOCATION.items()}
    raw |= dict(zip(("xpos", "ypos", "zpos"), place["pos"].tolist(), strict=True))
    raw |= {"nearby_crafting_table": near["table"].item(), "nearby_furnace": near["furnace"].item()}
    raw |= {key: value.item() for key, value in observation["damage_source"].items()}
    return raw, observation["image"][::-1]


def _inventory(observation: dict[str, Any]) -> list[dict[str, Any]]:
    """41 stacks: 36 slots, feet, legs, chest, head, off hand."""
    stacks = []
    for slots, places in ((observation["inventory"], range(36)), (observation["equipment"], range(1, 6))):
        for place in places:
            stack = {key: values[place].item() for key, values in slots.items()}
            stack["name"] = stack["name"].replace(" ", "_")
            stacks.append(stack | {"inventory": "inventory", "index": len(stacks)})
    return stacks


def _voxels(voxels: dict[str, np.ndarray]) -> list[Any]:
    """Ten values for each of the 27 blocks, x first."""
    keys = ("block_name", "block_meta", *VOXEL_FLAGS, "cos_look_vec_angle")
    columns = [voxels[key].ravel(order="F").tolist() for key in keys]
    return [value for cell in zip(*columns, strict=True) for value in cell]


@contextmanager
def served(game: Game) -> Iterator[int]:
    """Let a game answer at a port of this machine; what goes wrong in it is raised at the end."""
    errors: list[BaseException] = []

    def serve() -> None:
        with suppress(EOFError, OSError):  # the worker has ended
            connection, _ = listener.accept()
            with connection, connection.makefile("rwb") as stream:
                while True:
                    request, _ = receive(stream)
                    try:
                        raw, picture = game.answer(request)
                    except BaseException as error:
                        errors.append(error)
                        return
                    send(stream, raw, {"pov": picture})

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        if errors:
            raise errors[0]
