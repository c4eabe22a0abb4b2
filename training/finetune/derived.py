"""What the expert says before it decides: all follows from the prompt, or from what was just said.

The stand-in gives a decision and hardly a reason. A small model has to get there in one pass, and does not:
in Minecraft it put plans together that began nowhere, in the kitchen it moved to where it stood and cut what
was cut. So what the stand-in looked at is written in front of what it decided. Prompts and readers are as
they were; to a reader it is nothing but a longer comment, or a longer reasoning.
"""

from __future__ import annotations

from mnemocraft.agents.deps.plan import read_plan
from mnemocraft.llm.types import Message
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.minds.kitchen import KitchenMind, choosing
from mnemocraft.surrogate.minds.kitchen.acts import imagine
from mnemocraft.surrogate.minds.kitchen.layout import WORKPLACE, Layout, Want
from mnemocraft.surrogate.minds.kitchen.policy import first, ideas
from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen

_KNOWS_ALL = Competence(1, 1, 0, 0)
_AIMS = {"pick": "take", "unstack": "take", "place": "put", "stack": "put"}


def derived_plan(messages: list[Message], answer: str, known: bool) -> str:
    """A plan in code with comments in front that go from the task back to what is there; else the answer.

    A comment is a step: how much of what, and after the colon what it takes. Arguments as of
    :func:`derived_action`; the plan says all.
    """
    head, line_end, body = answer.partition("\n")
    steps = read_plan(answer).steps if head.startswith("def ") else ()
    lines = []
    for goal, step in [(step.goal, step) for step in reversed(steps) if step.goal]:
        takes = [*(f"{units} {item}" for item, units in step.needs.items()), step.station, goal.tool]
        lines.append(f"    # {goal.count} {goal.item}: {', '.join(filter(None, takes)) or 'nothing'}\n")
    return head + line_end + "".join(lines) + body


def derived_action(messages: list[Message], answer: str, known: bool, here: bool = False) -> str:
    """An action in the kitchen whose reasoning says where the robot is and what it holds, what every dish has
    and wants, where that is, and what will be done there; else the answer.

    Args:
        messages: What was asked.
        answer: The stand-in's.
        known: The dish is. Of another no more is said than what was done in the experience that is shown.
        here: Where the robot is is said again at the end. Whether something will be done there decides
            between going there and doing it.
    """
    mind = KitchenMind(Conversation(messages), _KNOWS_ALL)
    scene, past = mind.scene, mind.conversation.experience
    reasoning, header, rest = answer.partition("\nAction: ")
    if scene is None or not header or not reasoning.startswith("Reasoning: "):
        return answer
    action = rest.partition("\n")[0]
    said = [f"{scene.robot} is at {scene.at} and holds {scene.held or 'nothing'}."]
    if known:
        layout = _layout(mind, scene)
        said += [_site(scene, layout, n) for n, site in enumerate(layout.sites) if not site.closed]
        said.append(_aim(mind, scene, layout, action))
    elif past is not None:
        said.append(f"Past: {past[1]}.")
    if here:
        said.append(f"Here: {scene.at}.")
    return f"Reasoning: {' '.join(filter(None, said))} Next: {action}.{header}{rest}"


def _layout(mind: KitchenMind, scene: SeenKitchen) -> Layout:
    return choosing.survey(scene, mind.conversation, mind.beliefs)[1]


def _site(scene: SeenKitchen, layout: Layout, number: int) -> str:
    """A dish, what it has and what it wants."""
    site = layout.sites[number]
    built = scene.stacks[site.station][: site.built] if site.station else ()
    has = f" has {', '.join(built)} and" if built else ""
    wanted = ", ".join(_wanted(scene, want) for want in layout.wants if want.site == number)
    return f"{site.dish.name} on {site.station}{has} wants {wanted or 'nothing'}."


def _aim(mind: KitchenMind, scene: SeenKitchen, layout: Layout, action: str) -> str:
    """What will be done at the station where the robot is, or where an action takes it; nothing if the
    action is no idea of a reader who knows all."""
    act = next((act for act in ideas(scene, layout) if act.text(scene) == action), None)
    if act is not None and act.verb == "move":
        scene = imagine(scene, act, {})
        act = first(scene, _layout(mind, scene))
    return f"Aim: {_AIMS.get(act.verb, act.verb)} {act.a} at {scene.at}." if act and act.a else ""


def _wanted(scene: SeenKitchen, want: Want) -> str:
    """An ingredient, where it is, and what has or had to be done with it."""
    if want.item is None:
        return f"no {want.need.kind}"
    states = [s if scene.has(want.item, s) else f"not {s}" for s in WORKPLACE if s in want.need.states]
    if scene.has(want.item, "cooking"):
        states = ["cooking"]
    above = scene.above(want.item)
    place = "held" if want.item == scene.held else scene.places[want.item]
    return f"{want.item} ({', '.join([place, *states, *(f'under {item}' for item in above[:1])])})"
