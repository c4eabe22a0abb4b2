"""What the stand-in reads out of remembered experiences, and what it does not."""

from __future__ import annotations

from mnemocraft.surrogate.minds.minecraft import experience

NEEDS = "I cannot mine cobblestone: I need a wooden_pickaxe or stone_pickaxe in the inventory."
SHORT = "I cannot craft furnace: I need 8 more cobblestone or blackstone (have 0 of 8)."
FAILED = f"Memory: State: x Task: y Plan: mine 8 cobblestone Outcome: Failure: {NEEDS}"
FEW = f"Memory: State: x Task: y Plan: craft 1 furnace Outcome: Failure: craft 1 furnace: {SHORT}"
WORKED = (
    "Memory: State: Inventory: nothing Task: obtain 4 stick Plan: mine 1 log; craft 4 planks using log; "
    "craft 4 stick using planks Outcome: Success: all was done"
)


def test_a_plan_that_repeats_a_remembered_lack_is_foreseen_to_fail():
    assert experience.foreseen(f"Plan: mine 8 cobblestone\n{FAILED}", {}) == NEEDS
    assert experience.foreseen(f"Plan: mine 8 cobblestone\n{FAILED}", {"stone_pickaxe": 1}) == ""
    assert experience.foreseen(f"Plan: craft 1 wooden_pickaxe; mine 8 cobblestone\n{FAILED}", {}) == ""
    assert (
        experience.foreseen(f"Plan: mine 3 cobblestone; craft 1 furnace\n{FEW}", {"cobblestone": 4}) == SHORT
    )
    assert experience.foreseen(f"Plan: mine 4 cobblestone; craft 1 furnace\n{FEW}", {"cobblestone": 4}) == ""
    assert experience.foreseen(f"Plan: mine 1 log\n{FAILED}\n{FEW}", {}) == ""


def test_failures_and_successes_become_lessons_and_insights():
    said = [(lesson.item, lesson.text) for lesson in experience.lessons(f"{FAILED}\n{WORKED}", 0)]
    assert said[0] == ("cobblestone", NEEDS)
    assert [item for item, _ in said[1:]] == ["log", "planks", "stick"] and "log planks" in said[3][1]
    known = experience.experiences(f"{FAILED}\n{WORKED}")
    assert experience.insights([*known, known[0]]) == [
        "to mine cobblestone needs a wooden_pickaxe or stone_pickaxe in the inventory.",
        "what worked: mine 1 log; craft 4 planks using log; craft 4 stick using planks",
    ]


def test_insights_are_taken_up_apart_from_memories():
    text = "Insight: to mine cobblestone needs a wooden_pickaxe\nInsight: what worked: mine 1 log"
    places = {lesson.item: lesson.place for lesson in experience.lessons(text, 2)}
    assert places == {"cobblestone": 1002, "log": 1002}


def test_other_memories_say_nothing_here():
    assert list(experience.lessons("Memory: obtain 1 stick: mine 1 log; craft 4 planks", 0)) == []


def test_a_reflection_that_names_another_way_and_a_skill_say_how_items_are_had():
    text = "Reflection: After attempt 1: Because stick cannot be had with mine. So craft stick instead."
    text += '\nSkill: obtain 1 coal: craft({"planks": 4}, {"log": 1}, station=None); '
    text += 'mine({"coal": 1}, tool="pick")'
    found = {lesson.item: lesson.text for lesson in experience.lessons(text, 0)}
    assert found["stick"].endswith("So craft stick instead.")
    assert found["planks"].startswith("craft ") and '"log": 1' in found["planks"] and "pick" in found["coal"]
