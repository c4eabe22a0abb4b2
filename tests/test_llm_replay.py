"""Recordings: the same answers without server or key, and a miss that says what differs."""

import asyncio
import contextlib
import gzip
import json
import socket
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_server import FakeServer, Fault, call
from mnemocraft.errors import MnemocraftError, ModelError, ReplayMiss, RequestTooLong
from mnemocraft.llm import export_recording, get_model, import_recording, replay
from mnemocraft.llm.cache import AnswerCache
from mnemocraft.llm.model import FAILURES_IN_A_ROW
from mnemocraft.llm.types import Reply, Request, Usage

TOOL = {"type": "function", "function": {"name": "move", "parameters": {"type": "object"}}}
SYSTEM = {"role": "system", "content": "You craft."}


def conversation(*turns):
    """System message, then user and assistant in turn."""
    roles = ("user", "assistant")
    return [SYSTEM, *({"role": roles[i % 2], "content": turn} for i, turn in enumerate(turns))]


ASKED = [
    (conversation("one apple"), {}),
    (conversation("one apple", "eaten", "and a pear"), {"tools": [TOOL], "temperature": 0.6}),
    (conversation("one apple", "eaten", "and a plum"), {"sample": 1}),
]


def run_all(model):
    async def run():
        replies = [await model.complete(messages, **request) for messages, request in ASKED]
        await model.aclose()
        return replies

    return asyncio.run(run())


@pytest.fixture
def recorded(tmp_path):
    """Recording, cache and the replies they hold."""
    cache, recording = tmp_path / "c.sqlite", tmp_path / "how.jsonl.gz"
    with FakeServer() as server:
        replies = run_all(get_model("gpt-4o", base_url=server.url, cache=cache))
    assert export_recording(cache, recording) == 3
    return recording, cache, replies


def test_a_replay_gives_the_same_answers_with_no_network_and_no_key(recorded, monkeypatch):
    recording, _, replies = recorded

    def no_network(*args, **kwargs):
        raise AssertionError("a replay opened a connection")

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(socket.socket, "connect", no_network)
    model = get_model(f"replay:{recording}")
    again = run_all(model)
    assert [r.text for r in again] == [r.text for r in replies]
    assert [r.usage for r in again] == [r.usage for r in replies]
    assert all(r.cached for r in again)
    assert model.name == f"replay:{recording}"
    assert model.usage.paid_dollars == 0 and model.usage.list_dollars > 0


def test_the_same_answers_give_the_same_bytes_in_any_order(recorded, tmp_path):
    recording, _, _ = recorded
    other = tmp_path / "other.sqlite"
    ASKED.reverse()
    try:
        with FakeServer() as server:
            run_all(get_model("gpt-4o", base_url=server.url, cache=other))
    finally:
        ASKED.reverse()
    export_recording(other, tmp_path / "other.jsonl.gz")
    assert (tmp_path / "other.jsonl.gz").read_bytes() == recording.read_bytes()


def test_a_recording_is_readable_and_says_what_it_is(recorded):
    lines = [json.loads(line) for line in gzip.decompress(recorded[0].read_bytes()).splitlines()]
    assert {**lines[0], "created_by": ""} == {
        "format": "mnemocraft-recording",
        "version": 3,
        "model": "gpt-4o",
        "created_by": "",
        "count": 3,
    }
    assert all(sorted(line) == ["key", "reply", "request", "same"] for line in lines[1:])
    assert [(line["same"], sorted(line["request"])) for line in lines[2:]] == [
        (3, ["messages", "sample", "temperature", "tools"]),
        (2, ["messages", "sample"]),
    ], "only what differs from the request before is written: a plum after a pear, then one apple alone"


conversations = st.lists(
    st.tuples(
        st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant"]), "content": st.text(max_size=3)}
            )
            | st.fixed_dictionaries({"role": st.just("user"), "n": st.sampled_from([0, 0.0, 1, True, None])}),
            max_size=4,
        ),
        st.sampled_from([None, [TOOL]]),
        st.sampled_from([None, "root ::= x"]),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=8,
)


