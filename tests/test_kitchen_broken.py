"""Broken domain and environment files: each gets one sentence that names the file and the place."""

import copy
import re
from functools import partial

import pytest

from kitchen_golden import domain_json, open_files, row_kitchen
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import kitchen_domain
from mnemocraft.envs.kitchen.environment_file import read_environment
from mnemocraft.errors import MnemocraftError

FREE = (("clear", ["bread"], [1]),)
KITCHEN = row_kitchen(
    ["table: lettuce", "board", "table: patty bread", "table: pot", "sink", "stove", "table: bowl"]
)


@pytest.fixture
def opened(tmp_path):
    return partial(open_files, tmp_path)


def changed(content, path, value):
    """A copy with the value at a path like ``items.0.x`` replaced, or removed if it is None."""
    content = copy.deepcopy(content)
    *way, last = [int(p) if p.isdigit() else p for p in path.split(".")]
    owner = content
    for step in way:
        owner = owner[step]
    if value is None:
        del owner[last]
    elif isinstance(owner, list) and last == len(owner):
        owner.append(value)
    else:
        owner[last] = value
    return content


def line(predicate, kinds, ids):
    return {"predicate": predicate, "args": kinds, "ids": ids}


BROKEN_KITCHENS = [
    ("width", None, "kitchen.json", "width"),
    ("width", "7", "kitchen.json: width", "whole number"),
    ("height", 0, "kitchen.json", "1 x 1 to 100 x 100"),
    ("stations", {}, "kitchen.json: stations", "must be a list"),
    ("players", None, "kitchen.json", '"players" is missing'),
    ("players", [], "kitchen.json: players", "exactly one player"),
    (
        "players.1",
        {"name": "robot", "x": 3, "y": 1, "direction": [0, -1]},
        "kitchen.json: players",
        "exactly one",
    ),
    ("players.0.direction", [1, 1], "kitchen.json: players[0].direction", "[0, 1]"),
    ("players.0.direction", [0, 1], "kitchen.json: players[0]", "no station"),
    ("players.0.x", True, "kitchen.json: players[0].x", "whole number"),
    ("meals", None, "kitchen.json", '"meals"'),
    ("goal", [], "kitchen.json: goal", "empty"),
    ("goal_description", 3, "kitchen.json: goal_description", "text"),
    ("goals", [], "kitchen.json", 'no key "goals"'),
    ("g" * 5000, [], "kitchen.json", "allowed are version"),
    ("stations.0", 5, "kitchen.json: stations[0]", "an object"),
    ("stations.0.name", "tabel", "kitchen.json: stations[0].name", "no station 'tabel'"),
    ("stations.0.name", "lettuce", "kitchen.json: stations[0].name", "stations are table"),
    ("stations.0.name", "table2", "kitchen.json: stations[0].name", "it is table1"),
    ("stations.1.x", 0, "kitchen.json: stations[1]", "taken by stations[0]"),
    ("stations.1.x", 7, "kitchen.json: stations[1]", "outside the 7 x 2 grid"),
    ("stations.1.y", 1.0, "kitchen.json: stations[1].y", "whole number"),
    ("items.1.x", None, "kitchen.json: items[1]", '"x" is missing'),
    ("items.2.stack-level", 0, "kitchen.json: items[2]", "stack-level 0"),
    ("items.2.stack_level", 0, "kitchen.json: items[2]", "stack-level"),
    ("items.0.name", "cut", "kitchen.json: items[0].name", "no item 'cut'"),
    ("items.0.name", "cuttable", "kitchen.json: items[0].name", "no item 'cuttable'"),
    ("items.0.predicates", ["ishot"], "kitchen.json: items[0].predicates[0]", "no predicate 'ishot'"),
    ("items.0.predicates", ["isboiling"], "kitchen.json: items[0].predicates[0]", "not about one item"),
    ("items.0.predicates", ["item_on"], "kitchen.json: items[0].predicates[0]", "not about one item"),
    ("items.0.id", 1.5, "kitchen.json: items[0].id", "number or a text"),
    ("items.3", {"name": "bread", "x": 1, "y": 1}, "kitchen.json: items[3]", "no station is at (1, 1)"),
    ("containers.1.x", 3, "kitchen.json: containers[1]", "taken by containers[0]"),
    ("containers.1.x", 2, "kitchen.json: containers[1]", "an item is at"),
    ("meals.0", {"name": "water", "x": 0, "y": 0}, "kitchen.json: meals[0]", "no container"),
    ("goal.0.predicate", "ischopped", "kitchen.json: goal[0].predicate", "no predicate 'ischopped'"),
    ("goal.0.args", ["lettuce", "table"], "kitchen.json: goal[0].args", "takes 1 (item), not 2"),
    ("goal.0.args", ["table"], "kitchen.json: goal[0].args", "takes something of type item there"),
    ("goal.0.args", ["kale"], "kitchen.json: goal[0].args", "no kind of object 'kale'"),
    ("goal.0.args", ["item"], "kitchen.json: goal[0].args", "wildcard 'item'"),
    ("goal.0.ids", [1, 2], "kitchen.json: goal[0].ids", "one id for each"),
    ("goal.0.ids", ["a"], "kitchen.json: goal[0].ids", "no item has the id 'a'"),
    ("goal.0.ids", [None], "kitchen.json: goal[0].ids", "number or a text"),
    ("goal.0.id", [1], "kitchen.json: goal[0]", 'no key "id"'),
    # goals that can never hold
    (
        "goal.1",
        line("iscut", ["lettuce"], [2]),
        "kitchen.json: goal",
        "more ids of lettuce than the kitchen has such objects (1)",
    ),
    ("goal.0", line("iscooked", ["lettuce"], [1]), "kitchen.json: goal[0]", "no action can make it true"),
    (
        "goal.0",
        line("isfried", ["patty"], [1]),
        "kitchen.json: goal[0]",
        "fry needs isfryer, which nothing is",
    ),
    ("goal.0", line("iscuttable", ["bread"], [1]), "kitchen.json: goal[0]", "no action can make it true"),
    (
        "goal.0",
        line("item_on", ["bread", "fryer"], [1, 2]),
        "kitchen.json: goal[0]",
        "the kitchen has no fryer",
    ),
    (
        "goal.0",
        line("item_on", ["tomato", "table"], [1, 2]),
        "kitchen.json: goal[0]",
        "the kitchen has no tomato",
    ),
    ("goal.0", line("atop", ["bread", "bread"], [1, 1]), "kitchen.json: goal[0]", "can never hold"),
    ("goal.1", line("atop", ["bread", "bread"], [2, 2]), "kitchen.json: goal[1]", "can never hold"),
]


