"""Paid answers: found again by content alone, never lost silently, paid once by many processes."""

import asyncio
import contextlib
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_server import FakeServer, Fault, call, say
from mnemocraft.errors import MnemocraftError, ModelError, ModelUnavailable, RequestTooLong
from mnemocraft.llm import Reply, Request, ToolCall, Usage, get_model
from mnemocraft.llm.cache import AnswerCache, reply_from_json, reply_to_json
from mnemocraft.llm.types import MOST_TOKENS

TOOL = {"type": "function", "function": {"name": "move", "parameters": {"type": "object"}}}
USER = [{"role": "user", "content": "hello"}]
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def complete(server, path, messages=USER, **request):
    async def run():
        model = get_model("m", base_url=server.url, cache=path, max_retries=0)
        try:
            return await model.complete(messages, **request)
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_the_golden_key():
    """This key is in people's caches. If the test fails, paid answers have been voided: undo the change."""
    request = Request(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": "Craft — or say it is impossible."},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "call00000", "type": "function"}]},
        ],
        tools=[TOOL],
        temperature=0.6,
        max_tokens=256,
        stop=["END"],
        seed=7,
        sample=2,
    )
    canonical = (
        '{"max_tokens":256,"messages":[{"content":"Craft — or say it is impossible.","role":"system"},'
        '{"content":null,"role":"assistant","tool_calls":[{"id":"call00000","type":"function"}]}],'
        '"model":"gpt-4o","sample":2,"seed":7,"stop":["END"],"temperature":0.6,"tools":[{"type":"function",'
        '"function":{"name":"move","parameters":{"type":"object"}}}]}'
    )
    assert hashlib.sha256(canonical.encode()).hexdigest() == request.key()
    assert request.key() == "3a2de2e701611152b3053f713091cb7ac32ed666dfa8f60afd531b1a1d869640"


def test_the_golden_key_of_a_call(tmp_path):
    """As above, for what ``complete`` makes of its arguments before it hashes them."""
    function = {"name": "move", "arguments": "{}"}
    messages = [
        *USER,
        {"role": "assistant", "content": "", "tool_calls": [{"id": "random", "function": function}]},
        {"role": "tool", "tool_call_id": "random", "content": "done"},
    ]
    with FakeServer() as server:
        complete(server, tmp_path / "c", messages, temperature=0, tools=[], stop="END")
    rows = list(AnswerCache(tmp_path / "c").rows("m"))
    assert [key for key, _, _ in rows] == ["fee0cc2b336784a55d72d449a8108e2d9e17db02a7dbdc0301cdc4b5f37e2731"]


def test_another_database_gets_no_answers(tmp_path):
    path = tmp_path / "results.db"
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE results (x)")
    before = path.read_bytes()
    with pytest.raises(MnemocraftError, match=r"results\.db is a database, but no answer cache"):
        AnswerCache(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        {"messages": [{"role": "user", "content": "hello "}]},
        {"tools": [TOOL]},
        {"temperature": 0.1},
        {"max_tokens": 511},
        {"stop": ["x"]},
        {"seed": 0},
        {"sample": 1},
    ],
)
def test_whatever_may_change_the_answer_is_asked_again(change, tmp_path):
    with FakeServer() as server:
        complete(server, tmp_path / "c")
        assert not complete(server, tmp_path / "c", **change).cached
        assert complete(server, tmp_path / "c", **change).cached
        assert len(server.requests) == 2


def test_the_order_of_a_schemas_properties_is_part_of_the_key_and_stays_as_it_is():
    """The grammar of a small model follows it: asked with sorted properties, it gave the quantity first."""
    both = [
        {
            "type": "function",
            "function": {"name": "move", "parameters": {"properties": {key: {} for key in order}}},
        }
        for order in (("slot_from", "quantity"), ("quantity", "slot_from"))
    ]
    requests = [Request("m", USER, [tool]) for tool in both]
    assert requests[0].key() != requests[1].key()
    assert [json.dumps(json.loads(r.canonical())["tools"]) for r in requests] == [
        json.dumps([t]) for t in both
    ]
    twin = Request("m", [dict(reversed(message.items())) for message in USER], [both[0]])
    assert twin.key() == requests[0].key()


def test_server_key_ids_and_spelling_do_not_matter(tmp_path):
    def conversation(number):
        function = {"name": "move", "arguments": "{}"}
        calls = [{"id": number, "type": "function", "function": function}]
        answer = {"role": "tool", "tool_call_id": number, "content": "done"}
        return [*USER, {"role": "assistant", "content": "", "tool_calls": calls}, answer]

    with FakeServer() as one, FakeServer() as other:
        first = complete(one, tmp_path / "c", conversation("abc"), temperature=0, tools=[], stop=[])
        again = complete(other, tmp_path / "c", conversation("xyz"), temperature=0.0)
    assert (again.text, again.cached, len(other.requests)) == (first.text, True, 0)


