import asyncio
import json
from collections import Counter

import pytest

from helpers import Scripted, Stand
from mnemocraft.agents.how2 import prompts
from mnemocraft.envs.plancraft import book, example, examples
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.memory.keyed import Keyed
from mnemocraft.memory.none import NoMemory
from mnemocraft.studies.how2 import sweep, validation
from mnemocraft.studies.how2.load import curriculum, recipe_depth, shuffled, subset
from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Conversation
from mnemocraft.surrogate.formats.knowledge import judge
from mnemocraft.surrogate.minds.plancraft import PlancraftMind


def test_the_grid_is_the_papers_and_its_ids_are_unique():
    conditions = sweep.conditions()
    main = [c.settings for c in conditions if c.settings["variant"] == "main"]
    assert len(main) == 2 * (1 + 5 * 4)
    assert Counter(c.settings["variant"] for c in conditions)["no_think"] == 21
    assert len({c.id for c in conditions}) == len(conditions)


def test_full_streams_hold_all_570_examples_in_an_order_of_their_seed():
    streams = [s for s in sweep.study("full", [0, 1]).streams if s.condition.id == "base/none/low/main"]
    expected = sorted(item.id for item in examples("low"))
    assert [sorted(s.tasks) for s in streams] == [expected, expected]
    assert streams[0].tasks != streams[1].tasks


@pytest.mark.parametrize("split", ["low", "high"])
def test_a_subset_keeps_whole_targets_and_grows_by_adding(split):
    small, large = subset(split, 50), subset(split, 100)
    assert {i.id for i in small} <= {i.id for i in large}
    targets = {item.target for item in small}
    assert {i.id for i in small} == {i.id for i in examples(split) if i.target in targets}
    assert 50 <= len(small) < 90


def test_curriculum_meets_simple_recipes_first_whatever_the_seed():
    for seed in (0, 1):
        order = curriculum(subset("high", 570), seed)
        depths = [recipe_depth(seed)[example(task).target] for task in order]
        assert depths == sorted(depths)
        depth = recipe_depth(seed)
        assert depth["oak_log"] < depth["oak_planks"] < depth["stick"] < depth["wooden_pickaxe"]
    assert curriculum(examples("high"), 0) != curriculum(examples("high"), 1)


def test_every_recipe_outside_a_cycle_lies_deeper_than_its_ingredients():
    import networkx as nx

    graph = book().graph()
    cyclic = {n for c in nx.strongly_connected_components(graph) if len(c) > 1 for n in c}
    depth = recipe_depth(0)
    assert all(depth[a] < depth[b] for a, b in graph.edges if not {a, b} <= cyclic)


@pytest.mark.parametrize(
    ("profile", "seeds", "sentence"),
    [
        ("huge", [0], "no profile 'huge'"),
        ("quick", [], r"'seeds' must be a list of at least one, such as \[0\], not \[\]"),
        ("quick", 5, "'seeds' must be a list .*, not 5"),
        ("quick", "12", "'seeds' must be a list .*, not '12'"),
        ("quick", ["a"], "A seed must be a whole number from 0, not 'a'"),
        ("quick", [-1], "A seed must be a whole number from 0, not -1"),
    ],
)
def test_unknown_profiles_and_wrong_seeds_are_named(profile, seeds, sentence):
    with pytest.raises(MnemocraftError, match=sentence):
        sweep.study(profile, seeds)


def stream_of(setup, teacher, tasks=25):
    c = sweep.condition(setup, teacher, "high", "main")
    return sweep.Stream(c, 1, shuffled(subset("high", 570), 1)[:tasks])


def play(runner, tasks):
    return [asyncio.run(runner.episode(task)) for task in tasks]


@pytest.mark.parametrize("setup, teacher", [("how2", "executable"), ("parse", "non-executable")])
def test_a_restored_stream_goes_on_as_if_it_had_never_stopped(setup, teacher):
    stream = stream_of(setup, teacher)
    whole = play(sweep.start(stream, Stand("surrogate")), stream.tasks)
    assert any(episode.metrics["cache_hits"] for episode in whole[12:])
    resumed = sweep.start(stream, Stand("surrogate"))
    resumed.restore(json.loads(json.dumps([episode.memory_delta for episode in whole[:12]])))
    assert play(resumed, stream.tasks[12:]) == whole[12:]


def test_only_set_ups_that_remember_have_a_memory():
    for setup, expected in (("just_ask", NoMemory), ("memory_only", Keyed), ("how2", Keyed)):
        assert type(sweep.start(stream_of(setup, "executable"), Scripted([])).memory) is expected


def test_a_failed_episode_reports_no_delta():
    read = ("read_memory", {"recipe": "stick"})
    script = [read, "How do I make a stick?", ModelError("gone")]
    runner = sweep.start(stream_of("memory_only", "executable"), Scripted(script))
    episode = play(runner, ["VAL0531"])[0]
    assert (episode.reason, episode.memory_delta) == ("error", None)
    assert episode.metrics["difficulty"] == "easy"


def test_the_demo_is_a_few_easy_tasks():
    (stream,) = sweep.demo(3, 10).streams
    assert (len(stream.tasks), stream.condition.settings["max_steps"]) == (3, 10)
    assert {example(task).difficulty for task in stream.tasks} == {"easy"}


def test_a_faithful_model_is_judged_valid_in_every_style():
    for stream in validation.study("smoke").streams:
        episodes = play(validation.start(stream, Stand("surrogate:slip=0")), stream.tasks)
        assert all(episode.success for episode in episodes)


def test_the_judge_rejects_an_answer_with_a_step_changed_or_missing():
    reference = "1. move 1 oak_planks to A1\n2. move 1 oak_planks to B1\n3. move 4 stick from slot 0 to I1"
    wrong = [reference.replace("B1", "A2"), reference.replace("2. move 1 oak_planks to B1\n", "")]
    for answer, expected in [(reference, "VALID"), *((text, "INVALID") for text in wrong)]:
        prompt = prompts.render("judge", question="?", reference=reference, answer=answer)
        reader = PlancraftMind(
            Conversation([{"role": "user", "content": prompt}]), Competence(1, 1, 0, seed=0)
        )
        assert judge(reader) == expected
