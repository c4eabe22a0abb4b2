"""The surrogate as a robot in a kitchen: prompts carry all that is needed, each part does what it says."""

import ast
import asyncio
import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers import Stand, encoding, play
from mnemocraft import surrogate
from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.types import Request
from mnemocraft.surrogate import Surrogate
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.kitchen.beliefs import CUTS, DISHES, KITCHEN, Beliefs, prepared
from mnemocraft.surrogate.minds.kitchen.dishes import understand
from mnemocraft.surrogate.minds.kitchen.layout import lay_out
from mnemocraft.surrogate.minds.kitchen.policy import first
from mnemocraft.surrogate.minds.kitchen.scene import read_scene
from mnemocraft.worlds.kitchen import KitchenWorld

PERFECT = "surrogate:knowledge=1,attention=1,slip=0"


def episode(method, model, task, seed, max_steps=None):
    world = KitchenWorld(KitchenEnv(task, seed, max_steps=max_steps))
    with encoding():
        return play(METHODS[method], world, Stand(model), seed=seed)


def solved(method, model, cases):
    return sum(episode(method, model, task, seed).success for task, seed in cases)


def ask(model, messages, seed=0, sample=0):
    request = Request(model, messages, seed=seed, sample=sample)
    return asyncio.run(Surrogate.from_name(model).generate(request)).text


def action(answer):
    return re.search(r"^Action: (.*)$", answer, re.MULTILINE)[1]


def messages(env, *blocks, method="gig", simulated=None):
    """A prompt for the state of a kitchen."""
    simulation = prompts.simulation(simulated) if simulated else ""
    text = prompts.message([*prompts.base(env.observation_text), simulation, *blocks])
    return [system(method), text]


@cache
def system(method):
    return prompts.system(KitchenWorld(KitchenEnv("sync/0", 0)), method)


class Kitchen(KitchenEnv):
    """A kitchen in which the sound rules are played until they mean to do something; ``meant`` is that."""

    def __init__(self, task, seed, until):
        super().__init__(task, seed)
        self.observation_text = self.reset()[0]["text"]
        mind = Beliefs(Competence(1, 1, 0, 0), self.goal_description, "")
        while True:
            scene = read_scene(self.observation())
            self.meant = first(scene, lay_out(scene, dishes(scene, mind), False)).text(scene)
            if self.meant.startswith(until):
                break
            self.go(self.meant)

    def go(self, act):
        self.observation_text = self.step(act)[0]["text"]


def dishes(scene, mind):
    return understand(mind.task, Counter(scene.kinds.values()), mind)


def mind_with(env, known, unknown=()):
    """Seed and name of a surrogate that is right about some beliefs and wrong about others."""
    for seed in range(10_000):
        mind = Beliefs(Competence(0.9, 1, 0, seed), env.goal_description, "")
        if all(map(mind.knows, known)) and not any(map(mind.knows, unknown)):
            return seed, "surrogate:knowledge=0.9,attention=1,slip=0"
    raise AssertionError("no such seed")


@pytest.mark.parametrize("method", ["react", "gig"])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_perfect_reader_with_perfect_knowledge_solves_every_kitchen(method, mode):
    """The prompts carry all that is needed (a sample of the 100 episodes of each mode)."""
    cases = [(task, (252, 42)[n % 2]) for n, task in enumerate(TASKS) if task.startswith(mode)]
    assert solved(method, PERFECT, cases) == len(cases)


def test_a_perfect_reader_plans_sync_kitchens_in_the_mind_and_in_subtasks():
    cases = [(task, 84) for task in TASKS[:10]]
    assert solved("cot", PERFECT, cases) >= 9
    assert solved("recap", PERFECT, cases) == 10


def test_without_knowledge_nothing_that_needs_preparation_is_solved():
    cases = [("sync/1", 42), ("sync/2", 84), ("sync/6", 42), ("async/0", 42), ("async/5", 84)]
    assert solved("gig_bl", "surrogate:knowledge=0", cases) == 0
    assert solved("recap", "surrogate:knowledge=0", cases) == 0


