"""Choosing one action.

What it weighs, in this order: the error feedback, a loop warning, a past experience, its own ideas (with the
errors of its beliefs before the sound ones). What each part of the prompt adds:

- **Observation**: with probability 1 - ``attention`` one thing in it is overlooked.
- **Valid Actions**: an idea that is not listed is dropped, with probability ``attention``; else it is said.
- **Environment Simulation**: an idea whose outcome does not say what the idea expects is dropped, with
  probability ``attention``, and the belief behind it is given up. Without the section nothing is checked.
  A slip is caught in the same way. Beliefs about dishes cannot be refuted like this.
- **Loop Warning**: what was done here last time is not done again, with probability ``attention``, unless it
  is an action that has to be repeated; the wrong belief behind it is given up.
- **Past Experience**: its action (or the only valid one that says the same of things of the same kinds) is
  taken, with probability ``attention``, when it served a goal that shares words with its own, undoes nothing
  and no loop is warned of; or when there is no idea of its own. It teaches beliefs about dishes: what was
  taken to a board, stove or fryer, or worked on there, has to be cut, cooked or fried; what was stacked
  belongs there.
- **What is carried over** (or its last answers in a conversation): sites it has chosen, and lessons. Lessons
  in a memory count as well.
"""

import re
from collections import Counter
from collections.abc import Iterator

from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.minds.kitchen.acts import PATIENT
from mnemocraft.surrogate.minds.kitchen.beliefs import (
    CLOSED,
    DISHES,
    PATTY,
    SOUP_BOILS,
    TABLE,
    Beliefs,
    lessons,
    prepared,
)
from mnemocraft.surrogate.minds.kitchen.dishes import Dish, understand, words
from mnemocraft.surrogate.minds.kitchen.errors import Idea, misled, slip
from mnemocraft.surrogate.minds.kitchen.layout import WORKPLACE, Layout, lay_out
from mnemocraft.surrogate.minds.kitchen.policy import ideas
from mnemocraft.surrogate.minds.kitchen.scene import SeenKitchen, read_scene

_TELLS = {
    ("Stack", "patty"): [PATTY],
    ("Stack", "bread"): [CLOSED["bread"]],
    ("Stack", "topbun"): [CLOSED["bottombun"]],
    ("Boil", "pot"): [SOUP_BOILS],
}
"""Beliefs that seeing something done puts right."""
_NUMBER = re.compile(r"\d+")


def beliefs_for(prompt: Conversation, who: Competence) -> Beliefs:
    """What it believes as it reads a prompt, with the lessons in its notes that it heeds this time."""
    beliefs = Beliefs(who, prompt.goal, prompt.moment)
    noted = lessons("\n".join([prompt.own, *(content for _, content in prompt.readings)]))
    return beliefs.learns(belief for belief in noted if beliefs.heeds("lesson", belief))


def seen(scene: SeenKitchen, beliefs: Beliefs) -> SeenKitchen:
    """What it takes in of an observation: with probability 1 - ``attention`` it overlooks one thing."""
    if not scene.places or beliefs.heeds("observation"):
        return scene
    return scene.without(pick(sorted(scene.places), "overlooked", beliefs.moment))


def note(prompt: Conversation, beliefs: Beliefs) -> str:
    """The lessons so far, as a sentence to be carried on."""
    learned = sorted(beliefs.told | lessons(prompt.own))
    return f" Lessons: {'; '.join(learned)}." if learned else ""


def survey(scene: SeenKitchen, prompt: Conversation, beliefs: Beliefs) -> tuple[Beliefs, Layout]:
    """What it wants to do in a scene; when it thinks that all is done, it thinks again."""
    layout = _layout(scene, prompt, beliefs)
    if not layout.done:
        return beliefs, layout
    dishes = dishes_in(scene, beliefs)
    again = [
        belief
        for belief in beliefs.second_thoughts()
        if belief == TABLE or dishes_in(scene, beliefs.learns([belief])) != dishes
    ]
    beliefs = beliefs.learns(again)
    return beliefs, _layout(scene, prompt, beliefs) if again else layout


def dishes_in(scene: SeenKitchen, beliefs: Beliefs) -> tuple[Dish, ...]:
    """The dishes it has to make."""
    return understand(beliefs.task, Counter(scene.kinds.values()), beliefs)


def _layout(scene: SeenKitchen, prompt: Conversation, beliefs: Beliefs) -> Layout:
    dishes = dishes_in(scene, beliefs)
    return lay_out(scene, dishes, not beliefs.knows(TABLE), _kept(prompt, dishes, beliefs))


def _kept(prompt: Conversation, dishes: tuple[Dish, ...], beliefs: Beliefs) -> list[str | None]:
    """The stations that its account of the progress names, one for each dish."""
    named = [part.partition(" on ")[2].partition(":")[0] for part in prompt.progress.split("; ")]
    if len(named) != len(dishes) or not beliefs.heeds("progress"):
        return []
    return list(named)


