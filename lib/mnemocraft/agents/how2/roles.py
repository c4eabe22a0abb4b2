"""The roles beside the Actor: Ask, Relevance and Parse (How2, section 3.3, Figures 15 to 17)."""

import ast
import re
from dataclasses import dataclass

from mnemocraft.agents.how2 import prompts
from mnemocraft.llm import Model
from mnemocraft.llm.types import TokenLedger

ROLE_TEMPERATURE = 0.2
"""Sampling temperature of every role but the Actor (section 3.6)."""


@dataclass(frozen=True)
class RoleCaller:
    """Sends one prompt to the model in a named role and counts its tokens there."""

    model: Model
    ledger: TokenLedger
    seed: int

    async def __call__(self, role: str, prompt: str, system: str | None = None) -> str:
        """The model's text, stripped. Raises ModelError when the request finally fails."""
        messages = [{"role": "user", "content": prompt}]
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        reply = await self.model.complete(messages, temperature=ROLE_TEMPERATURE, seed=self.seed)
        self.ledger.add(role, reply)
        return reply.text.strip()


async def ask_question(call: RoleCaller, context: str, recipe: str) -> str:
    """AskQuestion, equation 3. An empty answer of the model becomes the plainest how-to question."""
    prompt = prompts.render("ask", context=context, recipe=recipe)
    return await call("ask", prompt, prompts.role_system()) or f"How do I craft {recipe}?"


async def is_relevant(call: RoleCaller, context: str, recipe: str, entry: str) -> bool:
    """IsRelevant, equation 2, asked for one entry. Anything that does not begin with yes is a no."""
    prompt = prompts.render("relevance", context=context, recipe=recipe, memory=entry)
    answer = await call("relevance", prompt, prompts.role_system())
    return answer.lower().lstrip("\"'*").startswith("yes")


async def parse_answer(
    call: RoleCaller, context: str, recipe: str, question: str, answer: str
) -> tuple[str, list[str]]:
    """ParseAnswer, equation 5: the entry to store and the tags to store it under besides the query.

    An empty answer of the model stores the teacher's answer as it is.
    """
    prompt = prompts.render("parse", context=context, recipe=recipe, question=question, answer=answer)
    entry = await call("parse", prompt, prompts.role_system()) or answer
    return entry, related_items(entry)


def related_items(entry: str) -> list[str]:
    """Item names in the RELATED ITEMS section of a memory entry; a malformed list gives what can be read."""
    match = re.search(r"RELATED ITEMS:\s*(\[[^\]]*\])", entry)
    if match is None:
        return []
    try:
        items = ast.literal_eval(match.group(1))
    except (ValueError, SyntaxError):
        items = match.group(1).strip("[]").split(",")
    return list(dict.fromkeys(item.strip(" '\"") for item in items if isinstance(item, str) and item.strip()))