@given(
    text=TEXT,
    calls=st.lists(
        st.builds(ToolCall, TEXT, st.dictionaries(TEXT, st.integers() | TEXT), st.none() | TEXT), max_size=3
    ),
    usage=st.builds(Usage, st.integers(0, MOST_TOKENS), st.integers(0, MOST_TOKENS), st.booleans()),
)
def test_a_reply_survives_storage(text, calls, usage):
    reply = Reply(text, calls, usage, cached=True)
    restored = reply_from_json(json.loads(reply_to_json(reply)))
    assert restored == reply
    # The order too: an agent that repeats a call in its next request must send the same bytes again.
    assert [list(call.arguments) for call in restored.tool_calls] == [list(c.arguments) for c in calls]


@pytest.mark.parametrize(
    "answer", [{"content": ""}, {"content": "\u00a0\n"}, {"content": None, "refusal": "no"}]
)
def test_refusals_and_empty_answers_are_asked_again(answer, tmp_path):
    with FakeServer(lambda body: dict(answer)) as server:
        complete(server, tmp_path / "c")
        server.answer = say("better")
        assert complete(server, tmp_path / "c").text == "better"


def test_errors_are_not_kept(tmp_path):
    with FakeServer(faults=[Fault(500)]) as server:
        with pytest.raises(ModelError):
            complete(server, tmp_path / "c")
        assert complete(server, tmp_path / "c").text == "echo: hello"


def test_a_request_that_was_too_long_is_asked_again_and_the_answer_takes_its_place(tmp_path):
    with FakeServer(faults=[Fault(400, "exceeds the available context size")] * 2) as server:
        for _ in range(2):
            with pytest.raises(RequestTooLong):
                complete(server, tmp_path / "c")
        assert complete(server, tmp_path / "c").text == "echo: hello"
        assert complete(server, tmp_path / "c").cached and len(server.requests) == 3


def test_tool_calls_come_back_from_the_cache_with_their_errors(tmp_path):
    with FakeServer(call("move", "{broken")) as server:
        first = complete(server, tmp_path / "c", tools=[TOOL])
        again = complete(server, tmp_path / "c", tools=[TOOL])
    assert again.cached and again.tool_calls == first.tool_calls and first.tool_calls[0].error


CHILD = """
import asyncio, sys
from mnemocraft.llm import get_model
model = get_model("m", base_url=sys.argv[1], cache=sys.argv[2], api_key="k")
import mnemocraft.llm.endpoint
print("ready", flush=True)
sys.stdin.readline()
async def run():
    asks = (model.complete([{"role": "user", "content": f"question {i % 4}"}]) for i in range(12))
    replies = await asyncio.gather(*asks)
    await model.aclose()
    return sum(not reply.cached for reply in replies), [reply.text for reply in replies]
print(asyncio.run(run()))
"""


def test_three_processes_asking_the_same_pay_once(tmp_path):
    with FakeServer(latency=0.4) as server:
        command = [sys.executable, "-c", CHILD, server.url, str(tmp_path / "c.sqlite")]
        children = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        for child in children:
            assert child.stdout.readline() == "ready\n"
        outputs = [child.communicate("go\n", timeout=60)[0] for child in children]
        assert len(server.requests) == 4
    results = [read_tuple(output) for output in outputs]
    assert sum(paid for paid, _ in results) == 4
    assert all(texts == [f"echo: question {i % 4}" for i in range(12)] for _, texts in results)


def read_tuple(output):
    """The tuple a child printed, read as JSON."""
    return json.loads(output.replace("(", "[").replace(")", "]").replace("'", '"'))