@given(conversations)
def test_every_request_comes_back_whole(asked):
    """Whatever two that follow each other have in common: their keys, which are of the whole, say so."""
    requests = {}
    for messages, tools, grammar, sample in asked:
        request = Request("m", messages, tools=tools, grammar=grammar, sample=sample)
        requests[request.key()] = request
    with tempfile.TemporaryDirectory() as folder:
        cache, file = AnswerCache(f"{folder}/c"), Path(folder) / "r.jsonl.gz"
        for key, request in requests.items():
            cache.put(request, Reply(key, [], Usage(1, 1)), key)
        cache.close()
        assert export_recording(f"{folder}/c", file) == len(requests)
        _, entries = replay.read_recording(file)
        back = {entry["key"]: Request(**entry["request"]) for entry in entries}
    assert {key: request.key() for key, request in back.items()} == {key: key for key in requests}


def test_a_recording_of_version_2_is_read(recorded):
    """It has every request whole, and names a grammar only where there is one."""
    header, entries = replay.read_recording(recorded[0])
    whole = [{name: entry[name] for name in ("key", "request", "reply")} for entry in entries]
    whole[0]["request"] = whole[0]["request"] | {"grammar": "g"}
    lines = [{**header, "version": 2}, *whole]
    recorded[0].write_bytes(gzip.compress("\n".join(json.dumps(line) for line in lines).encode()))
    assert [entry["request"] for entry in replay.read_recording(recorded[0])[1]] == [
        entry["request"] for entry in whole
    ]
    assert "grammar" not in whole[1]["request"]


def test_import_and_export_are_inverse(recorded, tmp_path):
    recording, _, _ = recorded
    assert import_recording(recording, tmp_path / "new.sqlite") == 3
    export_recording(tmp_path / "new.sqlite", tmp_path / "new.jsonl.gz")
    assert (tmp_path / "new.jsonl.gz").read_bytes() == recording.read_bytes()
    model = get_model("gpt-4o", base_url="http://127.0.0.1:9/v1", cache=tmp_path / "new.sqlite")
    assert all(reply.cached for reply in run_all(model))


def test_a_request_that_was_too_long_is_too_long_again(tmp_path):
    """It ended its episode; a replay that knew nothing of it would stop the run."""
    cache, recording = tmp_path / "c.sqlite", tmp_path / "r.jsonl.gz"
    fault = Fault(400, "request (9 tokens) exceeds the available context size (8 tokens)")
    with FakeServer(faults=[fault]) as server:
        live = asyncio.run(outcome(get_model("m", base_url=server.url, cache=cache)))
    assert "9 tokens" in live and export_recording(cache, recording) == 1
    import_recording(recording, tmp_path / "new.sqlite")
    export_recording(tmp_path / "new.sqlite", tmp_path / "again.jsonl.gz")
    for file in (recording, tmp_path / "again.jsonl.gz"):
        assert asyncio.run(outcome(get_model(f"replay:{file}"))) == live


@pytest.mark.parametrize("answer", [{"content": " \n"}, {"content": None, "refusal": "no"}])
def test_an_empty_answer_is_empty_again(answer, tmp_path):
    """The agent went on after it; a replay without it would stop the run. A live rerun asks again."""
    cache, recording = tmp_path / "c.sqlite", tmp_path / "r.jsonl.gz"
    answers = iter([answer, {"content": "an apple"}])

    async def ask(model):
        reply = await model.complete(conversation("one apple"))
        await model.aclose()
        return reply

    with FakeServer(lambda _: next(answers)) as server:
        live = lambda: asyncio.run(ask(get_model("m", base_url=server.url, cache=cache)))  # noqa: E731
        first = live()
        assert export_recording(cache, recording) == 1
        replayed = asyncio.run(ask(get_model(f"replay:{recording}")))
        assert replayed.text == first.text and not replayed.text.strip() and not replayed.tool_calls
        assert live().text == "an apple" and live().cached and len(server.requests) == 2


