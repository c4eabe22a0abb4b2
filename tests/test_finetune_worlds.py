"""What the small model is shown of the other worlds: nothing evaluated, and the unknown only when told."""

import asyncio
import json
import random
import re
import tarfile
from dataclasses import asdict, replace
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from helpers import Scripted, play
from mnemocraft import paths
from mnemocraft.agents import get_agent
from mnemocraft.agents.deps.plan import read_plan
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.alfworld import known_games
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.envs.kitchen.benchmark import BENCHMARK_SEEDS
from mnemocraft.errors import ModelError
from mnemocraft.llm import Model, toolformat
from mnemocraft.llm.types import Request
from mnemocraft.studies import small_model
from mnemocraft.studies.deps import small as minecraft_small
from mnemocraft.studies.gig import small
from mnemocraft.studies.gig.known import known_dishes
from mnemocraft.studies.gig.sweep import LAYOUTS
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks
from mnemocraft.worlds.textworld import textworld
from training.finetune import base, courses, demonstrate, leaks, render, watching, worlds
from training.finetune.agreement import decisions
from training.finetune.demonstrate import COURSES, labelled
from training.finetune.derived import derived_plan
from training.finetune.tasks import fresh_task

UNSEEN = paths.ROOT.parent / "shared" / "alfworld" / "valid_unseen.tar.xz"
SEED = 77
"""Lessons of a seed that nobody learns from."""


def found(world, numbers):
    return [d for n in numbers for d in watching.dialogues(world, SEED, n)]


@pytest.fixture(scope="module")
def minecraft():
    return found("minecraft", range(12))


def learnt(dialogues):
    """Every answer that is learnt, with the messages before it."""
    for dialogue in dialogues:
        said = [n for n, message in enumerate(dialogue.messages) if message["role"] == "assistant"]
        assert len(said) == len(dialogue.targets)
        for n, wanted in zip(said, dialogue.targets, strict=True):
            if wanted:
                yield dialogue.messages[n]["content"], dialogue.messages[:n]


# --- the evaluation is left alone -------------------------------------------------------------------------


def test_the_contents_of_all_that_is_evaluated_are_known():
    assert len(BENCHMARK_SEEDS) == 10 and set(BENCHMARK_SEEDS) <= set(LAYOUTS)
    kitchens = leaks.evaluated("kitchen")
    assert {leaks.kitchen_content(task, seed) for task in TASKS for seed in (42, 420, 1260)} <= kitchens
    for task in minecraft_tasks():
        held = textworld(task.key).inventory
        assert leaks.minecraft_content({task.target("1.16.5"): 1}, held) in leaks.evaluated("minecraft")


def test_a_layout_of_the_benchmark_is_refused(monkeypatch):
    monkeypatch.setattr(worlds, "KITCHEN_SEEDS", (42,))
    assert all(worlds.lesson("kitchen", SEED, n) is None for n in range(8))


def test_a_task_of_the_76_is_refused(monkeypatch):
    monkeypatch.setattr(worlds, "_demand", lambda *_: ({"stone_sword": 1}, {}))
    assert worlds.lesson("minecraft", SEED, 0) is None
    monkeypatch.setattr(worlds, "_demand", lambda *_: ({"stone_sword": 1}, {"stick": 1}))
    assert worlds.lesson("minecraft", SEED, 0) is not None


def test_tasks_that_a_lesson_comes_to_with_nothing_of_use_are_listed(monkeypatch):
    """The content tells them apart, the way to the item does not."""
    for target, held, listed in (
        ("stone_sword", "stick", False),
        ("torch", "leather", True),
        ("egg", "coal", False),
    ):
        monkeypatch.setattr(worlds, "_demand", lambda *_, asked=({target: 2}, {held: 1}): asked)
        monkeypatch.setitem(worlds.NUMBER, "minecraft", 1)
        version = worlds.lesson("minecraft", 0, 0).begin[0]().version
        found = worlds.alike_tasks().to_dict("records")
        assert found == ([{"task": target, "version": version}] if listed else [])


