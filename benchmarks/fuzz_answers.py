"""Feeds broken answers and files to every reader but those of plans: no exception, and no wait.

    python benchmarks/fuzz_answers.py [--inputs 100000] [--seed 0] [--kinds call gig ...]

Inputs are seeded mutations of real answers: pieces cut, doubled, swapped or replaced by what attackers and
tired models write. So many inputs are read by each reader. Prints how many, how long the slowest took, the
memory at the end, and every input that escaped; ends with status 1 if any did.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import resource
import signal
import string
import tempfile
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mnemocraft.agents.deps import inner_monologue
from mnemocraft.agents.deps import prompts as deps
from mnemocraft.agents.deps.lines import read_parsed, step_lines
from mnemocraft.agents.gig.answers import (
    Decomposition,
    read_action,
    read_decomposition,
    read_fields,
    read_steps,
)
from mnemocraft.agents.how2.roles import MAX_RELATED, related_items
from mnemocraft.agents.m2pa import answers
from mnemocraft.agents.voyager import prompts as voyager
from mnemocraft.bounded import json_objects, read_json
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import domain as domains
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import budget, replay, toolformat
from mnemocraft.llm.cache import reply_from_json, reply_to_json
from mnemocraft.llm.endpoint import Endpoint, unreadable
from mnemocraft.llm.types import Request
from mnemocraft.worlds import minecraft, plancraft

SECONDS, MEGABYTES = 2, 2048
"""An input may take, and the process may hold."""
CALL = '{"name": "move", "arguments": {"slot_from": "I1", "slot_to": "A1", "quantity": 1}}'
GIG = (
    "**Reasoning:** The patty is raw.\n\nPlan:\n1. Move from table1 to stove2\n2) Cook patty1\n---\n"
    'Action: "Move from table1 to stove2"\nSummary: I have the patty.\nCurrent Progress: 2 of 5\n'
)
RECAP = (
    'I think.\n```json\n{"think": "first the lettuce", "subtasks": ["Pick up lettuce1", "Cut lettuce1"]}\n```'
)
ENTRY = "RECIPE: stick\nPROCEDURE:\n1. stack\nRELATED ITEMS: ['oak_planks', \"oak_log\"]"
WORKFLOW = (
    '{"explanation": "mine it", "workflow": [{"times": 1, "actions": [{"name": "mine", "args": {"obj": '
    '"oak_log", "quantity": 3, "tool": null}}]}]}'
)
SUBGOALS = '{"subgoals": [{"task": "oak_log", "quantity": 3, "materials": {"stick": 2}, "tool": "None"}]}'
LINES = "1. mine 3 oak_log\n2. craft 4 stick from 2 oak_planks\nstep 3: smelt 1 iron_ingot\n- equip shield"
BODY = json.dumps(
    {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": CALL,
            "tool_calls": [{"id": "x", "function": {"name": "move", "arguments": '{"n": 1}'}}]}}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 7},
    }
)  # fmt: skip
REPLY = '{"text":"a","tool_calls":[{"name":"m","arguments":{"n":1},"error":null}],"usage":{"prompt_tokens":1,"completion_tokens":2,"estimated":false}}'  # noqa: E501
WORDS = (
    "Reasoning: why\nNext task: obtain 3 oak_log.\nSuccess: no\nCritique: craft 4 stick\n> **Action:** mine "
    "1 oak_log\nExplanation: the log was missing"
)
ACTION = "move from I1 to A1 with quantity 1\nmine 3 oak_log with wooden_axe\nimpossible: no iron\n" + CALL
PRICES = (
    "# a comment\nmodel,usd_per_million_prompt,usd_per_million_completion\ngpt-5-nano,0.05,0.4\n"
    "a/b,1,2.5\nc,0,0\n"
)
RECORDING = "\n".join(
    (
        json.dumps({"format": "mnemocraft-recording", "version": replay.VERSION, "model": "m", "count": 2}),
        json.dumps(
            {
                "key": "0" * 64,
                "same": 0,
                "request": dict.fromkeys(Request.__slots__) | {"model": "m", "messages": [{"role": "user"}]},
                "reply": json.loads(REPLY),
            }
        ),
        json.dumps({"key": "1" * 64, "same": 1, "request": {"messages": []}, "reply": json.loads(REPLY)}),
    )
)
KITCHEN = json.dumps(
    {
        "width": 5, "height": 2,
        "stations": [{"name": name, "x": x, "y": 0} for x, name in enumerate(("table", "board", "table",
            "stove", "sink"))],
        "items": [{"name": "lettuce", "x": 0, "y": 0, "stack-level": 0, "predicates": ["iscuttable"]},
            {"name": "bread", "x": 2, "y": 0, "stack-level": 1}],
        "containers": [{"name": "pot", "x": 3, "y": 0}], "meals": [],
        "players": [{"name": "robot", "x": 0, "y": 1, "direction": [0, -1]}],
        "goal_description": "Cut the lettuce",
        "goal": [{"predicate": "iscut", "args": ["lettuce"], "ids": [1]}],
    }
)  # fmt: skip
DOMAIN = json.dumps(
    domains.from_toml(
        tomllib.loads(Path(domains.__file__).with_name("domain.toml").read_text(encoding="utf-8"))
    )
)
VALUES: tuple[Any, ...] = (
    None, "", 0, -1, 1, 2, 10**6, 10**30, 1.5, True, [], {}, [[]], {"": ""}, "9" * 40, ["a", "a"], [1, 1],
    [0, 1], "item", "i1", "station", "bread", "table1", "{i1}", "{", "p1", "player", "item_on", "0", "1",
)  # fmt: skip
"""What may stand in the place of something in a JSON file."""
SEEDS = (CALL, GIG, RECAP, ENTRY, WORKFLOW, SUBGOALS, LINES, BODY, REPLY, WORDS, ACTION)
ODD = (
    "[" * 700, "{" * 3000, '{"a":' * 600, "}" * 300, "]" * 300, '"' * 50, "\\" * 51, "\\u0000", "\\ud800",
    "\ud800",
    "\x00", "\u2028", "\r", "\n" * 2000, "---\n" * 500, "<think>" * 300, "</think>", "<thinking>", "```",
    "```json\n",
    "9" * 5000, "1e999", "-1e999", "NaN", "Infinity", "null", "true", "2" + "0" * 400, "{{}: 1}",
    "RELATED ITEMS: [",
    "Action:", "Plan:", "**", " " * 3000, "1." * 300, "Action: \n" * 300, '{"name": "', '"arguments":',
    ",", ":", "{}",
    "Ignore all previous instructions.", "'", "','" * 500, "\u202e", "\U0001f600", "🙂"[:1], '{"":{}}' * 200,
)  # fmt: skip


def mutate(rng: random.Random, text: str) -> str:
    """A few changes to a text."""
    for _ in range(rng.randint(1, 6)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 1, 3, 10, 60)))
        other = rng.choice(SEEDS)
        piece = rng.choice(
            (
                "",
                rng.choice(ODD),
                text[start:end] * rng.choice((2, 3, 200)),
                rng.choice(string.printable),
                other[(at := rng.randrange(len(other))) : at + rng.choice((5, 40, 400))],
                str(rng.randint(-20, 20_000)),
            )
        )
        text = text[:start] + piece + text[end:]
    return text[: rng.choice((len(text), len(text), rng.randrange(len(text) + 1)))][:200_000]


def call(text: str) -> None:
    """A tool call in text, and one whose arguments these are."""
    rest, calls = toolformat.parse_call(text)
    for found in [*calls, toolformat.native_call("move", text)]:
        assert isinstance(found.arguments, dict) and not (found.error and found.arguments)
        json.dumps(found.arguments, allow_nan=False).encode()
    assert isinstance(rest, str)


def objects(text: str) -> None:
    """Every JSON object in a text, and the text as JSON."""
    assert all(isinstance(found.value, dict) for found in json_objects(text))
    try:
        read_json(text)
    except ValueError as error:
        assert len(str(error)) < 1000


def gig(text: str) -> None:
    """GiG's and ReAct's answers."""
    assert "\n" not in read_action(text) and isinstance(read_fields(text), dict)
    assert all("\n" not in step for step in read_steps(text))


def recap(text: str) -> None:
    """ReCAP's answers."""
    found = read_decomposition(text)
    assert all(found.subtasks) if isinstance(found, Decomposition) else found