def test_a_request_that_finally_failed_fails_again_and_what_follows_is_played_on(tmp_path):
    """Its episode ended with an error and the run went on; a miss would stop the whole replay."""
    cache, recording = tmp_path / "c.sqlite", tmp_path / "r.jsonl.gz"

    async def play(model):
        said = []
        for number in range(FAILURES_IN_A_ROW + 2):
            try:
                said.append((await model.complete(conversation(f"apple {number}"))).text)
            except ModelError as error:
                said.append(str(error))
        await model.aclose()
        return said

    faults = [Fault(500)] * (FAILURES_IN_A_ROW - 1)
    with FakeServer(faults=faults) as server:
        live = asyncio.run(play(get_model("m", base_url=server.url, cache=cache, max_retries=0)))
    assert [text.startswith("echo") for text in live] == [False] * len(faults) + [True] * 3
    assert export_recording(cache, recording) == FAILURES_IN_A_ROW + 2
    assert asyncio.run(play(get_model(f"replay:{recording}"))) == live


def test_a_damaged_answer_is_not_exported_and_can_be_put_again(recorded, tmp_path):
    """With it in the file nobody could read the others."""
    recording, path, _ = recorded
    with contextlib.closing(sqlite3.connect(path)) as cache:
        cache.execute("UPDATE answers SET reply = substr(reply, 1, 20) WHERE request LIKE '%plum%'")
        cache.commit()
    assert export_recording(path, tmp_path / "rest.jsonl.gz") == 2
    _, entries = replay.read_recording(tmp_path / "rest.jsonl.gz")
    assert not any("plum" in str(entry["request"]) for entry in entries)
    import_recording(recording, path)
    assert export_recording(path, tmp_path / "again.jsonl.gz") == 3
    assert (tmp_path / "again.jsonl.gz").read_bytes() == recording.read_bytes()


def test_a_cache_that_is_damaged_is_not_exported(recorded, tmp_path):
    _, path, _ = recorded
    with contextlib.closing(sqlite3.connect(path)) as cache:
        cache.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(MnemocraftError, match="cannot be opened or read"):
        export_recording(path, tmp_path / "r.jsonl.gz")


@pytest.mark.parametrize("request_", [{"temperature": 0}, {"tools": []}])
def test_a_replay_takes_the_same_spellings_as_a_live_model(recorded, request_):
    model = get_model(f"replay:{recorded[0]}")
    assert asyncio.run(model.complete(conversation("one apple"), **request_)).text == recorded[2][0].text


async def outcome(model):
    with pytest.raises(RequestTooLong) as error:
        await model.complete(conversation("one apple"))
    await model.aclose()
    return str(error.value)


@pytest.mark.parametrize(
    ("messages", "request_", "named"),
    [
        (conversation("one apple"), {"temperature": 0.2}, "temperature (0.0 recorded, 0.2 asked)"),
        (conversation("one apple"), {"sample": 4}, "sample (0 recorded, 4 asked)"),
        (conversation("one apple"), {"grammar": "g"}, 'grammar (null recorded, "g" asked)'),
        (conversation("one apply"), {}, 'messages[1].content ("one apple" recorded, "one apply" asked)'),
        (conversation("one apple", "eaten", "and a plus"), {"sample": 1}, "messages[3].content"),
        (conversation("one apple", "eaten", "and a pear"), {"temperature": 0.6}, "tools"),
        (
            conversation("one apple", "eaten", "and a plum", "eaten too", "more"),
            {"sample": 1},
            "messages (4 recorded, 6 asked; the first 4 are equal)",
        ),
        ([{"role": "system", "content": "You craft. " + "x" * 50}], {}, "at character 10"),
    ],
)
def test_a_miss_names_the_field_that_differs_from_the_nearest(messages, request_, named, recorded):
    model = get_model(f"replay:{recorded[0]}")
    with pytest.raises(ReplayMiss) as miss:
        asyncio.run(model.complete(messages, **request_))
    assert named in str(miss.value), str(miss.value)
    assert str(miss.value).count(";") <= 1, "only what differs is named"


def test_null_differs_from_nothing():
    assert replay._difference("messages[2]", {"content": None}, {}) == "messages[2].content (recorded only)"
    assert replay._difference("messages[2]", {}, {"content": None}) == "messages[2].content (asked only)"


