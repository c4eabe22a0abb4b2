"""The roles beside the Actor: Ask, Relevance, Parse and the teacher (How2, 3.3 and 3.4, Figures 15 to 18)."""

import re

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.rollout import Rollout
from mnemocraft.worlds.world import Teaching

MAX_RELATED = 50
"""Items that an entry may name; a recipe of the game has at most nine."""
_RELATED = re.compile(r"RELATED ITEMS:\s*+\[([^\]]{0,4000}+)\]")
_ITEM = re.compile(r"""\s*+(?:'([^']{1,100}+)'\s*+(?=,|$)|"([^"]{1,100}+)"\s*+(?=,|$)|([^,]{1,100}+)),?""")


async def call(rollout: Rollout, role: str, prompt: str, system: str | None = None) -> str:
    """The model's text in a role, stripped. Raises ModelError when the request finally fails."""
    messages = [{"role": "user", "content": prompt}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    return (await rollout.ask(role, messages)).text.strip()


async def ask_question(rollout: Rollout, context: str, recipe: str) -> str:
    """AskQuestion, equation 3. An empty answer of the model becomes the plainest how-to question."""
    prompt = prompts.render("ask", context=context, recipe=recipe)
    system = prompts.role_system(rollout.world.guide)
    return await call(rollout, "ask", prompt, system) or f"How do I craft {recipe}?"


async def teach(rollout: Rollout, world: Teaching, level: str, question: str, recipe: str) -> str:
    """The teacher's answer to ``question``, T(o, q) of equation 4.

    It is the world's; at the least concrete level it is what a model makes of that.

    Args:
        rollout: Reaches the model.
        world: Has the teacher.
        level: One of :data:`~mnemocraft.worlds.LEVELS`.
        question: The how-to question.
        recipe: The query that led to the question.
    """
    told = world.how_to(recipe, question, level)
    if level != "non-executable":
        return told
    context = world.plain_scene()
    prompt = prompts.render("teacher_non_executable", context=context, plan=told, question=question)
    return await call(rollout, "teacher", prompt) or "I do not know."


async def is_relevant(rollout: Rollout, context: str, recipe: str, entry: str) -> bool:
    """IsRelevant, equation 2, asked for one entry. Anything that does not begin with yes is a no."""
    prompt = prompts.render("relevance", context=context, recipe=recipe, memory=entry)
    answer = await call(rollout, "relevance", prompt, prompts.role_system(rollout.world.guide))
    return says("yes", answer)


def says(word: str, answer: str) -> bool:
    """Whether an answer begins with a word (in small letters), in quotation marks or bold or not."""
    return answer.strip().lower().lstrip("\"'*").startswith(word)


async def parse_answer(
    rollout: Rollout, context: str, recipe: str, question: str, answer: str
) -> tuple[str, list[str]]:
    """ParseAnswer, equation 5: the entry to store and the tags to store it under besides the query.

    An empty answer of the model stores the teacher's answer as it is.
    """
    prompt = prompts.render("parse", context=context, recipe=recipe, question=question, answer=answer)
    entry = await call(rollout, "parse", prompt, prompts.role_system(rollout.world.guide)) or answer
    return entry, related_items(entry)


def related_items(entry: str) -> list[str]:
    """Item names in the RELATED ITEMS section of a memory entry; a malformed list gives what can be read."""
    match = _RELATED.search(entry)
    items = _ITEM.finditer(match.group(1)) if match else ()
    names = (next(filter(None, item.groups()), "").strip(" '\"\n") for item in items)
    return list(dict.fromkeys(name for name in names if name and not name.isdecimal()))[:MAX_RELATED]
