"""The planning-only world of DEPS Table 3: an inventory, rules and a perfect controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium

from mnemocraft.bounded import whole
from mnemocraft.envs.checks import tool_call
from mnemocraft.envs.minecraft.engine import Inventory, TextWorldEngine, engine
from mnemocraft.envs.minecraft.operators import Name, Operator
from mnemocraft.envs.minecraft.sentences import Answer, explain, unknown
from mnemocraft.envs.minecraft.spaces import InventorySpace, random_call
from mnemocraft.envs.spaces import TextSpace, ToolCallSpace
from mnemocraft.envs.task_env import TaskEnv
from mnemocraft.errors import MnemocraftError

Action = dict[str, Any]
"""A tool call: ``{"name": "craft", "arguments": {"item": "stick"}}``; a list ``using`` may name materials
or fuel to use first."""

Observation = dict[str, Any]
"""``text`` (str), ``inventory`` (``{"oak_log": 3}``) and ``equipped`` (item in the hand or ``""``)."""


_OVER = "The episode is over."


class TextWorldEnv(TaskEnv[Action | str]):
    """An inventory that changes by mining, killing, crafting and smelting; each action always works out.

    A malformed or impossible action counts as a step, changes nothing, and is answered by a sentence that
    says what is missing. ``rules="game"``: the version's real rules; members of a family mix, smelting burns
    fuel, stations (crafting table, furnace, what portals need) must be in the inventory, which has 36 slots;
    the verbs are mine (also for what mobs leave), kill, craft, smelt, equip and no_op.
    ``rules="mc-textworld"``: the semantics of the environment that the DEPS paper used, by 1.16.5's names;
    the verbs are mine, craft, smelt and no_op.

    Args:
        version: ``1.11.2``, ``1.16.5`` or ``1.19.2``.
        rules: ``"game"`` or ``"mc-textworld"``.
        target: An item, a tag (``"#planks"``) or a mapping of these to numbers; None = no end but
            ``max_steps``. The empty mapping is reached by the first action that succeeds.
        inventory: What is there at the start.
        max_steps: Steps allowed.
        durability: With True, tools wear by mining and break (real rules only).

    Raises:
        MnemocraftError: No such version, rules, target or item, or a number that makes no sense.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        version: str = "1.16.5",
        rules: str = "game",
        target: str | Mapping[str, int] | None = None,
        inventory: Mapping[str, int] | None = None,
        max_steps: int = 1000,
        durability: bool = False,
    ) -> None:
        self.engine: TextWorldEngine = engine(version, rules)
        max_steps = whole(max_steps, "max_steps", 1)
        if durability and rules != "game":
            raise MnemocraftError(
                "Nothing wears under MC-TextWorld's rules; use rules='game' with durability."
            )
        self.start = _numbers(self.engine, _mapping("inventory", {} if inventory is None else inventory), 0)
        if self.engine.real:
            self.start = {item: units for item, units in self.start.items() if units}
        self.target = None if target is None else _goal(self.engine, target)
        self._goal = [(self.engine.rules.members(name), n) for name, n in (self.target or {}).items()]
        self.max_steps, self.durability = max_steps, durability
        self.observation_space = gymnasium.spaces.Dict(
            {"text": TextSpace(), "inventory": InventorySpace(self.engine), "equipped": TextSpace()}
        )
        self.action_space = ToolCallSpace(partial(random_call, self.engine))
        settings = {"version": version, "rules": rules, "target": target, "inventory": inventory}
        self._record("TextWorld", **settings, max_steps=max_steps, durability=durability)
        self._restart()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Back to the start inventory. Nothing is random; ``seed`` only seeds ``np_random``."""
        super().reset(seed=seed, options=options)
        self._restart()
        return self._observe(""), self._info()

    def _restart(self) -> None:
        self.inventory: Inventory = dict(self.start)
        self.heat, self.steps, self.reason, self.equipped = 0, 0, "", ""
        self._wear: dict[str, int] = {}
        self._words = {item: f"{units} {item}" for item, units in self.start.items() if units}
        self._listed = f"Inventory: {', '.join(self._words.values()) or 'nothing'}."

    def step(self, action: Action | str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do one tool call, given as a dict or its JSON.

        Returns:
            Observation, reward (1 when the target is reached), terminated, truncated and ``info`` with
            ``success``, ``steps``, ``action_success``, ``category`` (``ok``, ``unknown_action``,
            ``missing_tool``, ``missing_material`` ...), on failure ``failure`` (a sentence) and ``missing``
            (item to units), and at the end ``reason``: ``success`` or ``max_steps``. After the end nothing
            changes any more.
        """
        if self.reason:
            over = self._info(action_success=False, category="over", failure=_OVER, missing={})
            return self._observe(_OVER), 0.0, *self._ends(), over
        self.steps += 1
        failed = self._act(action)
        info: dict[str, Any]
        if failed is None:
            info = {"success": False, "steps": self.steps, "action_success": True, "category": "ok"}
            if self.target is not None and self._reached():
                self.reason, info["success"] = "success", True
            text = self._listed
        else:
            kind, sentence, missing = failed
            info = {"success": False, "steps": self.steps, "action_success": False, "category": kind}
            info["failure"], info["missing"] = sentence, dict(missing)
            text = f"{sentence}\n{self._listed}"
        if not self.reason and self.steps >= self.max_steps:
            self.reason = "max_steps"
        observation = {"text": text, "inventory": dict(self.inventory), "equipped": self.equipped}
        if not self.reason:
            return observation, 0.0, False, False, info
        info["reason"], done = self.reason, info["success"]
        return observation, float(done), done, not done, info

    def valid_actions(self) -> list[Name]:
        """Verb and item of every action that would succeed now, in a fixed order; ``equip`` is left out."""
        return self.engine.legal(self.inventory, self.heat)

    def _act(self, action: Action | str) -> Answer | None:
        """Carry out an action; None if it worked out, else what was wrong."""
        try:  # the usual case first: a well-formed call of a known action
            arguments = action["arguments"]  # type: ignore[index]
            name = action["name"], arguments["item"]  # type: ignore[index]
            if name not in self.engine.operators or len(arguments) > 1:
                raise KeyError
            using: Sequence[str] = ()
        except (TypeError, KeyError):
            try:
                verb, item, using = parse_action(action)
            except MnemocraftError as error:
                return "unknown_action", str(error), {}
            name = verb, item
            if name not in self.engine.operators:
                return self._other(verb, item)
        way = self.engine.choose(name, self.inventory, self.heat, using)
        if way is None:
            return explain(self.engine, name, self.inventory, self.heat)
        self._apply(way, using)
        return None

    def _apply(self, way: Operator, using: Sequence[str]) -> None:
        held, words = self.inventory, self._words
        touched, self.heat = self.engine.change(way, held, self.heat, using)
        if self.durability and way.wears:
            touched.append(self._use_up(way))
        for item in touched:
            units = held.get(item)
            if units:
                words[item] = f"{units} {item}"
            else:
                words.pop(item, None)
        self._listed = f"Inventory: {', '.join(words.values()) or 'nothing'}."
        if self.equipped and not held.get(self.equipped):
            self.equipped = ""

    def _other(self, verb: str, item: str) -> Answer | None:
        if verb == "no_op":
            return None
        if verb == "equip" and self.engine.real and item in self.engine.items:
            if self.inventory.get(item, 0):
                self.equipped = item
                return None
            return "missing_material", f"I cannot equip {item}: I need a {item} in the inventory.", {item: 1}
        return "unknown_action", unknown(self.engine, verb, item), {}

    def _use_up(self, way: Operator) -> str:
        """The first tool that will do loses a use, and breaks when none is left; that tool."""
        tool = next(item for item in way.wears if self.inventory.get(item, 0))
        uses = self.engine.rules.items[tool].durability
        self._wear[tool] = self._wear.get(tool, 0) + 1
        if uses and self._wear[tool] >= uses:
            self._wear[tool] = 0
            self.inventory[tool] -= 1
            if not self.inventory[tool]:
                del self.inventory[tool]
        return tool

    def _reached(self) -> bool:
        get = self.inventory.get
        for members, units in self._goal:
            if (get(members[0], 0) if len(members) == 1 else sum(get(item, 0) for item in members)) < units:
                return False
        return True

    def _observe(self, answer: str) -> Observation:
        text = f"{answer}\n{self._listed}" if answer else self._listed
        return {"text": text, "inventory": dict(self.inventory), "equipped": self.equipped}