@pytest.mark.parametrize(("path", "value", "place", "what"), BROKEN_KITCHENS)
def test_a_broken_environment_gets_one_sentence_with_the_place(opened, path, value, place, what):
    with pytest.raises(MnemocraftError) as caught:
        opened(changed(KITCHEN, path, value))
    message = str(caught.value)
    assert message.startswith(place + ":") and what in message
    assert "\n" not in message and message.endswith(".")


STACKS = [
    (
        [line("atop", ["bread", "patty"], [1, 2]), line("atop", ["patty", "bread"], [2, 1])],
        "goal[1]",
        "circle",
    ),
    (
        [line("atop", ["bread", "patty"], [1, 2]), line("item_on", ["bread", "table"], [1, 3])],
        "goal[1]",
        "share",
    ),
    (
        [line("item_on", ["bread", "table"], [1, 3]), line("item_on", ["patty", "table"], [2, 3])],
        "goal[1]",
        "share",
    ),
]


@pytest.mark.parametrize(("goal", "place", "what"), STACKS)
def test_impossible_stacks_get_one_sentence(opened, goal, place, what):
    with pytest.raises(MnemocraftError, match=rf"kitchen\.json: {re.escape(place)}: .*{what}"):
        opened(KITCHEN | {"goal": goal})


NEVER_TOGETHER = [
    [line("atop", ["bread", "cheese"], [1, 2]), line("clear", ["cheese"], [2])],
    [line("has_item", ["robot", "cheese"], [1, 2]), line("nothing", ["robot"], [1])],
    [line("has_item", ["robot", "cheese"], [1, 2]), line("item_on", ["cheese", "table"], [2, 3])],
    [line("item_on", ["bread", "table"], [1, 2]), line("station_empty", ["table"], [2])],
    [line("item_at", ["bread", "table"], [1, 2]), line("item_at", ["bread", "table"], [1, 3])],
    [line("loc", ["robot", "table"], [1, 2]), line("loc", ["robot", "table"], [1, 3])],
    [line("loc", ["robot", "table"], [1, 2]), line("vacant", ["table"], [2])],
    [line("has_item", ["robot", "bread"], [1, 2]), line("has_item", ["robot", "bread"], [1, 3])],
]


