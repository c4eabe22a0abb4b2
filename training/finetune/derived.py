"""What the expert says before it decides: all follows from the prompt, or from what was just said.

The stand-in gives a decision and hardly a reason. A small model has to get there in one pass, and does not:
in Minecraft it put plans together that began nowhere, in the kitchen it moved to where it stood and cut what
was cut. So what the stand-in looked at is written in front of what it decided. Prompts and readers are as
they were; to a reader it is nothing but a longer comment, or a longer reasoning.
"""

from __future__ import annotations

import json

from mnemocraft.agents.deps.plan import read_plan
from mnemocraft.llm.types import Message
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.minds.kitchen import KitchenMind, choosing, policy
from mnemocraft.surrogate.minds.kitchen.acts import Act, imagine
from mnemocraft.surrogate.minds.kitchen.layout import WORKPLACE, Layout, Want
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


def derived_action(messages: list[Message], answer: str, known: bool, errands: bool = False) -> str:
    """An action in the kitchen whose reasoning says where the robot is and what it holds, what every dish has
    and wants, where that is, and what will be done there; sub-tasks (ReCAP's) with all of it but the last;
    another answer as it is.

    Args:
        messages: What was asked.
        answer: The stand-in's.
        known: The dish is. Of another no more is said than what was done in the experience that is shown.
        errands: With everything that is wanted it is said what has to be done with it next, and the place
            where the robot is is called "here". Then no step asks for more than one comparison.
    """
    mind = KitchenMind(Conversation(messages), _KNOWS_ALL)
    scene, past = mind.scene, mind.conversation.experience
    reasoning, header, rest = answer.partition("\nAction: ")
    tasks = json.loads(answer) if answer.startswith('{"think": ') else None
    if scene is None or not (tasks or (header and reasoning.startswith("Reasoning: "))):
        return answer
    action = rest.partition("\n")[0]
    said = [f"{scene.robot} is at {scene.at} and holds {scene.held or 'nothing'}."]
    if known:
        layout = _layout(mind, scene)
        said += [_site(scene, layout, n, errands) for n, site in enumerate(layout.sites) if not site.closed]
        said.append("" if tasks else (_step if errands else _aim)(mind, scene, layout, action))
    elif past is not None:
        said.append(f"Past: {past[1]}.")
    found = " ".join(filter(None, said))
    if tasks:
        return json.dumps(tasks | {"think": f"{found} {tasks['think']}"})
    return f"Reasoning: {found} Next: {action}.{header}{rest}"


def _layout(mind: KitchenMind, scene: SeenKitchen) -> Layout:
    return choosing.survey(scene, mind.conversation, mind.beliefs)[1]


def _site(scene: SeenKitchen, layout: Layout, number: int, errands: bool) -> str:
    """A dish, what it has and what it wants."""
    site = layout.sites[number]
    built = scene.stacks[site.station][: site.built] if site.station else ()
    has = f" has {', '.join(built)} and" if built else ""
    on = _place(scene, site.station, errands) if site.station else None
    wanted = ", ".join(_wanted(scene, layout, want, errands) for want in layout.wants if want.site == number)
    return f"{site.dish.name} {'' if on == 'here' else 'on '}{on}{has} wants {wanted or 'nothing'}."


def _place(scene: SeenKitchen, station: str, errands: bool) -> str:
    return "here" if errands and station == scene.at else station


def _aim(mind: KitchenMind, scene: SeenKitchen, layout: Layout, action: str) -> str:
    """What will be done at the station where the robot is, or where an action takes it; nothing if the
    action is no idea of a reader who knows all."""
    scene, act = _at_work(mind, scene, layout, action)
    return f"Aim: {_AIMS.get(act.verb, act.verb)} {act.a} at {scene.at}." if act and act.a else ""


def _step(mind: KitchenMind, scene: SeenKitchen, layout: Layout, action: str) -> str:
    """As :func:`_aim`, with what a thing is taken from or put on."""
    there, act = _at_work(mind, scene, layout, action)
    if act is None or not act.a:
        return "Aim: wait." if action == "Do nothing" else ""
    word = {"take": "from", "put": "on"}.get(verb := _AIMS.get(act.verb, act.verb))
    at = f" {word} {act.b}" if word and act.b != there.at else ""
    return f"Aim: {verb} {act.a}{at} {'here' if there.at == scene.at else f'at {there.at}'}."


def _at_work(
    mind: KitchenMind, scene: SeenKitchen, layout: Layout, action: str
) -> tuple[SeenKitchen, Act | None]:
    """The scene where an action takes the robot, and what will be done there."""
    act = next((act for act in policy.ideas(scene, layout) if act.text(scene) == action), None)
    if act is not None and act.verb == "move":
        scene = imagine(scene, act, {})
        act = policy.first(scene, _layout(mind, scene))
    return scene, act


def _wanted(scene: SeenKitchen, layout: Layout, want: Want, errands: bool) -> str:
    """An ingredient, where it is, and what has or had to be done with it."""
    if want.item is None:
        return f"no {want.need.kind}"
    states = [s if scene.has(want.item, s) else f"not {s}" for s in WORKPLACE if s in want.need.states]
    if scene.has(want.item, "cooking"):
        states = ["cooking"]
    above = scene.above(want.item)
    place = "held" if want.item == scene.held else _place(scene, scene.places[want.item], errands)
    said = ", ".join([place, *states, *(f"under {item}" for item in above[:1])])
    return f"{want.item} ({said}{f': {_errand(scene, layout, want.item)}' if errands else ''})"


def _errand(scene: SeenKitchen, layout: Layout, item: str) -> str:
    """What has to be done next with something that is wanted."""
    errand = next((each for each in policy.errands(scene, layout) if each.thing == item), None)
    if errand is None:
        return "later"
    if errand.blockers:
        return f"clear {errand.blockers[0]}"
    if errand.work and errand.station == scene.places.get(item):
        return errand.work
    return f"to {_place(scene, errand.station, True)}"