def test_tool_call_ids_do_not_make_a_miss(tmp_path):
    def asked(number):
        function = {"name": "move", "arguments": "{}"}
        calls = [{"id": number, "type": "function", "function": function}]
        answer = {"role": "tool", "tool_call_id": number, "content": "done"}
        return [SYSTEM, {"role": "assistant", "content": "", "tool_calls": calls}, answer]

    with FakeServer(call("move", '{"n": 1}')) as server:
        model = get_model("m", base_url=server.url, cache=tmp_path / "c")
        first = asyncio.run(model.complete(asked("random1"), tools=[TOOL]))
    export_recording(tmp_path / "c", tmp_path / "r.jsonl.gz")
    again = asyncio.run(get_model(f"replay:{tmp_path}/r.jsonl.gz").complete(asked("other2"), tools=[TOOL]))
    assert again.tool_calls == first.tool_calls


def damage(recording, change):
    lines = gzip.decompress(recording.read_bytes()).decode().splitlines(keepends=True)
    recording.write_bytes(gzip.compress("".join(change(lines)).encode()))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: lines[:-1], "is cut: 2 of 3"),
        (lambda lines: lines[1:], "is not a recording"),
        (lambda lines: [], "is not a recording"),
        (lambda lines: [*lines[:2], "{\n"], "cannot be read"),
    ],
)
def test_a_damaged_recording_is_refused(change, sentence, recorded):
    damage(recorded[0], change)
    with pytest.raises(MnemocraftError, match=sentence):
        get_model(f"replay:{recorded[0]}")


def test_a_torn_file_is_refused(recorded):
    recorded[0].write_bytes(recorded[0].read_bytes()[:-20])
    with pytest.raises(MnemocraftError, match="cannot be read"):
        get_model(f"replay:{recorded[0]}")


def test_a_changed_request_is_not_imported(recorded, tmp_path):
    damage(recorded[0], lambda lines: [line.replace("one apple", "two apples") for line in lines])
    with pytest.raises(MnemocraftError, match="does not match its key"):
        import_recording(recorded[0], tmp_path / "new.sqlite")


def test_a_cache_of_two_models_needs_a_choice(recorded, tmp_path):
    _, cache, _ = recorded
    with FakeServer() as server:
        run_all(get_model("other", base_url=server.url, cache=cache))
    with pytest.raises(MnemocraftError, match="gpt-4o, other; choose one"):
        export_recording(cache, tmp_path / "r.jsonl.gz")
    assert export_recording(cache, tmp_path / "r.jsonl.gz", model="other") == 3
    with pytest.raises(MnemocraftError, match="no answer cache"):
        export_recording(tmp_path / "nothing", tmp_path / "r.jsonl.gz")


def test_a_shipped_recording_is_found_by_name_and_a_wrong_name_lists_them(recorded, monkeypatch):
    monkeypatch.setattr(replay, "RECORDINGS", recorded[0].parent)
    assert run_all(get_model("replay:how"))[0].cached
    with pytest.raises(MnemocraftError, match=r"no recording 'when'.*one of these: how"):
        get_model("replay:when")


@pytest.mark.parametrize("line", ["[1]", "{}", '{"key": "k", "request": {}}', '{"reply": 3}'])
def test_a_damaged_entry_is_one_sentence(line, tmp_path):
    path = tmp_path / "r.jsonl.gz"
    header = {"format": "mnemocraft-recording", "version": 2, "model": "m", "count": 1}
    path.write_bytes(gzip.compress(f"{json.dumps(header)}\n{line}\n".encode()))
    with pytest.raises(MnemocraftError, match="damaged"):
        get_model(f"replay:{path}")


def test_a_flipped_byte_is_one_sentence(tmp_path):
    path = tmp_path / "r.jsonl.gz"
    header = {"format": "mnemocraft-recording", "version": 2, "model": "m", "count": 0}
    data = bytearray(gzip.compress((json.dumps(header) * 50).encode()))
    data[20] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(MnemocraftError, match=r"cannot be read|is not a recording"):
        get_model(f"replay:{path}")