@pytest.mark.parametrize("goal", NEVER_TOGETHER)
def test_lines_that_exclude_each_other_get_one_sentence(opened, goal):
    kitchen = row_kitchen(["table: bread cheese bread", "table", "table"])
    with pytest.raises(
        MnemocraftError, match=r"^kitchen\.json: goal\[1\]: with goal\[0\] it can never hold: .*\.$"
    ):
        opened(kitchen | {"goal": goal})


def test_two_waters_may_leave_a_pot_both_full_and_empty(opened):
    kitchen = row_kitchen(["table: pot", "sink", "table: bowl"])
    goal = [line("in", ["water", "pot"], [1, 2]), line("container_empty", ["pot"], [2])]
    assert not opened(kitchen | {"goal": goal}).goal_reached


BROKEN_DOMAINS = [
    ("predicates", [], "domain.json:", 'no key "predicates"'),
    ("predicate_defs.0.english", {}, "domain.json: predicate_defs[0]:", 'no key "english"'),
    ("predicate_defs.0.language_descriptors", {"0": "{0"}, "domain.json: predicate_defs[0]", "braces"),
    ("action_defs.0.effects", [], "domain.json: action_defs[0]:", 'no key "effects"'),
    ("action_defs.0.language_description", "Go {s2", "domain.json: action_defs[0].language_desc", "braces"),
    ("action_defs.0.language_description", "Go {s2!r}", "domain.json: action_defs[0].language_", "braces"),
    ("action_defs.0.precons.0.istrue", True, "domain.json: action_defs[0].precons[0]:", 'key "istrue"'),
    (
        "action_defs.0.precons.0.params",
        ["zz", "s1"],
        "domain.json: action_defs[0].precons[0].params[0]",
        "zz",
    ),
    (
        "action_defs.0.immediate_fx.0.params",
        ["zz", "s2"],
        "domain.json: action_defs[0].immediate_fx[0].params[0]",
        "zz",
    ),
    ("action_defs.5.sfx.0.delay", 4, "domain.json: action_defs[5].sfx[0]:", 'no key "delay"'),
    ("predicate_defs", None, "domain.json", '"predicate_defs" is missing'),
    ("object_types", "item", "domain.json: object_types", "must be a list"),
    (
        "predicate_defs.0.param_types",
        ["stations"],
        "domain.json: predicate_defs[0].param_types[0]",
        "no type",
    ),
    ("predicate_defs.1.name", "istable", "domain.json: predicate_defs[1]", "defined twice"),
    ("predicate_defs.0.language_descriptors", {"1": "x"}, "domain.json: predicate_defs[0]", "0 to 0"),
    ("predicate_defs.0.language_descriptors", {"0": "{x}"}, "domain.json: predicate_defs[0]", "0 to 0"),
    (
        "predicate_defs.28.name",
        "at",
        "domain.json: action_defs[0].precons[0].predicate",
        "no predicate 'loc'",
    ),
    ("action_defs.0.precons.0.params", ["p1"], "domain.json: action_defs[0].precons[0].params", "takes 2"),
    (
        "action_defs.0.precons.1.params",
        ["p1"],
        "domain.json: action_defs[0].precons[1].params",
        "of type player",
    ),
    (
        "action_defs.0.precons.1.is_true",
        "yes",
        "domain.json: action_defs[0].precons[1].is_true",
        "true or false",
    ),
    (
        "action_defs.0.language_description",
        "Go {s3}",
        "domain.json: action_defs[0].language_description",
        "s3",
    ),
    ("action_defs.0.name", "cook", "domain.json: action_defs", "same name"),
    ("action_defs.5.sfx.0.type", "slow", "domain.json: action_defs[5].sfx[0].type", "no effect 'slow'"),
    ("action_defs.5.sfx.0.param", "i2", "domain.json: action_defs[5].sfx[0].param", "no parameter 'i2'"),
    ("action_defs.5.sfx.0.fx.0.params", ["i2"], "domain.json: action_defs[5].sfx[0].fx[0].params", "'i2'"),
    ("action_defs.5.sfx.0.sfx.0.fx", None, "domain.json: action_defs[5].sfx[0].sfx[0]", '"fx" is missing'),
    (
        "action_defs.8.sfx.0.sfx.0.sfx.0.created_obj",
        None,
        "domain.json: action_defs[8].sfx[0]",
        "created_obj",
    ),
    (
        "action_defs.8.sfx.0.sfx.0.sfx.0.created_obj.name",
        "water2",
        "domain.json: action_defs[8].sfx[0].sfx[0].sfx[0].created_obj.name:",
        "end with a digit",
    ),
    (
        "action_defs.8.sfx.0.sfx.0.sfx.0.created_obj.type",
        "soup",
        "domain.json: action_defs[8].sfx[0]",
        "no type",
    ),
    ("action_defs.8.sfx.0.sfx.0.sfx.0.sfx", [{}], "domain.json: action_defs[8].sfx[0]", "cannot hold"),
]