def test_a_killed_process_leaves_no_claim_behind(tmp_path):
    path = tmp_path / "c.sqlite"
    script = (
        "import sys, time; from mnemocraft.llm.cache import AnswerCache\n"
        "assert AnswerCache(sys.argv[1]).claim('ab' * 32); print('mine', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "mine\n"
    cache = AnswerCache(path)
    assert not cache.claim("ab" * 32) and cache.claim("cd" * 32)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert cache.claim("ab" * 32)
    cache.release("ab" * 32)
    cache.release("cd" * 32)


def test_claims_hold_between_two_caches_of_one_process(tmp_path):
    one, other = AnswerCache(tmp_path / "c"), AnswerCache(tmp_path / "c")
    assert one.claim("ab" * 32) and not other.claim("ab" * 32)
    other.close()
    assert not AnswerCache(tmp_path / "c").claim("ab" * 32)
    one.release("ab" * 32)
    assert one.claim("ab" * 32)
    one.release("ab" * 32)


def test_a_full_disk_is_loud_and_what_was_kept_stays(tmp_path):
    path = tmp_path / "c.sqlite"

    async def run(server):
        model = get_model("m", base_url=server.url, cache=path)
        await model.complete(USER)
        pages = model._cache._db.execute("PRAGMA page_count").fetchone()[0]
        model._cache._db.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(ModelUnavailable, match=r"could not be written to the cache .*full"):
            await model.complete([{"role": "user", "content": "x" * 100_000}])
        assert (await model.complete(USER)).cached
        await model.aclose()

    with FakeServer() as server:
        asyncio.run(run(server))


def test_a_file_that_is_no_cache_is_left_alone(tmp_path):
    text, newer = tmp_path / "notes.txt", tmp_path / "newer.sqlite"
    text.write_text("my notes, not a database " * 100)
    with pytest.raises(MnemocraftError, match="cannot be opened"):
        AnswerCache(text)
    assert text.read_text().startswith("my notes")
    database = sqlite3.connect(newer)
    database.execute("PRAGMA user_version=99")
    database.close()
    with pytest.raises(MnemocraftError, match="format 99"):
        AnswerCache(newer)


def test_a_folder_gets_a_file_of_its_own(tmp_path):
    assert AnswerCache(str(tmp_path)).path == Path(tmp_path / "answers.sqlite").resolve()


def damage_pages(path):
    """Overwrite everything behind the header, as a broken disk does."""
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xa5" * (len(content) - 100))


@pytest.mark.parametrize(
    "damage",
    [
        damage_pages,
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(b"garbage" * 1000),
    ],
    ids=["pages", "cut", "header"],
)
def test_a_damaged_cache_is_set_aside_and_begun_anew(damage, tmp_path, caplog):
    """It made all of 568 episodes a crash, for good."""
    path = tmp_path / "answers.sqlite"
    with FakeServer() as server:
        complete(server, path)
        damage(path)
        assert complete(server, path).text == "echo: hello"
        assert complete(server, path).cached
    assert "is damaged" in caplog.text and "begun" in caplog.text
    assert len(list(tmp_path.glob("answers.sqlite.damaged-*"))) >= 1, "nothing paid for is thrown away"


def test_a_model_that_was_closed_says_so_and_the_cache_stays_as_it_is(tmp_path):
    """Another process has the file open; only damage to the file is damage."""
    file, request = tmp_path / "answers.sqlite", Request("m", USER)
    other = AnswerCache(file)
    other.put(request, Reply("paid for", [], Usage(1, 1)))

    async def too_late():
        model = get_model("surrogate", cache=file)
        await model.aclose()
        await model.complete(USER)

    with pytest.raises(ModelUnavailable, match="closed database"):
        asyncio.run(too_late())
    assert not list(tmp_path.glob("*.damaged-*"))
    other.put(Request("m", [*USER, *USER]), Reply("more", [], Usage(1, 1)))
    assert AnswerCache(file).get(request.key()).text == "paid for"


def test_a_cache_that_is_damaged_while_it_is_open_heals(tmp_path):
    path = tmp_path / "answers.sqlite"
    cache, reply = AnswerCache(path), Reply("yes", [], Usage(1, 1))
    for seed in range(300):
        cache.put(Request("m", USER, seed=seed), reply)
    cache._run("PRAGMA wal_checkpoint(TRUNCATE)", ())
    cache._run("PRAGMA shrink_memory", ())
    damage_pages(path)
    keys = [Request("m", USER, seed=seed).key() for seed in range(300)]
    assert None in [cache.get(key) for key in keys], "the damage is met"
    for seed in range(300):
        cache.put(Request("m", USER, seed=seed), reply)
    cache.close()
    again = AnswerCache(path)
    assert all(again.get(key) for key in keys)


@pytest.mark.parametrize(
    "stored", ["{", "[]", '{"text": 1}', '{"text": "", "tool_calls": [3], "usage": {}}', "[" * 9999]
)
def test_a_damaged_answer_is_asked_anew(stored, tmp_path):
    with FakeServer() as server:
        complete(server, tmp_path / "c")
        database = sqlite3.connect(tmp_path / "c")
        database.execute("UPDATE answers SET reply=?", (stored,))
        database.commit()
        database.close()
        assert not complete(server, tmp_path / "c").cached
        assert complete(server, tmp_path / "c").cached