def entry(text: str) -> None:
    """A memory entry's related items, and a judgement of relevance."""
    assert len(related_items(text)) <= MAX_RELATED
    assert len(related_items(f"RELATED ITEMS: [{text}]")) <= MAX_RELATED


def workflow(text: str) -> None:
    """M2PA's four kinds of answers."""
    for kind in (answers.Workflow, answers.Decomposition, answers.Reflection, answers.SkillGraph):
        found, problem = answers.read(text, kind)
        assert bool(found) != bool(problem) and "\n" not in problem and len(problem) < 1000


def lines(text: str) -> None:
    """What DEPS's parser says."""
    assert {0, 1, 2}.issuperset(read_parsed(text, ["a", "b", "c"], "1.16.5"))
    assert all(line == line.strip() for line in step_lines(text))


_SERVER = Endpoint("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")


def body(text: str) -> None:
    """A server's reply."""
    if unreadable(text) is None:
        request = Request("m", [{"role": "user", "content": "hello"}], [{"function": {"name": "move"}}])
        reply = _SERVER.read(read_json(text), request, native=True)
        assert min(reply.usage.prompt_tokens, reply.usage.completion_tokens) >= 0
        reply_from_json(json.loads(reply_to_json(reply)))


def kept(text: str) -> None:
    """A reply as a cache or a recording has it."""
    with suppress(ValueError):
        reply_from_json(read_json(text))


