"""The endpoint backend against a local fake server: every fault, every dialect, and what is sent."""

import asyncio
import gzip
import json
import logging
import time

import pytest

from fake_server import FakeServer, Fault, call, say
from mnemocraft.errors import BudgetExceeded, MnemocraftError, ModelError, ModelUnavailable
from mnemocraft.llm import Budget, ToolCall, endpoint, export_recording, get_model
from mnemocraft.llm.endpoint import Endpoint
from mnemocraft.llm.types import Request

USER = [{"role": "user", "content": "hello"}]
TOOL = {
    "type": "function",
    "function": {"name": "move", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}},
}
KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def quick_and_clean(monkeypatch):
    """The client's back-off in milliseconds, and no settings of the machine."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.005)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(server, messages=USER, *, calls=1, name="m", timeout=5.0, retries=2, **request):
    """``calls`` completions of one model, one after the other: replies or errors, and the model."""
    model = None

    async def run():
        nonlocal model
        options = {"tool_mode": request.pop("tool_mode")} if "tool_mode" in request else {}
        model = get_model(
            name, base_url=server.url, api_key=KEY, timeout=timeout, max_retries=retries, **options
        )
        results = []
        for sample in range(calls):
            try:
                results.append(await model.complete(messages, sample=sample, **request))
            except MnemocraftError as error:
                results.append(error)
        await model.aclose()
        return results

    return asyncio.run(run()), model


PASSING = {
    "429": (Fault(429), "rate_limit"),
    "429 with Retry-After": (Fault(429, headers={"Retry-After": "0.05"}), "rate_limit"),
    "500": (Fault(500), "server_error"),
    "503": (Fault(503), "server_error"),
    "time-out": (Fault(pause=1.0), "timeout"),
    "reset in mid-body": (Fault(reset=True), "connection"),
    "cut JSON": (Fault(raw=b'{"choices": [{"message": {"con'), "unreadable_answer"),
    "HTML": (Fault(raw=b"<html>busy</html>", content_type="text/html"), "unreadable_answer"),
    "empty body": (Fault(raw=b""), "unreadable_answer"),
    "no choices": (Fault(raw=b'{"choices": []}'), "unreadable_answer"),
    "a list": (Fault(raw=b"[1, 2]"), "unreadable_answer"),
    "no message": (Fault(raw=b'{"choices": [{"message": null}]}'), "unreadable_answer"),
    "a drip": (Fault(drip=0.1), "timeout"),
    "a body without end": (Fault(endless=True), "unreadable_answer"),
    "a bomb": (
        Fault(raw=gzip.compress(b" " * 50_000_000), headers={"Content-Encoding": "gzip"}),
        "unreadable_answer",
    ),
    "a deep body": (Fault(raw=b'{"choices": ' + b"[" * 600 + b"]" * 600 + b"}"), "unreadable_answer"),
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_is_retried_and_counted(fault):
    misbehaviour, kind = PASSING[fault]
    with FakeServer(faults=[misbehaviour, misbehaviour]) as server:
        [reply], model = ask(server, timeout=0.3 if kind == "timeout" else 20.0)
        assert reply.text == "echo: hello"
        assert model.failures == {kind: 2}
        assert len(server.requests) == 3


@pytest.mark.parametrize("fault", PASSING)
def test_a_lasting_fault_is_one_model_error_after_a_bounded_number_of_tries(fault):
    misbehaviour, kind = PASSING[fault]
    with FakeServer(faults=[misbehaviour] * 9) as server:
        [error], model = ask(server, timeout=0.3 if kind == "timeout" else 20.0, retries=1)
        assert isinstance(error, ModelError) and "'m' failed for good" in str(error)
        assert model.failures == {kind: 2, "gave_up": 1}
        assert len(server.requests) == 2, "retries of the client and of ours must not multiply"


def test_mixed_faults_share_one_limit_of_retries():
    faults = [Fault(429), Fault(raw=b"{"), Fault(reset=True), Fault(500)]
    with FakeServer(faults=faults) as server:
        [error], model = ask(server, retries=3)
        assert isinstance(error, ModelError)
        assert model.failures == dict.fromkeys(
            ("rate_limit", "unreadable_answer", "connection", "server_error", "gave_up"), 1
        )


def test_retry_after_is_obeyed(monkeypatch):
    waits = []

    async def record(seconds):
        waits.append(seconds)

    monkeypatch.setattr("openai._base_client.anyio.sleep", record)
    with FakeServer(faults=[Fault(429, headers={"Retry-After": "7"})]) as server:
        ask(server)
    assert waits == [7.0]


def test_a_server_that_takes_no_grammars_is_not_asked():
    with FakeServer() as server:
        endpoint = Endpoint("m", base_url=server.url, api_key="none")
        request = Request("m", [{"role": "user", "content": "x"}], grammar='root ::= "y"')
        with pytest.raises(ModelUnavailable, match="'m' cannot be held to a grammar"):
            asyncio.run(endpoint.generate(request))
        assert not server.requests


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, ModelError, "refused_request"),
        (403, ModelError, "refused_request"),
        (401, ModelUnavailable, "refused_key"),
        (404, ModelUnavailable, "refused_request"),
    ],
)
def test_a_refusal_is_never_retried(status, error, kind):
    with FakeServer(faults=[Fault(status, "no such thing")]) as server:
        [result], model = ask(server)
        assert type(result) is error and "no such thing" in str(result)
        assert len(server.requests) == 1 and model.failures[kind] == 1


@pytest.mark.parametrize(
    "said",
    [
        "request (16729 tokens) exceeds the available context size (16384 tokens), try increasing it",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    ],
)
def test_a_request_that_does_not_fit_is_told_from_a_model_that_is_gone(said):
    with FakeServer(faults=[Fault(400, said)] * 6) as server:
        results, model = ask(server, calls=7)
        assert [type(r).__name__ for r in results] == ["RequestTooLong"] * 6 + ["Reply"]
        assert said[:40] in str(results[0]) and model.failures["gave_up"] == 6


def test_five_final_failures_in_a_row_stop_the_run_and_a_success_starts_the_count_anew():
    with FakeServer(faults=[*[Fault(500)] * 4, Fault(), *[Fault(500)] * 5]) as server:
        results, model = ask(server, calls=12, retries=0)
        kinds = [type(result).__name__ for result in results]
        assert kinds == ["ModelError"] * 4 + ["Reply"] + ["ModelError"] * 4 + ["ModelUnavailable"] * 3
        assert "5 requests in a row" in str(results[-1])
        assert len(server.requests) == 10, "an unavailable model is not asked again"
        assert model.failures == {"server_error": 9, "gave_up": 9}


@pytest.mark.parametrize(
    ("answer", "expected", "kind"),
    [
        (call("move", '{"n": 1}'), ToolCall("move", {"n": 1}), None),
        (call("fly", '{"n": 1}'), ToolCall("fly", {"n": 1}), "unknown_tool"),
        (call("move", '{"n": 1'), ToolCall("move", {}, "..."), "malformed_call"),
        (call("move", "[1]"), ToolCall("move", {}, "..."), "malformed_call"),
    ],
)
def test_tool_calls_arrive_right_or_wrong(answer, expected, kind):
    with FakeServer(answer) as server:
        [reply], model = ask(server, tools=[TOOL])
    [got] = reply.tool_calls
    assert (got.name, got.arguments, got.error is None) == (
        expected.name,
        expected.arguments,
        expected.error is None,
    )
    assert model.failures == ({kind: 1} if kind else {})


@pytest.mark.parametrize("content", ["", None, "   "])
def test_an_empty_answer_is_a_reply_and_counted(content):
    with FakeServer(lambda body: {"content": content}) as server:
        [reply], model = ask(server)
    assert (reply.text, reply.tool_calls) == ("", [])
    assert model.failures == {"empty_answer": 1}


def test_an_over_long_answer_is_cut_and_counted():
    """Answers of 10 MB made trajectories of 200 MB."""
    with FakeServer(lambda body: {"content": "x" * 200_000, "finish_reason": "length"}) as server:
        [reply], model = ask(server)
    assert reply.text == "x" * endpoint.LONGEST_ANSWER
    assert model.failures == {"cut_answer": 1, "long_answer": 1}


def test_a_refusal_to_answer_is_an_empty_reply_and_counted():
    with FakeServer(lambda body: {"content": None, "refusal": "I cannot do that"}) as server:
        [reply], model = ask(server)
    assert reply.text == "" and model.failures == {"refused_answer": 1, "empty_answer": 1}


def test_tokens_are_the_servers_and_else_estimated_and_marked():
    with FakeServer(say("twelve chars")) as server:
        [reply], _ = ask(server)
        assert not reply.usage.estimated and reply.usage.prompt_tokens > 0
    with FakeServer(say("twelve chars"), usage=False) as server:
        [reply], model = ask(server, [{"role": "user", "content": "x" * 400}])
        assert reply.usage.estimated and 100 <= reply.usage.prompt_tokens < 130
        assert model.usage.estimated == 1


def test_seed_stop_and_tools_are_sent_only_when_given():
    with FakeServer() as server:
        ask(server)
        ask(server, seed=3, stop="END", tools=[TOOL], temperature=0.6, max_tokens=9)
        bare, full = server.requests
    assert sorted(bare) == ["max_tokens", "messages", "model", "temperature"]
    assert (full["stop"], full["tools"], full["temperature"]) == (["END"], [TOOL], 0.6)
    assert 0 <= full["seed"] < 2**31


def test_a_seed_has_its_own_draw_for_every_question_and_sample():
    """The same for the same; else all answers of a seed would be drawn with the same numbers."""
    with FakeServer() as server:
        ask(server, calls=2, seed=3, temperature=0.6)
        for options in (
            {"seed": 4},
            {"temperature": 0.9},
            {"messages": [{"role": "user", "content": "Why?"}]},
            {},
        ):
            ask(server, **{"seed": 3, "temperature": 0.6} | options)
        *seeds, again = [body["seed"] for body in server.requests]
    assert again == seeds[0] and len({*seeds}) == 5


def test_a_server_without_tools_is_asked_in_text_from_then_on(caplog):
    answer = say('<think>hm</think>Moving. {"name": "move", "arguments": {"n": 2}}')
    with FakeServer(answer, refuse="this model does not support tools") as server:
        results, _ = ask(server, calls=3, tools=[TOOL])
        assert [reply.tool_calls for reply in results] == [[ToolCall("move", {"n": 2})]] * 3
        assert [reply.text for reply in results] == ["Moving."] * 3
        assert ["tools" in body for body in server.requests] == [True, False, False, False]
        assert "- move(n: integer)" in server.requests[-1]["messages"][0]["content"]
    assert len([r for r in caplog.records if r.levelno >= logging.WARNING]) == 1


def test_a_refusal_about_something_else_does_not_change_the_way_tools_are_called():
    with FakeServer(faults=[Fault(), Fault(400, "too many tokens in tools"), Fault()]) as server:
        results, _ = ask(server, calls=3, tools=[TOOL])
        assert [type(result).__name__ for result in results] == ["Reply", "ModelError", "Reply"]
        assert all("tools" in body for body in server.requests)


def test_a_dialogue_that_is_too_long_with_its_tools_is_no_refusal_of_tools():
    said = "This model's maximum context length is 8192 tokens: 8634 in the messages, 367 in the functions."
    with FakeServer(faults=[Fault(400, said)]) as server:
        results, _ = ask(server, calls=2, tools=[TOOL])
        assert [type(result).__name__ for result in results] == ["RequestTooLong", "Reply"]
        assert all("tools" in body for body in server.requests)


def test_native_mode_never_falls_back_and_text_mode_never_sends_tools():
    with FakeServer(refuse="no tools") as server:
        [error], _ = ask(server, tools=[TOOL], tool_mode="native")
        assert isinstance(error, ModelError)
    with FakeServer(say("just words"), refuse="no tools") as server:
        [reply], _ = ask(server, tools=[TOOL], tool_mode="text")
        assert reply.text == "just words" and "tools" not in server.requests[0]


def test_a_reasoning_models_refusals_are_understood():
    faults = [
        Fault(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        Fault(400, "Unsupported value: 'temperature' does not support 0.6 with this model."),
    ]
    with FakeServer(faults=faults) as server:
        [reply], _ = ask(server, temperature=0.6, max_tokens=7)
        assert reply.text == "echo: hello"
        assert server.requests[-1] == {"model": "m", "messages": USER, "max_completion_tokens": 7}


def test_the_environment_names_server_and_key(monkeypatch):
    with FakeServer(key="sk-from-env") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env")
        reply = asyncio.run(get_model("m").complete(USER))
    assert reply.text == "echo: hello"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"base_url": "http://localhost:abc/v1"}, "OPENAI_BASE_URL"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": "5"}, "timeout"),
    ],
)
def test_an_address_or_a_timeout_that_is_none_is_one_sentence(given, named):
    with pytest.raises(MnemocraftError, match=named):
        Endpoint("m", api_key=KEY, **given)


def test_a_missing_key_is_one_sentence():
    with pytest.raises(MnemocraftError, match="needs an API key: set OPENAI_API_KEY"):
        get_model("gpt-4o")


def test_one_model_works_in_one_event_loop_after_another():
    with FakeServer() as server:
        model = get_model("m", base_url=server.url)
        texts = [asyncio.run(model.complete([{"role": "user", "content": str(i)}])).text for i in range(3)]
    assert texts == ["echo: 0", "echo: 1", "echo: 2"]


def test_a_key_that_the_server_repeats_is_in_no_file_message_or_log(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    secret = Fault(400, f"bad request from Bearer {KEY}")
    errors = []

    async def run(server):
        model = get_model("m", base_url=server.url, api_key=KEY, cache=tmp_path / "c.sqlite", max_retries=1)
        for text in ("a", "b"):
            try:
                await model.complete([{"role": "user", "content": text}])
            except ModelError as error:
                errors.append(repr(error) + repr(error.__cause__))
        await model.aclose()

    with FakeServer(faults=[secret]) as server:
        asyncio.run(run(server))
    export_recording(tmp_path / "c.sqlite", tmp_path / "r.jsonl.gz")
    assert len(errors) == 1 and "[API key]" in errors[0]
    written = [path.read_bytes() for path in sorted(tmp_path.rglob("*"))]
    written.append(gzip.decompress((tmp_path / "r.jsonl.gz").read_bytes()))
    for text in [*written, json.dumps(errors).encode(), caplog.text.encode()]:
        assert KEY.encode() not in text
    assert b"echo: b" in written[-1]


def test_a_reply_that_drips_ends_at_the_deadline_of_one_try():
    """Time-outs between two bytes never end it: such a run hung for good."""
    with FakeServer(faults=[Fault(drip=0.05)] * 9) as server:
        started = time.monotonic()
        [error], model = ask(server, timeout=0.5, retries=1)
        assert time.monotonic() - started < 4
    assert "no answer within 0.5 s" in str(error) and model.failures["timeout"] == 2


@pytest.mark.parametrize(
    "figure", [2**70, 10**400, -5, 1.5, 1e300, "12", None, True, [1]], ids=lambda figure: str(figure)[:9]
)
@pytest.mark.parametrize("field", ["prompt_tokens", "completion_tokens"])
def test_impossible_figures_are_replaced_by_an_estimate(field, figure):
    """2^70 made every record of a run unreadable, and a negative number defeated the budget of tokens."""
    usage = {"prompt_tokens": 3, "completion_tokens": 4, field: figure}
    body = {"choices": [{"message": {"content": "abcdefgh"}}], "usage": usage}
    with FakeServer(faults=[Fault(raw=json.dumps(body).encode())]) as server:
        [reply], _ = ask(server)
    assert reply.usage.estimated and 0 < reply.usage.completion_tokens < 100


def test_negative_figures_do_not_prolong_a_budget():
    usage = {"prompt_tokens": -1000, "completion_tokens": -1000}
    body = json.dumps({"choices": [{"message": {"content": "x" * 400}}], "usage": usage}).encode()

    async def run(server):
        model = get_model("m", base_url=server.url, budget=Budget(tokens=250))
        for sample in range(9):
            await model.complete(USER, sample=sample)

    with FakeServer(faults=[Fault(raw=body)] * 9) as server:
        with pytest.raises(BudgetExceeded):
            asyncio.run(run(server))
        assert len(server.requests) <= 4


@pytest.mark.parametrize(
    "arguments", ['{"a":' * 600 + "1" + "}" * 600, '{"n": 1e999}', '{"n": ' + "9" * 70_000 + "}"]
)
def test_arguments_that_no_agent_could_store_are_a_described_error(arguments):
    """The first ended every episode as a crash."""
    with FakeServer(call("move", arguments)) as server:
        [reply], model = ask(server, tools=[TOOL])
    [got] = reply.tool_calls
    assert got.arguments == {} and got.error and model.failures == {"malformed_call": 1}


def test_of_very_many_calls_the_first_are_read():
    function = {"name": "move", "arguments": '{"n": 1}'}
    calls = [{"id": "x", "type": "function", "function": function}] * 30_000
    with FakeServer(lambda body: {"content": None, "tool_calls": calls}) as server:
        [reply], model = ask(server, tools=[TOOL])
    assert len(reply.tool_calls) == endpoint.MOST_CALLS and model.failures == {"too_many_calls": 1}


@pytest.mark.parametrize("native", [True, False])
def test_a_key_in_an_answer_is_masked_before_it_is_kept(native, tmp_path, caplog):
    """Also where its letters are escaped, in a name, an argument or a refusal."""
    escaped = KEY.replace("s", "\\u0073")
    said = call(f"move {KEY}", f'{{"{escaped}": ["{escaped}"]}}')
    if not native:
        said = say(f'It is {KEY}: {{"name": "move", "arguments": {{"n": "{escaped}"}}}}')

    async def run(server):
        model = get_model("m", base_url=server.url, api_key=KEY, cache=tmp_path / "c.sqlite")
        replies = [await model.complete(USER, tools=[TOOL])]
        server.answer = lambda body: {"content": None, "refusal": f"no, {KEY}"}
        replies.append(await model.complete(USER, tools=[TOOL], sample=1))
        await model.aclose()
        return replies

    with FakeServer(said, refuse=None if native else "no tools") as server:
        replies = asyncio.run(run(server))
    assert "[API key]" in str(replies[0]) and replies[0].tool_calls and "[API key]" in caplog.text
    kept = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))
    for text in (repr(replies), kept.decode("latin-1"), caplog.text):
        assert KEY not in text


@pytest.mark.parametrize("key", ["none", "k"])
def test_a_short_key_does_not_spoil_what_is_said(key):
    async def run(server):
        model = get_model("m", base_url=server.url, api_key=key, max_retries=0)
        reply = await model.complete(USER)
        with pytest.raises(ModelError, match="none of the kinds is known"):
            await model.complete(USER)
        return reply

    with FakeServer(say("none think"), faults=[Fault(), Fault(400, "none of the kinds is known")]) as server:
        assert asyncio.run(run(server)).text == "none think"