@pytest.mark.parametrize("what", ["knowledge", "attention", "slip"])
def test_more_competence_solves_more(what):
    levels = {"knowledge": (0, 0.4, 1), "attention": (0, 0.3, 1), "slip": (0.9, 0.5, 0)}[what]
    fixed = {"knowledge": 1, "attention": 1, "slip": 0}
    if what == "attention":
        fixed["knowledge"] = 0.7  # who knows everything has little to gain from what the prompt says
    cases = list(itertools.product(("sync/0", "sync/1", "sync/6"), (42, 84, 126)))
    shares = []
    for level in levels:
        name = ",".join(f"{key}={value}" for key, value in (fixed | {what: level}).items())
        shares.append(solved("react", f"surrogate:{name}", cases))
    assert shares[0] < shares[1] < shares[2]


def test_kitchen_prompts_are_told_from_others_by_their_system_message():
    env = Kitchen("sync/0", 42, "")
    assert action(ask(PERFECT, messages(env))) in env.valid_actions
    other = [{"role": "system", "content": "You are a robot."}, messages(env)[1]]
    assert "Action:" not in ask(PERFECT, other)


def test_an_outcome_that_is_shown_corrects_a_wrong_idea_of_how_the_kitchen_works():
    """Once cut, it takes the lettuce away; not when it sees that it would be uncut; again when that lies."""
    env = Kitchen("sync/1", 42, "Cut")
    seed, model = mind_with(env, [b for b in (*DISHES, *KITCHEN) if b != CUTS], [CUTS])
    env.go(env.meant)
    carried, onward = f"Last Step Summary: I did: {env.meant}.", env.meant
    (away,) = (act for act in env.valid_actions if act.startswith("Pick up lettuce1"))
    outcomes = env.successor_texts()
    assert action(ask(model, messages(env, carried), seed)) == away
    answer = ask(model, messages(env, carried, simulated=outcomes), seed)
    assert action(answer) == onward
    assert CUTS in answer.partition("Summary:")[2]  # and it notes that down
    lie = outcomes | {away: outcomes[away].replace("lettuce1 is held", "lettuce1 is cut\nlettuce1 is held")}
    assert action(ask(model, messages(env, carried, simulated=lie), seed)) == away
    without = {act: text for act, text in outcomes.items() if act != away}
    assert action(ask(model, messages(env, carried, simulated=without), seed)) == away
    noted = f"{carried} Lessons: {CUTS}."
    assert action(ask(model, messages(env, noted), seed)) == onward


def test_a_loop_warning_turns_it_away_from_what_it_did_last_time_except_from_waiting():
    env = Kitchen("sync/1", 42, "Cut")
    assert action(ask(PERFECT, messages(env, prompts.loop_warning([env.meant])))) == env.meant
    env = Kitchen("sync/1", 42, "Place")
    warned = messages(env, prompts.loop_warning([env.meant, "Do nothing"]))
    assert action(ask(PERFECT, messages(env))) == env.meant
    assert action(ask(PERFECT, warned)) in set(env.valid_actions) - {env.meant}


def test_a_past_experience_puts_a_belief_about_the_dish_right():
    env = Kitchen("sync/1", 42, "Pick up lettuce1")
    env.go(env.meant)
    belief = prepared("lettuce", "cut")
    seed, model = mind_with(env, [b for b in (*DISHES, *KITCHEN) if b != belief], [belief])
    moves = [act for act in env.valid_actions if act.startswith("Move")]
    to_board, to_table = (next(act for act in moves if f" to {kind}" in act) for kind in ("board", "table"))

    def after(past, goal, name=model, warning=""):
        block = f"Past Experience:\nGoal then: {goal}\nAction then: {past}\nDistance: 0.050"
        return ask(name, messages(env, warning, block), seed)

    other = re.sub(r"\d+", "77", to_board)
    assert belief in after(other, "Make soup") and " to board" in action(after(other, "Make soup"))
    assert belief not in after(to_table, "Make soup")
    related = "Prepare a lettuce burger"
    assert action(after(to_table, related, PERFECT)) == to_table
    assert action(after(to_table, "Make soup", PERFECT)) != to_table
    assert action(after(to_table, related, PERFECT, prompts.loop_warning(["Do nothing"]))) != to_table