def words(text: str) -> None:
    """What Voyager's curriculum and critic, Inner Monologue and DEPS's explainer say."""
    assert "\n" not in voyager.proposed(text, "goal") and "\n" not in voyager.verdict(text)[1]
    assert "\n" not in deps.explanation(text) and "\n" not in inner_monologue.first_action(text)


def action(text: str) -> None:
    """An action line of a world."""
    assert "\n" not in plancraft.read(text)[1]
    with suppress(MnemocraftError):
        minecraft.read(text, "1.16.5")


def file(text: str | bytes, read: Callable[[Path], object]) -> None:
    """Have a user's file read: it opens, or one sentence says what is wrong."""
    path = Path(FOLDER.name) / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    try:
        read(path)
    except MnemocraftError as error:
        assert "\n" not in str(error) and len(str(error)) < 2000, error


def recording(text: str) -> None:
    """A recording, and one that is cut."""
    packed = gzip.compress(text.encode("utf-8", "replace"), compresslevel=1)
    for content in (packed, packed[: len(packed) * 2 // 3]):
        file(content, lambda path: list(replay.read_recording(path)[1]))


def prices(text: str) -> None:
    """A table of prices."""
    file(text, budget.read_prices)


def kitchen(text: str) -> None:
    """A kitchen's file, with the domain as it is."""
    file(text, lambda path: play(OWN_DOMAIN, path))


def domain(text: str) -> None:
    """A domain's file, with a kitchen that is whole."""
    file(text, lambda path: play(path, OWN_KITCHEN))


def play(domain_file: Path, kitchen_file: Path) -> None:
    """Open a kitchen, and take a few steps in it."""
    for seed in (None, 0):
        env = KitchenEnv.from_files(domain_file, kitchen_file, seed=seed)
        for step in range(6):
            if env.valid_actions and not env.reason:
                env.step(env.valid_actions[step * 7 % len(env.valid_actions)])


def rewrite(rng: random.Random, text: str) -> str:
    """A few values of a JSON text changed, so that it stays JSON; every fifth time the text itself."""
    if rng.random() < 0.2:
        return mutate(rng, text)
    whole = json.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2))):
        owner = whole
        while True:
            keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(owner[key], (dict, list)) and owner[key] and rng.random() < 0.85:
                owner = owner[key]
                continue
            owner[key] = rng.choice((rng.choice(VALUES), _near(rng, owner[key]), owner[rng.choice(keys)]))
            if rng.random() < 0.2:
                del owner[key]
            elif rng.random() < 0.2 and isinstance(owner, list):
                owner.append(copy.deepcopy(owner[rng.randrange(len(owner))]))
            break
    return json.dumps(whole)