def parse_action(action: Action | str) -> tuple[str, str, Sequence[str]]:
    """Verb, item and preferred materials of a tool call.

    Raises:
        MnemocraftError: The call is malformed; the message is one sentence for whoever made it.
    """
    call = tool_call(action)
    if not isinstance(verb := call.get("name"), str):
        raise MnemocraftError('An action must be a tool call with "name" and "arguments".')
    arguments = call.get("arguments") or {}
    if not isinstance(arguments, dict):
        raise MnemocraftError(f'The "arguments" of {verb} must be an object.')
    if unknown_names := arguments.keys() - {"item", "using"}:
        named = ", ".join(sorted(map(str, unknown_names)))
        raise MnemocraftError(f'The action {verb} takes the arguments "item" and "using", not {named}.')
    item, using = arguments.get("item", ""), arguments.get("using", ())
    if not isinstance(item, str) or (not item and verb != "no_op"):
        raise MnemocraftError(f'The action {verb} needs the argument "item", the name of an item.')
    if using and (not isinstance(using, list | tuple) or any(not isinstance(name, str) for name in using)):
        raise MnemocraftError(f'The argument "using" of {verb} must be a list of item names.')
    return verb, item, using or ()


def _goal(world: TextWorldEngine, target: str | Mapping[str, int]) -> dict[str, int]:
    goal = _mapping("target", {target: 1} if isinstance(target, str) else target)
    for name in goal:
        if not isinstance(name, str) or not name.startswith("#"):
            continue
        world.rules.members(name)
    plain = {name: units for name, units in goal.items() if not str(name).startswith("#")}
    tags = {name: units for name, units in goal.items() if name not in plain}
    _numbers(world, plain, 1)
    _numbers(world, tags, 1, known=frozenset(tags))
    return goal


def _mapping(what: str, given: Any) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise MnemocraftError(f'{what} gives items their numbers, as in {{"stick": 2}}; it is {given!r}.')
    return dict(given)


def _numbers(
    world: TextWorldEngine, numbers: Mapping[str, int], least: int, known: frozenset[str] = frozenset()
) -> Inventory:
    """Check a mapping of items to units; MC-TextWorld takes any name, as the peer does."""
    for item, units in numbers.items():
        if world.real and item not in world.items and item not in known:
            raise MnemocraftError(unknown(world, "mine", str(item)))
        whole(units, f"The number of {item}", least)
    return dict(numbers)