def test_attention_falls_with_the_length_of_the_prompt_only_where_that_is_asked_for():
    assert Surrogate.from_name("surrogate").context_decay == 0
    env = Kitchen("sync/1", 42, "Place")
    warned = messages(env, prompts.loop_warning([env.meant]))
    longer = [warned[0] | {"content": warned[0]["content"] + " " * 400_000}, warned[1]]
    assert ask(PERFECT, longer) == ask(PERFECT, warned)
    heeded = [0, 0]
    for sample in range(60):  # a decay that leaves e^-3 of the attention for the long prompt
        for n, prompt in enumerate((warned, longer)):
            told = ask(f"{PERFECT},context_decay=0.03", prompt, sample=sample)
            heeded[n] += action(told) != env.meant
    assert heeded[0] > 50 > 30 > heeded[1]


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "much", ""])
def test_a_context_decay_that_is_no_rate_is_refused_in_a_sentence(value):
    with pytest.raises(MnemocraftError, match="context_decay as a rate of at least 0"):
        Surrogate.from_name(f"surrogate:context_decay={value}")


@cache
def whole_prompts():
    env = Kitchen("async/8", 42, "Boil")
    recap = 'Current Task: Cut onion1 on board1\n\nLast Result: done "x"\n\nRemaining Subtasks:\n- y'
    carried = "Current Progress: soup on table1: 0 layers"
    return [
        messages(env, carried, simulated=env.successor_texts()),
        messages(env, method="react"),
        messages(env, method="cot"),
        messages(env, f"{recap}\n\nRefine them.", method="recap"),
    ]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 3), st.floats(0, 1), st.floats(0, 1), st.booleans(), st.text(max_size=20))
@example(0, 0.8282350612474332, 0.5, True, "")  # the first line names nothing: " is a table"
def test_damaged_prompts_never_bring_it_down(method, start, length, keep, noise):
    system, user = whole_prompts()[method]
    text = user["content"]
    begin = int(start * len(text))
    end = begin + int(length**3 * (len(text) - begin))
    damaged = (text[begin:end] if keep else text[:begin] + text[end:]) + noise
    for model in (PERFECT, "surrogate:knowledge=0.5,attention=0.5,slip=0.5"):
        answer = ask(model, [system, {"role": "user", "content": damaged}])
        assert re.search(r'^Action: |^Plan:|"subtasks"', answer, re.MULTILINE)


_CHILD = """
from test_surrogate_kitchen import episode
model = "surrogate:knowledge=0.6,attention=0.7,slip=0.1"
for method in ("gig", "recap", "cot"):
    print(episode(method, model, "async/3", 42, 20).trajectory)
"""


def test_answers_do_not_depend_on_the_hash_seed_of_the_process():
    outputs = []
    for seed in ("1", "2"):
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path}
        child = subprocess.run([sys.executable, "-c", _CHILD], env=env, capture_output=True, text=True)
        assert not child.stderr and len(child.stdout) > 1000
        outputs.append(child.stdout)
    assert outputs[0] == outputs[1]


def test_it_shares_no_code_with_what_it_is_tested_against():
    for file in Path(surrogate.__file__).parent.joinpath("minds", "kitchen").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) or ""
            assert not module.startswith(("mnemocraft.envs", "mnemocraft.agents", "mnemocraft.gnn"))
            assert (
                isinstance(node, ast.ImportFrom)
                or not isinstance(node, ast.Import)
                or all(not name.name.startswith("mnemocraft") for name in node.names)
            )
