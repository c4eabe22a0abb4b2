"""Plans: valid, shortest, and None only where there is none."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.envs.plancraft import Recipe, RecipeBook, budgets, examples, plan, plan_steps, planner
from mnemocraft.errors import MnemocraftError

ITEMS = ("clay", "dirt", "flint", "sand", "stick", "stone")
DEPTH = 5


def play(inventory, steps):
    """The inventory after a plan; asserts that every craft takes what its recipe needs from what is there."""
    have = Counter(inventory)
    for step in steps:
        assert any(step.consumed == taken for taken in planner._choices(step.recipe, have))
        have.subtract(step.consumed)
        assert min(have.values()) >= 0
        have[step.recipe.result] += step.recipe.count
    return have


@pytest.mark.parametrize("split", ["low", "high", "test"])
def test_every_example(split):
    """Solvable: a valid plan no longer than the package's. Impossible: proved to be."""
    for e in examples(split):
        steps = plan_steps(e.inventory, e.target)
        assert (steps is None) == e.impossible, e.id
        if steps:
            assert len(steps) <= len(e.optimal_path), e.id
            assert play(e.inventory, steps)[e.target] >= 1


def test_planning_again_half_way_finds_the_rest():
    """An agent that replans after every craft sticks to its plan."""
    for e in examples("low"):
        steps = plan_steps(e.inventory, e.target) or []
        for done in range(1, len(steps)):
            rest = plan(play(e.inventory, steps[:done]), e.target)
            assert rest == [step.recipe for step in steps[done:]], e.id


def test_plan_does_not_depend_on_the_order_of_the_inventory():
    for e in examples("high")[::7]:
        turned = dict(reversed(e.inventory.items()))
        assert plan_steps(turned, e.target) == plan_steps(e.inventory, e.target)


def test_target_at_hand_needs_no_craft():
    assert plan({"stick": 1}, "stick") == []


def test_empty_inventory_is_impossible():
    assert plan({}, "stick") is None


@pytest.mark.parametrize(
    ("inventory", "target", "sentence"),
    [
        ({}, "unobtainium", "no item 'unobtainium'"),
        ({"oak_logs": 5}, "oak_planks", "no item 'oak_logs'"),
        ({"oak_log": -5}, "oak_planks", "must say how many of each item"),
        ({"oak_log": "5"}, "oak_planks", "must say how many of each item"),
    ],
)
def test_what_is_no_item_or_no_number_is_named(inventory, target, sentence):
    with pytest.raises(MnemocraftError, match=sentence):
        plan(inventory, target)


def recipe(name, needs, result, count=1):
    return Recipe(name, "shapeless", result, count, ingredients=tuple(tuple(sorted(set(c))) for c in needs))


def test_circle_that_needs_a_start_is_impossible():
    """Taken together these crafts balance, but none can come first."""
    book = RecipeBook([recipe("a", [["dirt"]] * 3, "clay", 6), recipe("b", [["clay"]] * 2, "dirt", 1)])
    assert plan({"dirt": 2}, "clay", book) is None
    assert len(plan({"dirt": 3}, "clay", book)) == 1


def test_circle_with_a_start_is_ordered():
    book = RecipeBook(
        [
            recipe("grow", [["dirt"]] * 2, "dirt", 3),
            recipe("make", [["dirt"]] * 4, "clay"),
        ]
    )
    assert [r.name for r in plan({"dirt": 2}, "clay", book)] == ["grow", "grow", "make"]
    assert plan({"dirt": 1}, "clay", book) is None


cells = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=2)
recipes = st.builds(
    recipe,
    st.uuids().map(str),
    st.lists(cells, min_size=1, max_size=3),
    st.sampled_from(ITEMS),
    st.integers(1, 3),
)
books = st.lists(recipes, min_size=1, max_size=6)
stocks = st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 4), max_size=4)


def breadth_first(book, inventory, target):
    """Length of a shortest plan of at most ``DEPTH`` crafts; inf if there is none at all; None if unknown."""
    layer = {frozenset(inventory.items())}
    seen = set(layer)
    for depth in range(DEPTH + 1):
        if any(item == target for state in layer for item, _ in state):
            return depth
        following = set()
        for state in layer:
            for r in book:
                for taken in planner._choices(r, dict(state)):
                    after = Counter(dict(state))
                    after.subtract(taken)
                    after[r.result] += r.count
                    following.add(frozenset((+after).items()))
        layer = following - seen
        seen |= layer
        if not layer:
            return float("inf")
        if len(seen) > 3000:
            return None
    return None


@given(books, stocks, st.sampled_from(ITEMS))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_same_length_as_exhaustive_search(entries, inventory, target):
    best = breadth_first(entries, inventory, target)
    found = plan_steps(inventory, target, RecipeBook(entries))
    if found is not None:
        assert play(inventory, found)[target] >= 1
    if best == float("inf"):
        assert found is None
    elif best is not None:
        assert found is not None and len(found) == best


@given(books, stocks, st.sampled_from(ITEMS))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_both_ways_to_a_budget_agree(entries, inventory, target):
    book = RecipeBook(entries)
    inventory.pop(target, None)
    problem = budgets.Problem.of(book, target, inventory)
    if problem is None:
        return
    try:
        quick = budgets.backward(problem, inventory)
    except budgets.Undecided:
        return
    exact = budgets.IntegerProgram(problem).solve(inventory)
    assert (quick and quick.crafts) == (exact and exact.crafts)
