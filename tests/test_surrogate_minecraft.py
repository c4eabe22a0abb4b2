"""The surrogate plans in Minecraft: sufficient prompts, mistakes that only explanations correct."""

from __future__ import annotations

import pytest

from helpers import play
from mnemocraft.agents.deps import prompts as deps_prompts
from mnemocraft.agents.deps.methods import LABELS, agent
from mnemocraft.envs.minecraft import plan as shortest_plan
from mnemocraft.llm import Model, get_model
from mnemocraft.runs import Episode
from mnemocraft.surrogate import world_of
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.formats import words
from mnemocraft.surrogate.minds.minecraft import MinecraftMind
from mnemocraft.surrogate.minds.minecraft.sources import Lesson, believed, corrected, shortest
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks
from mnemocraft.worlds.textworld import textworld

PERFECT = "surrogate:knowledge=1,attention=1,slip=0"
KEYS = ("planks", "stone_pickaxe", "cooked_beef", "rail", "diamond", "bed")


class WithoutExplanations:
    """A model whose explanations are left out."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def complete(self, messages, **arguments):
        reply = await self._model.complete(messages, **arguments)
        explains = messages[0]["content"].startswith("You explain")
        return reply if not explains else type(reply)("Explanation:", [], reply.usage)


def played(key: str, method: str, model: object, version: str = "1.16.5", seed: int = 0) -> Episode:
    return play(agent(method), textworld(key, version=version), model, seed=seed)


@pytest.mark.parametrize("version", ["1.11.2", "1.16.5"])
@pytest.mark.parametrize("method", LABELS)
def test_who_knows_everything_solves_every_task_at_once(method: str, version: str) -> None:
    """Prompt sufficiency: what a planner is told is enough, in every format."""
    model = get_model(PERFECT)
    episodes = {each.key: played(each.key, method, model, version) for each in minecraft_tasks()}
    assert [key for key, episode in episodes.items() if not episode.success] == []
    assert {episode.metrics["rounds"] for episode in episodes.values()} == {0}


def test_explanations_are_what_makes_replanning_work() -> None:
    model = get_model("surrogate:knowledge=0.3")
    runs = [(key, seed) for key in KEYS for seed in range(3)]
    told = [played(key, "deps", model, seed=seed) for key, seed in runs]
    untold = [played(key, "deps", WithoutExplanations(model), seed=seed) for key, seed in runs]
    at_once = [episode.success and episode.metrics["rounds"] == 0 for episode in told]
    assert sum(at_once) <= 4 and all(episode.success for episode in told)
    assert [episode.success for episode in untold] == at_once, "without explanations nothing is gained"


def test_mistakes_are_about_as_frequent_as_its_ignorance_and_fixed_by_seed() -> None:
    items = [item for item, way in shortest("1.16.5").items() if way.verb == "craft"]
    for knowledge in (0.0, 0.3, 1.0):
        who = [Competence(knowledge, 1, 0, seed) for seed in range(3)]
        right = [believed("1.16.5", i, w) == shortest("1.16.5")[i] for i in items for w in who]
        assert sum(right) / len(right) == pytest.approx(knowledge, abs=0.05)
        assert right == [believed("1.16.5", i, w) == shortest("1.16.5")[i] for i in items for w in who]


def test_an_explanation_corrects_what_it_names_and_nothing_else() -> None:
    true = shortest("1.16.5")["stone_pickaxe"]
    for seed in range(40):
        who = Competence(0, 1, 0, seed)
        wrong = believed("1.16.5", "stone_pickaxe", who)
        assert wrong != true
        useless = Lesson("stone_pickaxe", "Because something was not as it should be.", 1)
        elsewhere = Lesson("stick", "needs cobblestone, stick, crafting_table; craft it", 1)
        assert corrected(wrong, "1.16.5", [useless, elsewhere], who) == wrong
        text = "Because to craft stone_pickaxe needs 3 cobblestone, 2 stick and a crafting_table"
        assert corrected(wrong, "1.16.5", [Lesson("stone_pickaxe", text, 1)], who) == true
        deaf = Competence(0, 0, 0, seed)
        assert corrected(wrong, "1.16.5", [Lesson("stone_pickaxe", text, 1)], deaf) == wrong


def test_every_mistake_is_mended_by_what_the_world_says() -> None:
    """Also in 1.11.2, where sandstone is crafted, but can be mined as well."""
    model = get_model("surrogate:knowledge=0,attention=1,slip=0")
    for key in ("stone_slab", "cooked_beef", "rail"):
        assert played(key, "deps", model, "1.11.2").success


def test_a_slip_leaves_something_of_a_plan() -> None:
    model = get_model("surrogate:knowledge=1,slip=1")
    episode = played("planks", "progprompt", model)
    (plan,) = [event for event in episode.trajectory if event["type"] == "plan"]
    assert plan["lines"] and not plan["problem"]


def test_plans_are_not_much_longer_than_the_shortest() -> None:
    """The shortest plans are the integer program's, which shares no code with the surrogate."""
    model = get_model(PERFECT)
    for key in ("stone_pickaxe", "furnace", "iron_pickaxe", "bed"):
        episode = played(key, "deps", model)
        best = shortest_plan(minecraft_task(key).target("1.16.5"), version="1.16.5")
        assert episode.success and episode.steps <= 1.5 * sum(step.count for step in best.steps) + 4


def test_the_parser_reads_words_and_refuses_nonsense() -> None:
    lines = "Lines:\n1. chop down three oak logs\n2. make some oak planks\n3. be happy"
    messages = [deps_prompts.parser("1.16.5"), {"role": "user", "content": lines}]
    parser = MinecraftMind(Conversation(messages), Competence(1, 1, 0, 0))
    assert words.translate(parser).splitlines() == ["1. mine 3 oak_log", "2. craft 1 oak_planks", "3. none"]


def test_other_conversations_are_not_its_business() -> None:
    for messages in ([], [{"role": "user", "content": "You plan for an agent that plays Minecraft 1.16.5."}]):
        assert not world_of(messages)
    assert world_of([deps_prompts.planner(textworld("stone_sword"), "deps")]) == "minecraft"