def test_another_order_of_properties_is_a_miss_that_says_so(tmp_path):
    def tool(*names):
        parameters = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
        return {"type": "function", "function": {"name": "move", "parameters": parameters}}

    with FakeServer() as server:
        model = get_model("m", base_url=server.url, cache=tmp_path / "c")
        asyncio.run(model.complete(conversation("go"), tools=[tool("to", "from")]))
    export_recording(tmp_path / "c", tmp_path / "r.jsonl.gz")
    model = get_model(f"replay:{tmp_path}/r.jsonl.gz")
    assert asyncio.run(model.complete(conversation("go"), tools=[tool("to", "from")])).cached
    with pytest.raises(ReplayMiss, match="keys are in another order"):
        asyncio.run(model.complete(conversation("go"), tools=[tool("from", "to")]))


HEADER = {"format": "mnemocraft-recording", "version": 2, "model": "m", "count": 1}
USED = {"prompt_tokens": 1, "completion_tokens": 1, "estimated": False}
ENTRY = {
    "key": "k",
    "request": dict.fromkeys(("model", "tools", "temperature", "max_tokens", "stop", "seed", "sample"))
    | {"messages": []},
    "reply": {
        "text": "",
        "tool_calls": [],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "estimated": False},
    },
}


def written(path, *lines):
    path.write_bytes(gzip.compress("\n".join(json.dumps(line) for line in lines).encode()))
    return f"replay:{path}"


@pytest.mark.parametrize(
    "change",
    [
        {"key": 3},
        {"request": None},
        {"request": {"model": "m"}},
        {"request": ENTRY["request"] | {"messages": [1]}},
        {"reply": ENTRY["reply"] | {"text": 5}},
        {"reply": ENTRY["reply"] | {"tool_calls": [{"name": "a"}]}},
        {"reply": ENTRY["reply"] | {"usage": USED | {"prompt_tokens": 2**70}}},
        {"reply": ENTRY["reply"] | {"usage": USED | {"prompt_tokens": -1}}},
    ],
    ids=str,
)
def test_a_recording_with_wrong_types_is_one_sentence(change, tmp_path):
    assert get_model(written(tmp_path / "good.jsonl.gz", HEADER, ENTRY)).name
    with pytest.raises(MnemocraftError, match=r"is damaged: answer 1 (is|has)"):
        get_model(written(tmp_path / "bad.jsonl.gz", HEADER, ENTRY | change))


@pytest.mark.parametrize("same", [None, -1, 2, True, "1"])
def test_what_a_request_has_in_common_with_the_one_before_must_be_there(same, tmp_path):
    header = HEADER | {"version": 3, "count": 2}
    first = ENTRY | {"same": 0, "request": ENTRY["request"] | {"messages": [SYSTEM]}}
    second = {"key": "k", "same": 1, "request": {"messages": []}, "reply": ENTRY["reply"]}
    assert get_model(written(tmp_path / "good.jsonl.gz", header, first, second)).name
    with pytest.raises(MnemocraftError, match="is damaged: answer 2 has no request"):
        get_model(written(tmp_path / "bad.jsonl.gz", header, first, second | {"same": same}))


def test_a_small_file_cannot_stand_for_endless_requests(tmp_path, monkeypatch):
    """Each of its lines adds one message to all that were there before."""
    monkeypatch.setattr(replay, "MOST_MESSAGES", 5)
    new = {"messages": [SYSTEM]}
    lines = [ENTRY | {"same": n, "request": ENTRY["request"] | new} for n in range(6)]
    get_model(written(tmp_path / "five.jsonl.gz", HEADER | {"version": 3, "count": 5}, *lines[:5]))
    with pytest.raises(MnemocraftError, match="answer 6 has more than 5 messages"):
        get_model(written(tmp_path / "six.jsonl.gz", HEADER | {"version": 3, "count": 6}, *lines))


def test_a_small_file_that_unpacks_to_gigabytes_is_refused_early(tmp_path, monkeypatch):
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(b" " * 60_000_000))
    with pytest.raises(MnemocraftError, match="too long: 4,000,000 characters a line"):
        get_model(f"replay:{bomb}")
    monkeypatch.setattr(replay, "MOST_CHARACTERS", 1000)
    with pytest.raises(MnemocraftError, match="and 1,000 in all"):
        get_model(written(tmp_path / "many.jsonl.gz", HEADER | {"count": 9}, *[ENTRY] * 9))
