"""What the models answer: JSON, checked against schemas. Nothing that they write raises an exception here."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from mnemocraft.agents.prompts import one_line
from mnemocraft.bounded import json_objects
from mnemocraft.worlds.minecraft import MAX_COUNT

LONGEST = 20_000
"""Characters of an answer that are read."""


def _name(value: object) -> object:
    """Names as the game has them: ``Iron Pickaxe`` is ``iron_pickaxe``, and nothing is empty."""
    if value is None or value == "None":
        return ""
    return "_".join(value.lower().split()) if isinstance(value, str) else value


Name = Annotated[str, BeforeValidator(_name), Field(pattern=r"^([a-z][a-z0-9_]{0,63})?$")]
Item = Annotated[str, BeforeValidator(_name), Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Count = Annotated[int, Field(ge=1, le=MAX_COUNT)]
Units = dict[Item, Count]


class SubGoal(BaseModel):
    """What to get, and what that takes; in the paper a node of a tree (section 2.2.2), here of a list."""

    task: Item
    quantity: Count = 1
    materials: Units = {}
    tool: Name = ""
    platform: Name = ""


class Decomposition(BaseModel):
    """The sub-goals of a task, leaves first."""

    subgoals: list[SubGoal] = Field(min_length=1, max_length=100)


class Arguments(BaseModel):
    """Of an action of Table 4; each action has some of them."""

    obj: Name = ""
    quantity: Count = 1
    materials: Units = {}
    tool: Name = ""
    platform: Name = ""
    y: Count = 11


class Act(BaseModel):
    """One of Table 4's eight actions (crafting and smelting share a row there)."""

    name: Literal["find", "approach", "mine", "craft", "smelt", "attack", "equip", "dig_down", "dig_up"]
    args: Arguments = Arguments()


class Repeat(BaseModel):
    """Some actions, performed some times."""

    times: Count = 1
    actions: list[Act] = Field(max_length=100)


class Workflow(BaseModel):
    """A plan for a sub-goal (appendix D)."""

    explanation: str = ""
    workflow: list[Repeat] = Field(max_length=100)


class Reflection(BaseModel):
    """What the reflector says: whether all is well, and what to do otherwise."""

    achieved: bool
    reflection: str


class Skill(BaseModel):
    """A node of Plan4MC's skill graph: what an action gives, uses up, and needs beside it."""

    verb: Literal["mine", "craft", "smelt", "kill"]
    item: Item
    makes: Count = 1
    consumes: Units = {}
    requires: Units = {}


class SkillGraph(BaseModel):
    """The skills that a task may take."""

    skills: list[Skill] = Field(min_length=1, max_length=200)


Answer = TypeVar("Answer", bound=BaseModel)


def read(text: str, kind: type[Answer]) -> tuple[Answer | None, str]:
    """An answer, or in one sentence what is wrong with it; what stands around the JSON is passed over."""
    found = next(json_objects(text[:LONGEST]), None)
    if found is None:
        return None, f"The answer is no {kind.__name__}: it has no whole JSON object."
    try:
        return kind.model_validate_json(text[found.start : found.end]), ""
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(name)[:64] for name in first["loc"])
        return None, one_line(f"The answer is no {kind.__name__}: {place} {first['msg']}.")
