"""Which memories help at a table, as the planner has it, and how often the relevance check takes those."""

import json
from collections import defaultdict
from itertools import product
from typing import Any

import pandas as pd
import pytest

from mnemocraft.agents.how2.settings import TEACHERS
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import examples
from mnemocraft.studies.how2 import judged
from mnemocraft.worlds.plancraft import PlancraftWorld, read
from mnemocraft.worlds.plancraft_teacher import asked, still_true, templated_answer

EXECUTABLE, PARTIALLY = "executable", "partially-executable"


def table(**slots: tuple[str, int]) -> dict[str, Any]:
    """What an observation says about it."""
    return {"inventory": {slot: {"type": item, "quantity": n} for slot, (item, n) in slots.items()}}


def test_an_executable_answer_helps_where_its_lines_make_the_target():
    """Carried out line by line in the environment, as an agent would that follows it to the letter."""
    by_target = defaultdict(list)
    for task in examples("high"):
        if not task.impossible:
            by_target[task.target].append(task)
    pairs = [pair for tasks in by_target.values() for pair in product(tasks[:3], repeat=2)]
    found = []
    for told, task in pairs:
        seen = PlancraftEnv.of_example(told).reset()[0]
        lines = templated_answer(EXECUTABLE, seen, told.target).splitlines()[1:]
        world = PlancraftWorld(PlancraftEnv.of_example(task, max_steps=len(lines) + 1))
        now = PlancraftEnv.of_example(task).reset()[0]
        for line in lines:
            world.act(line.partition(". ")[2])
        found.append((world.env.reason == "success", still_true(EXECUTABLE, seen, told.target, now)))
    assert len(found) > 200 and [helped for helped, _ in found] == [said for _, said in found]
    own = sum(told == task for told, task in pairs)  # these all help
    assert own < sum(said for _, said in found) < len(found) / 2


@pytest.mark.parametrize(
    ("teacher", "now", "helps"),
    [
        (EXECUTABLE, table(I1=("bamboo", 2)), True),
        (EXECUTABLE, table(I2=("bamboo", 2)), False),  # in another slot
        (PARTIALLY, table(I2=("bamboo", 2)), True),
        (PARTIALLY, table(I1=("oak_planks", 2)), False),  # made of something else
        (EXECUTABLE, table(I1=("dirt", 1)), False),
        (PARTIALLY, table(I1=("dirt", 1)), False),
        (PARTIALLY, table(I1=("bamboo", 2), I2=("stick", 1)), False),  # there is one already
    ],
)
def test_who_names_slots_must_find_them_and_who_names_items_those(teacher, now, helps):
    assert still_true(teacher, table(I1=("bamboo", 2)), "stick", now) is helps


def test_that_something_cannot_be_made_helps_nobody():
    nothing = table(I1=("dirt", 1))
    assert not any(still_true(teacher, nothing, "stick", nothing) for teacher in (EXECUTABLE, PARTIALLY))


def test_checks_are_judged_at_the_table_as_it_is_then():
    """One task twice; the second time the first line was carried out before the memory was read."""
    task = next(t for t in examples("low") if not t.impossible and t.difficulty == "easy")
    seen = PlancraftEnv.of_example(task).reset()[0]
    answer = templated_answer(EXECUTABLE, seen, task.target)
    line = answer.splitlines()[1].partition(". ")[2]
    first = {"type": "action", "action": json.dumps(read(line)[0])}
    learn = {"type": "learn", "text": answer, "keys": [task.target], "question": "How is it made?"}
    recall = {"type": "recall", "query": task.target, "hits": [{"text": answer}]}
    says = {"type": "call", "role": "relevance", "text": "Yes."}
    episodes = [[learn], [recall, says], [first, recall, says | {"text": "no"}]]
    records = pd.DataFrame(
        {"setup": "relevance", "variant": "main", "teacher": EXECUTABLE, "split": "low", "stream": "s"}
        | {"target": task.target, "task": task.id, "index": range(3), judged.CALLS: [0, 1, 1]}
    )
    found = judged.taken(records.iloc[::-1], lambda record: episodes[record["index"]])
    rows = found[(found["split"] == "low") & (found["teacher"] == judged.POOLED)].set_index("entry")
    assert list(rows["n"]) == [1, 1, 1] and list(rows["value"]) == [1.0, 0.0, 1.0]
    [told] = judged.told("m", {"judged": found})
    assert "takes 1.00 (n = 1 checks in `low`), of the others 0.00 (n = 1)." in told
    assert told.endswith("of the rarer kind: executable +1.00 (n = 1).")


