import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import Stand
from helpers import play as play_any
from helpers import play_how2 as play
from mnemocraft.agents import get_agent
from mnemocraft.agents.how2.settings import TEACHERS, Settings
from mnemocraft.envs.plancraft import book, examples
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.types import Request
from mnemocraft.memory import get_memory
from mnemocraft.memory.keyed import Keyed
from mnemocraft.studies.how2.load import environment
from mnemocraft.surrogate import DEFAULTS, Surrogate
from mnemocraft.surrogate.minds.plancraft.beliefs import believed
from mnemocraft.surrogate.minds.plancraft.reading import accepts, read_bench, read_recipes, table_of
from mnemocraft.worlds import make
from mnemocraft.worlds.plancraft_teacher import in_words, templated_answer

PERFECT = "surrogate:knowledge=1,attention=1,slip=0"


def success(model, settings, tasks):
    """Share solved of the solvable and of the impossible tasks, one memory for all."""
    memory = Keyed()
    solved = {False: [], True: []}
    for item in tasks:
        episode = play(Stand(model), settings, item.id, memory)
        solved[item.impossible].append(episode.success)
    return [sum(part) / len(part) for part in (solved[False], solved[True])]


@pytest.mark.parametrize("split", ["low", "high"])
def test_a_perfect_reader_with_perfect_knowledge_solves_every_example_of_a_split(split):
    """The prompts carry all that is needed."""
    solvable, impossible = success(PERFECT, Settings("base"), examples(split))
    assert solvable >= 0.98
    assert impossible == 1


@pytest.mark.parametrize("split", ["low", "high"])
def test_without_knowledge_and_teacher_nothing_is_solved(split):
    solvable, _ = success("surrogate:knowledge=0,attention=1,slip=0", Settings("base"), examples(split))
    assert solvable < 0.02


@pytest.mark.parametrize("teacher", TEACHERS)
def test_an_attentive_reader_without_knowledge_needs_only_the_teacher(teacher):
    ignorant = "surrogate:knowledge=0,attention=1,slip=0"
    solvable, impossible = success(ignorant, Settings("just_ask", teacher), examples("low")[::5])
    assert solvable >= 0.98
    assert impossible == 1


def test_stale_executable_answers_mislead_even_a_perfect_reader_and_relevance_repairs_that():
    tasks = examples("high")[::3]
    stale, _ = success(PERFECT, Settings("memory_only", "executable"), tasks)
    checked, _ = success(PERFECT, Settings("how2", "executable"), tasks)
    assert stale < 0.95 < checked


def test_beliefs_are_wrong_about_all_ways_to_an_item_or_none_and_fixed_by_the_seed():
    beliefs = believed(3, 0.5)
    for result, real in book().by_result.items():
        mine = beliefs.by_result[result]
        known = [recipe in real for recipe in mine]
        assert all(known) or not any(known)
    share = sum(mine[0] in book().by_result[r] for r, mine in beliefs.by_result.items()) / len(
        beliefs.by_result
    )
    assert 0.4 < share < 0.6
    believed.cache_clear()
    assert believed(3, 0.5).recipes == beliefs.recipes
    assert believed(4, 0.5).recipes != beliefs.recipes


def test_no_wrong_belief_happens_to_be_right():
    for recipe in believed(0, 0).recipes:
        if recipe.kind == "smelting":
            made = [book().smelts[i].result for i in recipe.units[0] if i in book().smelts]
            assert recipe.result not in made
        else:
            match = book().match(table_of(recipe))
            assert match is None or match[0].result != recipe.result


@pytest.mark.parametrize("teacher", TEACHERS)
def test_recipes_read_from_an_answer_are_real_recipes(teacher):
    if teacher == "executable":
        pytest.skip("executable answers name no items; they are copied, not read")
    for item in examples("low")[::3]:
        observation, _ = environment(item.id, 30).reset()
        style = "subgoal-partially-executable" if teacher == "non-executable" else teacher
        text = templated_answer(style, observation, item.target)
        text = in_words(text) if teacher == "non-executable" else text
        told = read_recipes(text)
        assert bool(told) != item.impossible
        for recipe in told:
            if recipe.kind == "smelting":
                assert book().smelts[recipe.units[0][0]].result == recipe.result
            else:
                assert any(accepts(real, table_of(recipe)) for real in book().by_result[recipe.result])


def test_it_sees_only_messages_and_answers_the_same_to_the_same():
    observation, _ = environment("VAL0531", 30).reset()
    messages = [{"role": "user", "content": observation["text"]}]
    from mnemocraft.agents.how2 import prompts

    request = Request("surrogate", messages, prompts.tools(["move", "smelt", "impossible"]), seed=1)
    once = asyncio.run(Surrogate.from_name("surrogate").generate(request))
    again = asyncio.run(Surrogate.from_name("surrogate").generate(request))
    assert once == again
    assert once.usage.estimated


@given(st.text())
def test_reading_never_fails(text):
    read_recipes(text)
    read_bench(text)


def test_names_carry_the_competence_and_wrong_ones_are_refused():
    backend = Surrogate.from_name("surrogate:knowledge=0.5,slip=0")
    assert (backend.knowledge, backend.attention, backend.slip) == (0.5, DEFAULTS["attention"], 0)
    for name in ("surrogate:wisdom=1", "surrogate:knowledge=2", "surrogate:knowledge=much"):
        with pytest.raises(MnemocraftError, match="knowledge, attention, slip"):
            Surrogate.from_name(name)


@pytest.mark.parametrize(
    "names", [["tabletop/hanoi", "tabletop/bowls"], [f"plancraft/low/VAL000{n}" for n in (0, 1, 2, 3)]]
)
def test_a_remembered_scene_is_not_taken_for_the_present_one(names):
    memory = get_memory("experience")
    for name in names:
        assert play_any(get_agent("react"), make(name), Stand(PERFECT), memory).success, name