@pytest.mark.parametrize(("path", "value", "place", "what"), BROKEN_DOMAINS)
def test_a_broken_domain_gets_one_sentence_with_the_place(opened, path, value, place, what):
    with pytest.raises(MnemocraftError) as caught:
        opened(KITCHEN, changed(domain_json(), path, value))
    message = str(caught.value)
    assert message.startswith(place) and what in message and "\n" not in message and message.endswith(".")


def test_a_domain_without_what_kitchens_need_is_refused(opened):
    lean = domain_json() | {"action_defs": []}
    lean["predicate_defs"] = [p for p in lean["predicate_defs"] if p["name"] != "vacant"]
    with pytest.raises(MnemocraftError, match=r"vacant\(station\)"):
        opened(KITCHEN, lean)
    lean["predicate_defs"] = [p for p in domain_json()["predicate_defs"] if p["name"] != "isonion"]
    with pytest.raises(MnemocraftError, match="can draw the kind onion"):
        opened(row_kitchen(["table: bread"], goal=FREE), lean, seed=1)


def paths_in(content, path=""):
    """All paths of a JSON value, as :func:`changed` takes them."""
    inside = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in inside:
        yield f"{path}{key}"
        if isinstance(value, dict | list):
            yield from paths_in(value, f"{path}{key}.")


@pytest.mark.parametrize("value", [None, "", "item", -1, [[]], {"0": "{"}])
def test_whatever_is_in_a_file_it_opens_or_gets_one_sentence(value):
    refused = 0
    for path in paths_in(KITCHEN):
        try:
            read_environment(changed(KITCHEN, path, value), kitchen_domain(), "kitchen.json")
        except MnemocraftError as error:
            refused += 1
            assert re.fullmatch(r"kitchen\.json: .*\.", str(error))
    assert refused > 50


def test_files_that_are_no_json_get_one_sentence(opened, tmp_path):
    for content, what in (
        ("{", "not valid JSON"),
        ("[]", "must be an object"),
        ("[" * 10**5, "nested more than"),
        ('{"width": ' + "9" * 5000 + "}", "must be a whole number"),
    ):
        with pytest.raises(MnemocraftError, match=rf"^kitchen\.json: .*{what}"):
            opened(content)
    with pytest.raises(MnemocraftError, match="cannot be read"):
        KitchenEnv.from_files(tmp_path / "domain.json", tmp_path / "no.json")


def test_a_kitchen_without_room_gets_one_sentence(opened):
    full = row_kitchen(["table: bread", "table: bread bread"], goal=FREE) | {"height": 2, "width": 2}
    full["stations"].append({"name": "table", "x": 1, "y": 1})
    with pytest.raises(MnemocraftError, match="no room"):
        opened(full, seed=0)