def test_who_only_tells_forms_apart_is_right_about_none():
    """He takes all of one teacher, most of which helps, and nothing of another, most of which does not."""

    def row(teacher: str, helps: bool, number: int) -> dict[str, Any]:
        return {"split": "low", "teacher": teacher, "target": f"t{number}", "entry": str(helps).lower()}

    forms = ((PARTIALLY, (True, True, False)), (EXECUTABLE, (False, False, True)))
    checks = [
        row(teacher, helps, number) | {"taken": teacher == PARTIALLY}
        for teacher, kinds in forms
        for number, helps in enumerate(kinds)
    ]
    found = (
        judged.shares(pd.DataFrame(checks)).query("split == 'low'").set_index(["teacher", "entry"])["value"]
    )
    assert found[judged.POOLED, "true"] > found[judged.POOLED, "false"]
    assert found[judged.POOLED, "difference"] == found[PARTIALLY, "difference"] == 0


@pytest.mark.parametrize(
    ("query", "about"), [("rod", "stick"), ("wooden_stairs", "stick"), ("torch", "torch")]
)
def test_a_query_that_names_no_item_is_about_the_target_as_the_teacher_takes_it(query, about):
    assert asked(table(I1=("bamboo", 2)) | {"target": "stick"}, query) == about


def test_without_checks_nothing_is_read_or_said():
    records = pd.DataFrame(
        {"setup": ["relevance"], "variant": ["main"], "teacher": [EXECUTABLE], "split": ["low"]}
        | {"stream": ["s"], "target": ["stick"], "task": ["VAL0001"], "index": [0]}
    )
    found = judged.taken(records, lambda record: pytest.fail(f"{record} was read"))
    assert not found["n"].any() and judged.told("m", {"judged": found}) == []


def test_where_no_target_comes_twice_a_coin_adds_nothing():
    """As in a first look: the teacher is asked about all there is, whoever plays."""
    rows = [
        {"setup": setup, "teacher": teacher, "split": "low", "variant": "main", "target": f"t{number}"}
        | {"solvable": 1.0, "solved": float(number < 2), "asked": 1.0}
        for teacher in TEACHERS
        for setup in ("just_ask", "memory_only", "relevance")
        for number in range(4)
    ]
    table = judged.chosen(pd.DataFrame(rows))
    assert table.loc[0, ["check", "coin", "value"]].to_list() == [0, 0, 0]
    assert "nan" not in str(judged.told("m", {"chosen": table}))


@pytest.mark.parametrize("solved", [10, 20])
def test_a_check_is_set_beside_a_coin_that_asks_as_often(solved):
    """Asking solves everything, memory alone nothing; the check asks about 10 of 30 targets."""
    rows = [
        {"setup": setup, "teacher": teacher, "split": "low", "variant": "main", "target": f"t{number}"}
        | {"solvable": 1.0, "solved": float(number < right), "asked": float(number < questions)}
        for teacher in TEACHERS
        for setup, right, questions in (
            ("just_ask", 30, 30),
            ("memory_only", 0, 0),
            ("relevance", solved, 10),
        )
        for number in range(30)
    ]
    low, high = judged.chosen(pd.DataFrame(rows)).itertuples(index=False)
    assert [low.check, low.coin, low.value] == pytest.approx([solved / 30, 1 / 3, (solved - 10) / 30])
    assert low.low <= low.value <= low.high and low.n == 120 and high.n == 0
    [told] = judged.told("m", {"chosen": judged.chosen(pd.DataFrame(rows))})
    assert f"adds {solved / 30:+.4f} to" in told and "as often would add +0.3333" in told
