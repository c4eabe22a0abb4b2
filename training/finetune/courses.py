"""What the small models are shown: demonstrations and lessons in courses, and turns to be compared on."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from mnemocraft.files import replace_file
from mnemocraft.llm import toolformat
from mnemocraft.llm.types import Message, Tool
from training.finetune.demonstrate import COURSES, Course, Dialogue, dialogues
from training.finetune.watching import dialogues as given
from training.finetune.worlds import HELD_OUT, LESSONS, NUMBER, STAGES, lesson

SEED = 0
LONGEST = {"plancraft": 1792, "kitchen": 9216, "minecraft": 4096, "household": 4096}
"""Tokens after which a dialogue is cut; one of which nothing to be learnt is left is passed over."""
EVERY, COURSES_OF_ALL = "all", 16
"""The name of what is learnt of all worlds, and its courses."""
COURSES_OF_A_WORLD = {"kitchen": 10, "minecraft": 7, "household": 4}
"""Courses of 25 to 60 minutes of two cores into which its lessons are divided."""
LATER_SHARE = 0.25
"""Share of the other roles' dialogues that is kept there: the planner's part takes longest to learn. The
predictor's are all kept where failures are foreseen."""
TURNS = {
    "plancraft": {"actor": 120, "ask": 20, "relevance": 100, "parse": 20, "teacher": 20},
    "kitchen": {"planner": 120},
    "minecraft": {"planner": 100, "explainer": 20, "analyst": 20, "predictor": 40, "evaluator": 20},
    "household": {"planner": 120, "explainer": 20},
}
"""Requests on which the served model is compared with the trained one and with the expert."""


def courses(folder: Path, world: str) -> list[list[tuple[str, Dialogue]]]:
    """What is learnt, course by course, with its world, from the files of an earlier run as far as it came.

    That of all worlds (:data:`EVERY`) has in each course an equal part of every world, in that world's order.
    """
    if world == EVERY:
        each = [list(itertools.chain(*courses(folder.with_name(one), one))) for one in LONGEST]
        return [list(itertools.chain(*parts)) for parts in zip(*map(_parts, each), strict=True)]
    if world in LESSONS:
        return [[(world, dialogue) for _, dialogue in part] for part in _lessons(folder, world)]
    shown = (_dialogues(folder, SEED + n, course) for n, course in enumerate(COURSES))
    return [[(world, dialogue) for dialogue in part] for part in shown]


def _parts(shown: list[tuple[str, Dialogue]]) -> Iterator[list[tuple[str, Dialogue]]]:
    """A world's dialogues in :data:`COURSES_OF_ALL` parts, whose lengths differ by one at most."""
    ends = [n * len(shown) // COURSES_OF_ALL for n in range(COURSES_OF_ALL + 1)]
    return (shown[start:end] for start, end in itertools.pairwise(ends))


def _lessons(folder: Path, world: str) -> list[list[tuple[int, Dialogue]]]:
    """What is learnt of a world, with its lesson's number, by course.

    The file has a line a lesson, written as they are given; what a kill left of the last line is written
    anew.
    """
    file = folder / f"lessons-{SEED}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    whole = (
        [line for line in file.read_text().splitlines(True) if line.endswith("\n")] if file.is_file() else []
    )
    if file.is_file() and "".join(whole) != file.read_text():
        replace_file(file, "".join(whole))
    with file.open("a") as out:
        for number in tqdm(
            range(len(whole), NUMBER[world]), desc="lessons", disable=len(whole) >= NUMBER[world]
        ):
            out.write(json.dumps([asdict(d) for d in given(world, SEED, number)]) + "\n")
            out.flush()
    lines = file.read_text().splitlines()[: NUMBER[world]]
    shown = [[(number, Dialogue(**d)) for d in json.loads(line)] for number, line in enumerate(lines)]
    length = _length(world)
    rng, found = random.Random(f"kept in later courses {world} {SEED}"), []
    for start in range(0, NUMBER[world], length):
        part = list(itertools.chain.from_iterable(shown[start : start + length]))
        mends = any(stage.begins <= start and stage.mends for stage in STAGES[world])
        whole_roles = {"planner", "predictor"} if mends else {"planner"}
        found.append(
            [(n, d) for n, d in part if not start or d.role in whole_roles or rng.random() < LATER_SHARE]
        )
    return found


def taught(folder: Path, world: str) -> pd.DataFrame:
    """How much is learnt of whom: a row a course and player.

    Columns ``course`` (from 1), ``player``, ``lessons`` of which something is learnt, their ``dialogues``,
    and the ``answers`` and ``tokens`` that are learnt of these. What is beyond :data:`LONGEST` is not; an
    answer that is cut there counts.

    Raises:
        MissingExtra: ``transformers`` or the packaged model is not installed.
    """
    from training.finetune.base import load_tokenizer
    from training.finetune.render import sequence

    tokenizer, rows = load_tokenizer(), []
    for course, part in enumerate(_lessons(folder, world), 1):
        for number, dialogue in part:
            player, learn = lesson(world, SEED, number), sequence(dialogue, tokenizer, LONGEST[world]).learn
            assert player is not None  # it left a dialogue
            begun = learn & ~np.roll(learn, 1)  # no dialogue begins with an answer
            rows.append((course, player.agent, number, int(begun.sum()), int(learn.sum())))
    found = pd.DataFrame(rows, columns=["course", "player", "lesson", "answers", "tokens"])
    groups = found[found["tokens"] > 0].groupby(["course", "player"])
    counted = groups["lesson"].agg(lessons="nunique", dialogues="size")
    return counted.join(groups[["answers", "tokens"]].sum()).reset_index()


def _length(world: str) -> int:
    """Lessons of a course."""
    return math.ceil(NUMBER[world] / COURSES_OF_A_WORLD[world])


def _dialogues(folder: Path, seed: int, course: Course) -> list[Dialogue]:
    """A course's demonstrations, from the file of an earlier run if there is one."""
    file = folder / f"dialogues-{seed}.jsonl"
    if not file.is_file():
        made = dialogues(seed, course)
        lines = [json.dumps(asdict(d)) for d in tqdm(made, desc="demonstrations", unit="dialogue")]
        replace_file(file, "\n".join(lines) + "\n")
    return [Dialogue(**json.loads(line)) for line in file.read_text().splitlines()]


def fresh_turns(world: str) -> list[tuple[str, list[Message], list[Tool] | None, str]]:
    """The first turns of every role, :data:`TURNS` of each, in demonstrations that were not learnt from.

    Each is the role, what the expert was asked (messages and tools) and what it said.
    """
    left, turns = dict(TURNS[world]), []
    for dialogue in not_learnt(world):
        said = [n for n, message in enumerate(dialogue.messages) if message["role"] == "assistant"]
        learnt = [n for n, wanted in zip(said, dialogue.targets, strict=False) if wanted]
        for n in learnt[: left[dialogue.role]]:
            answer = toolformat.as_text([dialogue.messages[n]], None)[0]["content"]
            turns.append((dialogue.role, dialogue.messages[:n], dialogue.tools, answer))
            left[dialogue.role] -= 1
        if not any(left.values()):
            break
    return turns


def not_learnt(world: str) -> Iterator[Dialogue]:
    """Demonstrations of a seed of their own, without end or nearly so."""
    if world in LESSONS:
        return itertools.chain.from_iterable(given(world, HELD_OUT, n) for n in itertools.count())
    return dialogues(SEED + len(COURSES), replace(COURSES[-1], tasks=1000))  # more than enough