def test_the_tasks_that_are_listed_are_those_of_the_lessons():
    pd.testing.assert_frame_equal(small_model.alike(minecraft_small.ADAPTER), worlds.alike_tasks())


def test_a_game_that_is_known_by_name_is_refused_though_it_names_itself_otherwise(monkeypatch):
    pytest.importorskip("alfworld", reason="the extra 'alfworld' is not installed")
    game = leaks.generate("pick_and_place_simple", 3)
    assert leaks.household_content(game) == leaks.household_content(game.replace("simple_3)", "simple_99)"))
    monkeypatch.setattr(worlds, "GAME_SEEDS", (3,))
    monkeypatch.setattr(worlds, "GAME_SIZES", (1,))
    assert all(worlds.lesson("household", SEED, n) is None for n in range(7))


@pytest.mark.parametrize(("world", "count"), [("kitchen", worlds.NUMBER["kitchen"]), ("minecraft", 45)])
def test_no_lesson_is_about_anything_evaluated(world, count):
    lessons = [worlds.lesson(world, 0, n) for n in range(count)]
    tasks = [task for each in lessons if each for task in each.tasks]
    assert len(tasks) > 40
    assert not {content for _, content in tasks} & leaks.evaluated(world)
    if world == "kitchen":
        assert not {int(name.rpartition("/")[2]) for name, _ in tasks} & {*LAYOUTS, *range(10)}


def test_no_household_lesson_is_a_game_known_by_name():
    """All that are given, by their seeds and by what is in them."""
    pytest.importorskip("alfworld", reason="the extra 'alfworld' is not installed")
    tasks = [task for n in range(worlds.NUMBER["household"]) for task in household(n).tasks]
    assert not {content for _, content in tasks} & leaks.evaluated("household")
    names = {name.removeprefix("household/").rpartition("/")[0] for name, _ in tasks}
    assert not names & set(known_games()["generated"])


def test_no_household_lesson_is_one_of_the_134_games():
    pytest.importorskip("alfworld", reason="the extra 'alfworld' is not installed")
    if not UNSEEN.exists():
        pytest.skip("the 134 games are not kept beside the repository")
    with tarfile.open(UNSEEN) as archive:
        files = [member for member in archive if member.name.endswith(".tw-pddl")]
        games = {leaks.household_content(archive.extractfile(file).read().decode()) for file in files}
    assert len(games) == len(files) == 134
    lessons = [household(n).tasks[0][1] for n in range(worlds.NUMBER["household"])]
    assert not games & set(lessons)
    assert len(set(lessons)) == len(lessons)  # so that what is compared tells games apart


def household(number):
    given = worlds.lesson("household", 0, number)
    assert given is not None
    return given


def test_dialogues_say_what_was_played(minecraft):
    for dialogue in minecraft:
        name, content = dialogue.source.split()
        assert name.startswith("minecraft/") and content not in leaks.evaluated("minecraft")


# --- what is unknown is learnt only where it was told -----------------------------------------------------


def test_a_half_is_known():
    assert len(known_dishes()) == 10 and len(worlds.known_rules()) == 4
    assert {len([d for d in known_dishes() if d.startswith(m)]) for m in ("sync", "async")} == {5}
    others = {i for v in worlds.VERSIONS for i in worlds.shortest(v)} - worlds.basic_items()
    assert len(others & worlds.known_items()) == len(others) // 2


def test_an_unknown_item_is_learnt_only_after_something_was_said_about_it(minecraft):
    items = set(worlds.shortest("1.16.5")) | set(worlds.shortest("1.11.2"))
    told = re.compile(r"^(?:Explanation|Memory|Message|Insight|Prediction|Result|Failed step): .*$", re.M)
    seen = 0
    for answer, before in learnt(minecraft):
        unknown = set(re.findall(r"\w+", answer)) & items - worlds.known_items()
        said = "\n".join(
            line for m in before[1:] if m["role"] == "user" for line in told.findall(m["content"])
        )
        assert unknown <= set(re.findall(r"\w+", said)), answer
        seen += bool(unknown)
    assert seen > 5