def written(idea: Idea, prompt: Conversation, beliefs: Beliefs) -> str:
    """The action as it is written down: a slip is caught when its outcome is shown and not what was meant."""
    if not beliefs.who.slips("kitchen", beliefs.moment):
        return idea.action
    wrong = slip(prompt.valid, idea.action, beliefs)
    seen = prompt.simulated and prompt.outcome(wrong) != prompt.outcome(idea.action)
    return idea.action if seen and beliefs.heeds("slip") else wrong


def taught(scene: SeenKitchen, prompt: Conversation, beliefs: Beliefs) -> list[str]:
    """Beliefs that a past experience puts right: what was worked on, or taken to where that is done."""
    past = prompt.experience
    if past is None or not beliefs.heeds("experience"):
        return []
    verb, _, rest = past[1].partition(" ")
    thing = _kind(rest.partition(" ")[0])
    station = _kind(re.split(" on | to ", past[1])[-1].partition(" ")[0])
    if verb == "Move":
        thing = _kind(scene.held or "")
    states = [state for state, kind in WORKPLACE.items() if station == kind]
    told = [prepared(thing, state) for state in states] + _TELLS.get((verb, thing), [])
    return [belief for belief in told if belief in DISHES]


def _kind(name: str) -> str:
    return name.partition("'")[0].rstrip("0123456789")


def choose(
    scene: SeenKitchen, layout: Layout, prompt: Conversation, beliefs: Beliefs
) -> tuple[Idea, Beliefs]:
    """The first idea that nothing speaks against, and what was learned from those that were dropped."""
    avoided = _avoided(prompt, beliefs)
    learned = set()
    for idea in _considered(scene, layout, prompt, beliefs):
        if idea.action in avoided or (prompt.simulated and _refuted(idea, prompt, beliefs)):
            learned |= {idea.error} - {""}
        elif not prompt.valid or idea.action in prompt.valid or not beliefs.heeds("valid", idea.action):
            return idea, beliefs.learns(learned)
    rest = [action for action in prompt.valid if action not in avoided]
    action = pick(rest, "rest", beliefs.moment) if avoided and rest else "Do nothing"
    return Idea(action), beliefs.learns(learned)


def _avoided(prompt: Conversation, beliefs: Beliefs) -> set[str]:
    """Actions that the feedback or a loop warning speaks against."""
    avoided = set()
    if prompt.loop and not prompt.loop[0].startswith(PATIENT) and beliefs.heeds("loop"):
        avoided.add(prompt.loop[0])
    feedback = prompt.blocks.get("Error Feedback", "")
    if feedback and beliefs.heeds("feedback"):
        avoided |= {quoted for quoted in feedback.split('"')[1::2] if quoted}
    if prompt.attempts and not prompt.attempts[-1][1] and beliefs.heeds("feedback"):
        avoided.add(prompt.attempts[-1][0])
    return avoided


def _refuted(idea: Idea, prompt: Conversation, beliefs: Beliefs) -> bool:
    """Whether the outcome shown does not say what an idea expects."""
    outcome = prompt.outcome(idea.action)
    if not idea.expected or outcome is None:
        return False
    start = "" if idea.expected.startswith(" ") else "\n"
    shown = f"{start}{idea.expected}\n" in f"\n{outcome}\n"
    return not shown and beliefs.heeds("outcome", idea.action)


def _considered(scene: SeenKitchen, layout: Layout, prompt: Conversation, beliefs: Beliefs) -> Iterator[Idea]:
    own = [(step, Idea(step.text(scene), step.expected(scene))) for step in ideas(scene, layout)]
    past = prompt.experience
    if past is not None and beliefs.heeds("experience"):
        action = _alike(past[1], prompt.valid)
        related = not prompt.loop and words(past[0]) & words(beliefs.task)
        if action and (not own or (related and _harmless(action, layout, prompt, beliefs))):
            yield Idea(action)
    if own:
        yield from misled(scene, layout, own[0][0], prompt.last_action, beliefs)
    yield from (idea for _, idea in own)


def _alike(action: str, valid: list[str]) -> str:
    """The action, or the only valid one that says the same of things of the same kinds; else nothing."""
    if action in valid:
        return action
    alike = [other for other in valid if _NUMBER.sub("", other) == _NUMBER.sub("", action)]
    return alike[0] if len(alike) == 1 else ""


def _harmless(action: str, layout: Layout, prompt: Conversation, beliefs: Beliefs) -> bool:
    """Whether what an action leads to, where shown, has no less in place than now."""
    outcome = prompt.outcome(action)
    after = read_scene(outcome.strip()) if outcome is not None and beliefs.heeds("outcome", action) else None
    if after is None:
        return True
    built = sum(site.built for site in _layout(after, prompt, beliefs).sites)
    return built >= sum(site.built for site in layout.sites)
