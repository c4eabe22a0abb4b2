"""What the surrogate reads in a kitchen, and imagines, against the benchmark's files and the engine."""

import gzip
import itertools
import json
from collections import Counter

import pytest

from kitchen_golden import SHARED
from kitchen_golden import needs_traces as needs_shared
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import HORIZONS, TASKS
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.minds.kitchen.acts import imagine
from mnemocraft.surrogate.minds.kitchen.beliefs import Beliefs
from mnemocraft.surrogate.minds.kitchen.dishes import understand
from mnemocraft.surrogate.minds.kitchen.layout import lay_out
from mnemocraft.surrogate.minds.kitchen.policy import first
from mnemocraft.surrogate.minds.kitchen.scene import read_scene

STEPS = {"cut": 3, "cook": 4, "fry": 4, "fill": 4, "boil": 4}


def dishes(scene, mind):
    return understand(mind.task, Counter(scene.kinds.values()), mind)


@needs_shared
@pytest.mark.parametrize("task", TASKS)
def test_goal_texts_mean_what_the_benchmark_checks(task):
    """Per table: kinds and states that the goal file demands (FACTS.md, section 6)."""
    mode, number = task.split("/")
    (file,) = (SHARED / "data" / f"{mode}hronous").glob(f"{number}_*.json")
    spec = json.loads(file.read_text(encoding="utf-8"))
    mind = Beliefs(Competence(1, 1, 0, 0), spec["goal_description"], "")
    read = understand(mind.task, Counter(item["name"] for item in spec["items"]), mind)
    mine = Counter()
    for dish in read:
        layers = [need for need in (dish.base, *dish.fillings, dish.top) if need is not None]
        mine[frozenset(Counter((need.kind, need.states) for need in layers).items())] += 1
    if task == "sync/8":  # the goal does not check the tomatoes that the text asks for
        mine = Counter({frozenset(p for p in dish if p[0][0] != "tomato"): n for dish, n in mine.items()})
    assert mine == demanded(spec["goal"])


def demanded(goal):
    """Dishes of a goal file: for each table (or bowl) how many of what in which states."""
    states, place, kinds, parent = {}, {}, {}, {}
    for fact in goal:
        pairs = list(zip(fact["ids"], fact["args"], strict=True))
        for number, kind in pairs:
            kinds.setdefault(number, kind)
        if fact["predicate"] in ("iscut", "iscooked", "isfried"):
            states.setdefault(pairs[0][0], set()).add(fact["predicate"][2:])
        elif fact["predicate"] in ("item_at", "item_on", "addedto"):
            place[pairs[0][0]] = pairs[1][0]
        elif fact["predicate"] == "atop":
            parent[pairs[0][0]] = pairs[1][0]
    while missing := [item for item in parent if item not in place and parent[item] in place]:
        place |= {item: place[parent[item]] for item in missing}
    found = {}
    for item, where in place.items():
        found.setdefault(where, Counter())[kinds[item], frozenset(states.get(item, ()))] += 1
    return Counter(frozenset(dish.items()) for dish in found.values())


@needs_shared
@pytest.mark.parametrize("task", ["sync_6", "async_3", "async_8"])
def test_scenes_are_read_as_the_real_engine_has_them(task):
    with gzip.open(SHARED / "traces" / f"{task}.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [r for r in map(json.loads, lines) if "obs" in r]
    assert len(records) > 20
    for record in records:
        scene = read_scene(record["obs"].partition("\n\nValid Actions:")[0])
        kind = "container" if scene.kinds.get(scene.held) in ("pot", "bowl") else "item"
        told = {f"has_{kind}({scene.robot},{scene.held})" if scene.held else f"nothing({scene.robot})"}
        told |= {f"item_at({item},{s})" for s, stack in scene.stacks.items() for item in stack}
        told |= {f"atop({b},{a})" for stack in scene.stacks.values() for a, b in itertools.pairwise(stack)}
        told |= {f"container_at({c},{s})" for s, c in scene.standing.items()} | {
            f"loc({scene.robot},{scene.at})"
        }
        told |= {f"in({m},{c})" for c, meals in scene.inside.items() for m in meals}
        told |= {f"addedto({i},{m})" for m, items in scene.added.items() for i in items}
        words = ("cut", "cooked", "cooking", "fried", "boiling")
        told |= {f"is{w}({x})" for x, said in scene.states.items() for w in words if w in said}
        names = {fact.partition("(")[0] for fact in told} | {"has_item", "has_container", "iscut", "iscooked"}
        assert told == {fact for fact in record["true"] if fact.partition("(")[0] in names}


@pytest.mark.parametrize("task", ["sync/6", "async/4", "async/8"])
def test_what_it_imagines_is_what_happens(task):
    """With right beliefs the mind's eye and the engine agree, up to the engine's odd extra tick."""
    env = KitchenEnv(task, 84)
    env.reset()
    mind = Beliefs(Competence(1, 1, 0, 0), env.goal_description, "")
    imagined = read_scene(env.observation())
    for step in range(2 * HORIZONS[task]):
        scene = read_scene(env.observation())
        assert (imagined.stacks, imagined.standing, imagined.held) == (
            scene.stacks,
            scene.standing,
            scene.held,
        ), step
        assert (imagined.at, imagined.added) == (scene.at, scene.added)
        act = first(scene, lay_out(scene, dishes(scene, mind), False), env.valid_actions)
        if act is None or env.goal_reached:
            break
        imagined = imagine(imagined, act, STEPS)
        env.step(act.text(scene))
    assert env.goal_reached
