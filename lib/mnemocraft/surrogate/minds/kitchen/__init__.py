"""The surrogate as a robot in a kitchen: it answers as GiG, ReAct, CoT and ReCAP, from the messages alone.

It reads the text (:mod:`scene`, :mod:`prompt`), takes the goal to mean something (:mod:`dishes`, by the
beliefs in :mod:`mind`), chooses sites and items (:mod:`layout`) and what to do next by fixed rules
(:mod:`policy`), wrongly where it is wrong about the kitchen (:mod:`errors`). :mod:`stepwise` and :mod:`plans`
write the answers; the former says what each part of a GiG prompt adds.

The rules and recipes of the system message are not read: how much of them it has at hand is what
``knowledge`` stands for. Thinking again, when all seems done and the episode goes on, is right with the same
probability.
"""

from collections.abc import Sequence

from mnemocraft.llm.types import Message
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.kitchen.plans import decompose, plan
from mnemocraft.surrogate.minds.kitchen.prompt import SYSTEM, Prompt
from mnemocraft.surrogate.minds.kitchen.stepwise import act

__all__ = ["answer", "in_kitchen"]


def in_kitchen(messages: Sequence[Message]) -> bool:
    """Whether a conversation is about a kitchen."""
    return messages[0]["role"] == "system" and SYSTEM in messages[0]["content"]


def answer(messages: Sequence[Message], who: Competence, sample: int = 0) -> str:
    """The answer to a conversation, in the format that its system message asks for.

    Args:
        messages: System message first.
        who: How good a reader answers.
        sample: Repeat index of the request; it makes slips independent.
    """
    prompt = Prompt(messages, sample)
    return {"plan": plan, "recursive": decompose, "step": act}[prompt.method](prompt, who)
