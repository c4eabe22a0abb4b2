"""The surrogate as a planner in Minecraft: it answers as DEPS and its baselines, from the messages alone.

It reads the dialogue (:mod:`prompt`), believes something about how each item is had (:mod:`ways`, rightly
with probability ``knowledge``; an explanation in the dialogue corrects it), plans backwards from the task to
what is in the inventory (:mod:`planner`) and writes the plan in the method's format (:mod:`answers`). As
explainer and parser (:mod:`roles`) it goes by the words it is given.

Only an explanation corrects a belief: that a step failed says nothing about why. After a failure without
explanation (Inner Monologue) it thinks again about that item, and is right with the same probability.
"""

from collections.abc import Sequence

from mnemocraft.llm.types import Message
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.minecraft import roles
from mnemocraft.surrogate.minds.minecraft.answers import write
from mnemocraft.surrogate.minds.minecraft.prompt import Dialogue, role_of

__all__ = ["answer", "in_minecraft"]


def in_minecraft(messages: Sequence[Message]) -> bool:
    """Whether a conversation is about an agent that plays Minecraft."""
    return bool(role_of(messages))


def answer(messages: Sequence[Message], who: Competence, sample: int = 0) -> str:
    """The answer to a conversation, in the format that its system message asks for.

    Args:
        messages: System message first.
        who: How good a reader answers.
        sample: Repeat index of the request; it makes slips independent.
    """
    role = role_of(messages)
    if role == "explainer":
        return roles.explain(messages[-1]["content"], who, sample)
    if role == "parser":
        return roles.parse(messages)
    return write(Dialogue(messages, sample), who)