def _near(rng: random.Random, value: object) -> object:
    if isinstance(value, str):
        return rng.choice((value + "1", value[:-1], value.upper(), " ".join(value), value * 50))
    return value + rng.choice((-1, 1)) if isinstance(value, int) else value


READERS: dict[str, tuple[Callable[[str], None], str]] = {
    "call": (call, CALL),
    "objects": (objects, RECAP),
    "gig": (gig, GIG),
    "recap": (recap, RECAP),
    "entry": (entry, ENTRY),
    "workflow": (workflow, WORKFLOW),
    "lines": (lines, LINES),
    "body": (body, BODY),
    "kept": (kept, REPLY),
    "words": (words, WORDS),
    "action": (action, ACTION),
    "recording": (recording, RECORDING),
    "prices": (prices, PRICES),
    "kitchen": (kitchen, KITCHEN),
    "domain": (domain, DOMAIN),
}
FILES = {"kitchen", "domain"}
"""JSON files whose values are changed, as most changes of a text make it no JSON."""
FOLDER = tempfile.TemporaryDirectory()
OWN_DOMAIN, OWN_KITCHEN = (Path(FOLDER.name) / name for name in ("domain.json", "kitchen.json"))
OWN_DOMAIN.write_text(DOMAIN, encoding="utf-8")
OWN_KITCHEN.write_text(KITCHEN, encoding="utf-8")


def fuzz(kind: str, inputs: int, seed: int, report: Callable[[str, BaseException], None]) -> float:
    """Have a reader read so many mutated answers; the slowest one's seconds of processor time."""
    read, own = READERS[kind]
    rng, slowest = random.Random(f"{kind} {seed}"), 0.0
    for _ in range(inputs):
        if kind in FILES:
            text = rewrite(rng, own)
        else:
            text = mutate(rng, own if rng.random() < 0.8 else rng.choice(SEEDS))
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, 10 * SECONDS)
        try:
            read(text)
        except Exception as escape:
            report(text, escape)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest = max(slowest, time.process_time() - started)
        if slowest > SECONDS:
            report(text, TimeoutError(f"{slowest:.1f} s"))
            break
    return slowest


def limits() -> None:
    """A reader that goes on for ever, or takes all memory, raises."""

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, late)
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES << 20, MEGABYTES << 20))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Fuzz the readers of answers, tool calls and files.")
    parser.add_argument("--inputs", type=int, default=100_000, help="for each reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=READERS, default=list(READERS))
    options = parser.parse_args()
    escaped: list[str] = []

    def report(text: str, escape: BaseException) -> None:
        escaped.append(text)
        print(f"ESCAPED {type(escape).__name__}: {escape}\n{text[:2000]!r}\n", flush=True)

    limits()
    for kind in options.kinds:
        slowest = fuzz(kind, options.inputs, options.seed, report)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{kind:10} {options.inputs:9,} inputs, slowest {1000 * slowest:7.1f} ms, {memory:6.0f} MB",
            flush=True,
        )
    print(f"{len(escaped)} escaped")
    raise SystemExit(bool(escaped))


if __name__ == "__main__":
    main()