def test_a_derivation_changes_no_plan_and_leads_from_the_task_to_what_is_there():
    """Everything that a line takes is in the inventory, or has a line of its own below it."""
    seen = 0
    for answer, _ in learnt(found("minecraft", range(500, 514))):
        if not answer.startswith("def "):
            assert "    # " not in answer
            continue
        head, *lines = answer.split("\n")
        comments = [line.removeprefix("    # ") for line in lines if line.startswith("    # ")]
        plain = "\n".join([head, *(line for line in lines if not line.startswith("    # "))])
        assert read_plan(answer) == read_plan(plain) and derived_plan([], plain, True) == answer
        task = re.match(r"def obtain_\d+_(\w+)\(inventory=(.*)\):", head)
        made = [line.partition(":")[0].split()[1] for line in comments]
        assert made[0] == task[1] and len(comments) == len(read_plan(plain).steps)
        for n, line in enumerate(comments):
            takes = line.partition(": ")[2].split(", ")
            for what in {words.split()[-1] for words in takes} - {"nothing"}:
                assert what in made[n + 1 :] or f'"{what}":' in task[2] or what in worlds.known_items()
        seen += 1
    assert seen > 5


def test_failures_are_foreseen_about_as_often_as_successes_and_each_was_remembered():
    said = {"failure": 0, "success": 0}
    for answer, before in learnt(found("minecraft", range(1500, 1516))):
        if not answer.startswith("Prediction:"):
            continue
        prompt = before[-1]["content"]
        verdict, _, why = answer.removeprefix("Prediction: ").partition(" because ")
        said[verdict] += 1
        outcomes = re.findall(r"^Memory: .*Outcome: Failure: (.+)$", prompt, re.M)
        assert not why or any(why in outcome for outcome in outcomes)
    assert 1 / 3 < said["failure"] / sum(said.values()) < 2 / 3 and said["failure"] > 20


@pytest.mark.parametrize(
    ("world", "numbers", "digest"),
    [
        ("minecraft", (0, 1, 1000, 1499), "49190ef09125e731"),  # computed at commit 051f1c6
        ("household", (0, 1, 700, 1399), "c8cd6202c79c3508"),  # computed at commit bb996fb
        ("kitchen", (1, 399), "1859304db032150a"),  # computed at commit 8318444
        ("kitchen", (400, 401, 403, 404, 405, 409), "2273d0697314f8ec"),  # computed at commit 9a8788e
        ("kitchen", (500, 501, 502, 503), "3bcee3e17b20922d"),  # as given at commit f0f002e
        ("kitchen", (600, 601, 602, 603, 606), "e6a78470855420d3"),  # as given at commit d320379
        ("kitchen", (800, 803, 900, 902), "eca59a61f2210715"),  # as given at commit d320379
    ],
)
def test_lessons_are_those_that_the_committed_adapters_were_given(world, numbers, digest):
    """Word for word as at the commits that brought the adapters."""
    if world == "household":
        pytest.importorskip("alfworld", reason="the extra 'alfworld' is not installed")
    given = repr([watching.dialogues(world, 0, number) for number in numbers])
    assert sha256(given.encode()).hexdigest().startswith(digest)


def test_where_nothing_is_remembered_no_failure_is_foreseen():
    given = worlds.lesson("minecraft", SEED, 1504)
    assert given is not None and given.options == {"unaided": True}
    told = [answer for answer, _ in learnt(watching.dialogues("minecraft", SEED, 1504))]
    assert "Prediction: success" in told and not [t for t in told if t.startswith("Prediction: failure")]


def test_who_is_told_nothing_plays_only_what_is_known():
    for n, agent in enumerate(worlds.STAGES["minecraft"][0].order * 3):
        given = worlds.lesson("minecraft", SEED, n)
        if given and agent not in worlds.TOLD_BY["minecraft"]:
            version, item = given.tasks[0][0].split("/")[1:]
            assert worlds.needed(version, item) <= worlds.known_items()


