"""Programs of Code as Policies: what they may do, and that nothing else happens."""

import pytest

from mnemocraft.agents.deps import prompts
from mnemocraft.agents.deps.interpreter import MAX_FAILURES, run_policy
from mnemocraft.worlds.textworld import textworld


def run(text, inventory=None, succeed=lambda step: True):
    """Goals that a program asks for, and why it stopped; each success adds its count to the inventory."""
    held = dict(inventory or {})
    policy, goals = run_policy(text, lambda item: held.get(item, 0)), []
    try:
        step = next(policy)
        while True:
            goals.append(str(step.goal))
            done = succeed(step)
            if done:
                held[step.goal.item] = held.get(step.goal.item, 0) + step.goal.count
            step = policy.send(done)
    except StopIteration as end:
        return goals, end.value


def test_the_demonstration_runs():
    text = prompts.planner(textworld("stone_sword"), "code_as_policies")["content"]
    text = text.rpartition("Inventory: nothing\n\n")[2]
    goals, problem = run(text)
    assert not problem
    assert goals[:3] == ["mine 1 oak_log"] * 3 and goals[-1] == "craft 1 stone_sword"
    assert goals.count("mine 1 cobblestone with wooden_pickaxe") == 2


def test_loops_conditions_and_variables():
    text = """
def f():
    wanted = 2 * 3 - 1
    for item in ["dirt", "sand"]:
        if item == "sand":
            wanted //= 2
        while count(item) < wanted:
            mine({item: 1})
    for n in range(5):
        if n % 2 == 0:
            continue
        if n > 3 or not n:
            break
        mine({"gravel": n})
    return "sand"
    mine("never")
"""
    assert run(text) == (["mine 1 dirt"] * 5 + ["mine 1 sand"] * 2 + ["mine 1 gravel", "mine 3 gravel"], "")


def test_steps_return_whether_they_succeeded():
    text = "if not mine({'coal': 1}, tool='wooden_pickaxe'):\n    craft({'wooden_pickaxe': 1}, {'stick': 2})"
    assert run(text, succeed=lambda step: step.goal.verb == "craft")[0][-1] == "craft 1 wooden_pickaxe"


def test_a_false_assertion_ends_the_program_with_its_text():
    goals, problem = run('mine("dirt")\nassert count("stick") >= 2, "not enough stick"\nmine("sand")')
    assert goals == ["mine 1 dirt"] and problem == "line 2: the assertion failed (not enough stick)."


def test_a_step_that_fails_again_and_again_ends_the_program():
    goals, problem = run('while count("dirt") < 1:\n    mine("dirt")', succeed=lambda step: False)
    assert len(goals) == MAX_FAILURES and "5 steps failed in a row, the last one was mine 1 dirt" in problem


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no step"),
        ("def f():\n    while True:\n        pass", "does not end within 20000 evaluations"),
        ("for a in range(1000):\n  for b in range(1000):\n    pass", "does not end within"),
        ("for a in range(10**9):\n    pass", "calculates with"),
        ("for a in range(999999):\n    pass", "range cannot be called like this"),
        ("a = 1\na = [1]\na[0] = 2\na = 1", "not allowed in a policy (assign)"),
        ("a = 1000\nfor b in range(9):\n    a = a * a", "a number is larger than 1000000"),
        ("a = 1 // 0", "divides by zero"),
        ("a = 'x' * 1000000", "whole numbers only"),
        ("a = []\na = [a, a]", "cannot be put into one another"),
        ("a = {'x': [1]}", "cannot be put into one another"),
        ("mine({'dirt': unknown})", "the variable unknown has no value"),
        ("mine({'dirt': 0})", "the count of dirt must be"),
        ("import os", "not allowed in a policy (import)"),
        ("def f():\n    import os", "not allowed in a policy (import)"),
        ("open('/etc/passwd')", "there is no 'open' to call; a policy calls count, mine"),
        ("eval('1')", "there is no 'eval' to call"),
        ("a = 1\n().__class__\na = 1", "not allowed in a policy (attribute)"),
        ("a = (lambda: 1)()", "there is no 'such call'"),
        ("a = [b for b in range(3)]", "not allowed in a policy (listcomp)"),
        ("a = f'{1}'", "not allowed in a policy (joinedstr)"),
        ("def f(): pass\ndef g(): pass", "one function and nothing else"),
        ("def f():\n    f()", "there is no 'f' to call"),
        ("a = 1\nclass A: pass\na = 1", "not allowed in a policy (classdef)"),
        ("a = 1\ntry:\n    mine('dirt')\nexcept E:\n    pass\na = 1", "not allowed in a policy (try)"),
        ("a = 1\nwith open('x') as f: pass\na = 1", "not allowed in a policy (with)"),
        ("a = 1 if 2 else 3", "not allowed in a policy (ifexp)"),
        ("a = 'dirt' < 3", "only numbers can be more or less"),
        ("a = 1\na += 'x'", "whole numbers only"),
        ("a = " + "1 + " * 240 + "1", ""),
        ("a = " + "not " * 240 + "1", ""),
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_one_sentence(text, says):
    goals, problem = run(text)
    assert says in problem and not goals and "\n" not in problem