def test_an_unknown_dish_is_learnt_from_experience_that_did_the_same():
    given = worlds.lesson("kitchen", SEED, 46)
    assert given is not None and given.agent == "gig_ld_exp"
    assert "/".join(given.tasks[0][0].split("/")[1:3]) not in known_dishes()
    answers = list(learnt(watching.dialogues("kitchen", SEED, 46)))
    assert answers
    for answer, before in answers:
        past = re.search(r"^Action then: (.+)$", before[-1]["content"], re.M)
        assert past and re.sub(r"\d", "", f"Action: {past[1]}\n") in re.sub(r"\d", "", answer)


# --- conversations ----------------------------------------------------------------------------------------


def user(text):
    return {"role": "user", "content": text}


def said(text):
    return {"role": "assistant", "content": text}


def test_turns_that_continue_each_other_are_one_dialogue_and_what_agents_leave_out_is_left_out():
    turns = [
        watching.Turn([user("a")], "1", True),
        watching.Turn([user("other")], "x", True),
        watching.Turn([user("a"), said("1"), user("b")], "slip", False),
        watching.Turn([user("a"), said("1"), user("b, again")], "2", True),
        watching.Turn([user("a"), said("slip of another kind"), user("c")], "3", True),
    ]
    dialogues = watching.conversations(turns, ["planner"] * 5, "task")
    assert [(len(d.messages), d.targets) for d in dialogues] == [
        (2, [True]),
        (4, [True, True]),
        (4, [False, True]),
    ]


def test_a_lesson_is_known_where_who_knows_half_plans_as_who_knows_all():
    counts = {True: 0, False: 0}
    for number in (0, 3, 5, 7, 9, 12, 14, 16, 18, 21):  # DEPS
        given = worlds.lesson("minecraft", SEED, number)
        model = Scripted([ModelError("enough seen")])
        play(get_agent("deps"), given.begin[0](), model)
        half, whole = (
            asyncio.run(watching.Reader(knows, 0.0).generate(model.requests[0])).text
            for knows in (given.knows, lambda what: True)
        )
        assert given.agent == "deps" and given.known == (half == whole)
        counts[given.known] += 1
    assert min(counts.values()) > 2


def test_prompts_are_those_of_run_time(minecraft):
    for agent in ("deps", "inner_monologue", "zero_shot"):
        assert any(d.messages[0] == system(agent, textworld("stick")) for d in minecraft)


@pytest.mark.parametrize("method", sorted({small.METHOD.get(method, method) for method, _ in small.ARMS}))
def test_prompts_of_the_kitchen_are_those_of_run_time(method):
    """All methods that are recorded are taught: the words of their system message, and their headings."""
    taught = [n for n in range(400, 500) if worlds.lesson("kitchen", 0, n).agent == method]
    dialogues = [d for n in taught[:4] for d in watching.dialogues("kitchen", 0, n)]
    streams = small.study("full", small.ARMS).streams
    stream = next(stream for stream in streams if stream.condition.settings["method"] == method)
    player = Player()
    asyncio.run(small.start(stream, Model("expert", player)).episode(stream.tasks[0]))
    assert {d.messages[0]["content"] for d in dialogues} == {asked[0]["content"] for asked in player.asked}
    shown = set().union(*(headings(dialogue.messages) for dialogue in dialogues))
    asked = set().union(*map(headings, player.asked))
    assert {"Observation", "Goal"} < asked <= shown


class Player(watching.Reader):
    """The expert, and what it was asked."""

    def __init__(self):
        super().__init__(lambda _: True, 0.0)
        self.asked = []

    async def generate(self, request):
        self.asked.append(list(request.messages))
        return await super().generate(request)


def headings(messages):
    """What stands before a colon at the beginning of a line, other than of a thing with its number."""
    text = "\n".join(message["content"] for message in messages[1:])
    return set(re.findall(r"^([A-Z][a-z]+(?: [A-Za-z]+)*):", text, re.M))


def system(agent, world):
    """The first message of the first request at run time."""
    model = Scripted([ModelError("enough seen")])
    play(get_agent(agent), world, model)
    return model.requests[0].messages[0]


def test_wrong_experience_of_a_known_dish_is_not_gone_by(monkeypatch):
    """In the last course: what is learnt is what is right without it, also where it could be followed."""
    monkeypatch.setattr(watching, "MISLED_SHARE", 1.0)
    possible = apart = 0
    for number in (n for n in range(401, 500, 4) if worlds.lesson("kitchen", 0, n).known):
        given = worlds.lesson("kitchen", 0, number)
        goal = given.begin[0]().env.goal_description
        for answer, before in learnt(watching.dialogues("kitchen", 0, number)):
            past = re.search(r"^Goal then: (.+)\nAction then: (.+)$", before[-1]["content"], re.M)
            assert past[1] != goal
            if f"\n{past[2]}\n" not in before[-1]["content"].partition("Valid Actions:")[2]:
                continue
            heeding, not_heeding = (
                asyncio.run(
                    watching.Reader(lambda _: True, 0.0, heeds=heeds).generate(Request("", before))
                ).text
                for heeds in (True, False)
            )
            assert answer == not_heeding
            possible, apart = possible + 1, apart + (heeding != not_heeding)
    assert possible > 3 and apart


def test_no_course_is_given_in_two_ways():
    for world, stages in worlds.STAGES.items():
        lessons, number = worlds.NUMBER[world], courses.COURSES_OF_A_WORLD[world]
        assert lessons % number == 0
        assert all(stage.begins % (lessons // number) == 0 for stage in stages)
        assert [stage.begins for stage in stages] == sorted({stage.begins for stage in stages})


def test_a_course_of_all_worlds_has_as_large_a_part_of_each_in_its_order(tmp_path, monkeypatch):
    counts = {"plancraft": 33, "kitchen": 16, "minecraft": 50, "household": 5}

    def lessons(folder, world):
        assert folder == tmp_path / world
        made = [
            (n, demonstrate.Dialogue("planner", [], None, [], f"{world} {n}")) for n in range(counts[world])
        ]
        return [made[:3], made[3:]]

    def dialogues(folder, seed, _):
        return [dialogue for _, dialogue in lessons(folder, "plancraft")[seed]] if seed < 2 else []

    monkeypatch.setattr(courses, "_lessons", lessons)
    monkeypatch.setattr(courses, "_dialogues", dialogues)
    given = courses.courses(tmp_path / courses.EVERY, courses.EVERY)
    assert len(given) == courses.COURSES_OF_ALL
    for world, count in counts.items():
        shown = [dialogue.source for part in given for its, dialogue in part if its == world]
        assert shown == [f"{world} {n}" for n in range(count)]
        sizes = {sum(its == world for its, _ in part) for part in given}
        assert sizes <= {count // len(given), count // len(given) + 1}


def test_lessons_depend_on_their_number_alone_and_a_torn_file_is_gone_on_from(tmp_path, monkeypatch):
    monkeypatch.setitem(worlds.NUMBER, "minecraft", 4)
    whole = courses.courses(tmp_path / "a", "minecraft")
    assert sum(map(len, whole)) > 2
    file = tmp_path / "a" / "lessons-0.jsonl"
    text = file.read_text()
    torn = tmp_path / "b" / "lessons-0.jsonl"
    torn.parent.mkdir()
    torn.write_text(text[: len(text) // 2])
    assert courses.courses(tmp_path / "b", "minecraft") == whole
    assert torn.read_text() == text


def test_it_is_counted_how_much_is_learnt_of_whom(tmp_path, monkeypatch):
    """A dialogue's source says here which of its tokens are learnt."""
    monkeypatch.setitem(worlds.NUMBER, "kitchen", 4)
    monkeypatch.setitem(courses.COURSES_OF_A_WORLD, "kitchen", 2)
    monkeypatch.setattr(base, "load_tokenizer", lambda: None)

    def sequence(dialogue, tokenizer, longest):
        learn = np.array([letter == "1" for letter in dialogue.source])
        return render.Sequence(np.arange(len(learn)), learn, 0)

    monkeypatch.setattr(render, "sequence", sequence)
    of_lessons = [["0110110", "0000"], ["010"], [], ["0001", "001101"]]
    lines = ([asdict(demonstrate.Dialogue("planner", [], None, [], s)) for s in each] for each in of_lessons)
    (tmp_path / "lessons-0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    counted = courses.taught(tmp_path, "kitchen")
    columns = ["course", "player", "lessons", "dialogues", "answers", "tokens"]
    rows = [(1, "gig_ld", 1, 1, 2, 4), (1, "react", 1, 1, 1, 1), (2, "recap", 1, 2, 3, 4)]
    assert list(counted) == columns and list(counted.itertuples(index=False, name=None)) == rows


# --- what an answer follows from, and what the adapter does wrong -----------------------------------------


def test_what_is_said_before_an_action_is_what_the_kitchen_shows():
    """Where the robot and all that is wanted are, and what was done with it; the rest stays the expert's."""
    wanted = re.compile(r"(\w+) \((\w+)((?:, (?:not )?(?:cut|cooked|fried|cooking))*)(?:, under (\w+))?\)")
    seen = aims = 0
    for answer, before in learnt(found("kitchen", (n for n in range(500, 521) if n % 7 < 6))):
        prompt = before[-1]["content"]
        here = re.match(r"Reasoning: robot1 is at (\w+) and holds (\w+)\.", answer)
        assert f"\nrobot1 is at {here[1]}\nrobot1 is holding {here[2]}\n" in prompt
        for item, place, states, above in wanted.findall(answer):
            at = f"{item} is held by robot1" if place == "held" else f"{item} is at {place}"
            assert f"\n{at}\n" in prompt and (not above or f"\n{item} is directly under {above}\n" in prompt)
            for state in filter(None, states.split(", ")):
                shown = f"\n{item} is {state.removeprefix('not ')}\n" in prompt
                assert shown is not state.startswith("not ")
            seen += 1
        if aim := re.search(
            r" Aim: (take|put|cut) (\w+) at (\w+)\. Next: (?:Move robot1 from \w+ to (\w+))?", answer
        ):
            what, item, station, goes_to = aim.groups()
            assert station == (goes_to or here[1])
            assert f"\n{item} is {'held by robot1' if what == 'put' else f'at {station}'}\n" in prompt
            aims += 1
        plain = asyncio.run(watching.Reader(lambda _: True, 0.0).generate(Request("", before))).text
        assert answer.partition("\nAction: ")[2] == plain.partition("\nAction: ")[2]
    assert seen > 20 and aims > 10


def test_of_an_unknown_dish_nothing_is_said_but_what_the_experience_did():
    numbers = [n for n in range(503, 600, 7) if (each := worlds.lesson("kitchen", 0, n)) and not each.known]
    answers = [each for n in numbers[:3] for each in learnt(watching.dialogues("kitchen", 0, n))]
    assert answers
    for answer, before in answers:
        past = re.search(r"^Action then: (.+)$", before[-1]["content"], re.M)[1]
        reasoning = answer.partition("\nAction: ")[0]
        assert f" Past: {past}. Next: " in reasoning and "wants" not in reasoning


def test_an_action_follows_from_what_was_said_of_errands():
    """By rules that see the reasoning alone: what is wanted gives the aim, the aim gives the action."""
    numbers = [n for n in range(600, 630) if (each := worlds.lesson("kitchen", SEED, n)) and each.known]
    answers = list(learnt(found("kitchen", numbers)))
    moves = works = 0
    for answer, _ in answers:
        reasoning, action = (line.partition(": ")[2] for line in answer.split("\n")[:2])
        at, held = re.match(r"robot1 is at (\w+) and holds (\w+)\.", reasoning).groups()
        aim = re.search(
            r" Aim: (take|put|cut) (\w+)(?: (?:from|on) (\w+))? (?:here|at (\w+))\. Next", reasoning
        )
        if aim is None:  # what is held is taken from one place to another, to make room
            assert action.startswith("Move ") and held != "nothing"
            continue
        verb, thing, layer, there = aim.groups()
        errands = re.findall(r"(\w+) \((\w+)[^():]*: ([^()]+)\)", reasoning)
        errand = {item: (place, said) for item, place, said in errands}
        if there:
            assert action == f"Move robot1 from {at} to {there}" and there != at
            moves += 1
        else:
            assert (
                action
                == {
                    "take": f"Unstack {thing} from {layer}" if layer else f"Pick up {thing} from {at}",
                    "put": f"Stack {thing} on top of {layer}" if layer else f"Place {thing} on {at}",
                    "cut": f"Cut {thing} on {at}",
                }[verb]
                + " using robot1"
            )
            works += 1
        if verb == "put":
            assert thing == held
            if errand.get(held, ("", ""))[1].startswith("to "):
                assert errand[held][1] == f"to {there or 'here'}"
        elif verb == "cut":
            assert errand[thing] == (there or "here", "cut")
        else:
            assert held == "nothing"
            assert errand.get(thing, ("", ""))[1].startswith("to ") or any(
                said == f"clear {thing}" for _, said in errand.values()
            )
    assert moves > 20 and works > 20 and moves + works > 0.98 * len(answers)


def test_slips_are_seen_more_often_in_later_lessons_of_the_kitchen():
    """In ReAct's conversations a slip stays, and is not learnt."""
    shares = []
    for first in (500, 600):
        react = (n for n in range(first, first + 60) if worlds.lesson("kitchen", 0, n).agent == "react")
        targets = [t for n in react for d in watching.dialogues("kitchen", 0, n) for t in d.targets]
        shares.append(1 - sum(targets) / len(targets))
    assert 0 < 1.5 * shares[0] < shares[1] < 0.15


# --- Plancraft's labels -----------------------------------------------------------------------------------


def test_memories_are_labelled_by_what_comes_of_them():
    """An executable entry is true if its lines, carried out to the letter, make the target; else not."""
    rng, labels = random.Random(4), []
    for n, target in enumerate(["stick", "chest", "ladder", "oak_door", "torch", "bowl"] * 3):
        task = fresh_task("T", target, False, 4, n)
        for dialogue in labelled(task, 1, rng) if task else ():
            label, entry = dialogue.messages[-1]["content"], dialogue.messages[-2]["content"]
            labels.append(label)
            lines = re.findall(r"^\d+\. (move|smelt) from (\w+) to (\w+) with quantity (\d+)$", entry, re.M)
            if not lines:
                continue
            env = PlancraftEnv.of_example(task)
            env.reset()
            for name, start, end, quantity in lines:
                if not env.reason:
                    arguments = {"slot_from": start, "slot_to": end, "quantity": int(quantity)}
                    env.step({"name": name, "arguments": arguments})
            assert (env.reason == "success") == (label == "yes")
    assert labels.count("yes") == labels.count("no") > 5


def test_the_planner_judges_in_place_of_the_reader():
    course = replace(COURSES[1], tasks=30)
    answers = [d.messages[-1]["content"] for d in demonstrate.dialogues(9, course) if d.role == "relevance"]
    assert set(answers) == {"yes", "no"} and answers.count("yes") == answers.count("no")


def test_decisions_count_both_kinds_alike_and_find_what_is_impossible():
    call = '{"name": "impossible", "arguments": {"reason": "r"}}'
    move = '{"name": "move", "arguments": {}}'
    rows = [
        *[("relevance", "no", "no")] * 8,
        ("relevance", "yes", "no"),
        ("relevance", "yes", "Yes."),
        ("actor", call, call),
        ("actor", call, move),
        ("actor", move, move),
        ("actor", move, call),
    ]
    found = decisions(*(pd.Series(column) for column in zip(*rows, strict=True)))
    assert found == {"relevance_balanced_accuracy": 0.75, "impossible_f1": 0.5}


def test_the_expert_calls_a_task_impossible_in_the_words_that_are_counted():
    course = replace(COURSES[1], tasks=6, impossible=1.0)
    actors = [d for d in demonstrate.dialogues(9, course) if d.role == "actor"]
    said = pd.Series([toolformat.as_text([d.messages[-1]], None)[0]["content"] for d in actors])
    roles = pd.Series(["actor"] * len(said))
    assert decisions(roles, said, said) == {"impossible_f1": 1.0}
