"""The interface above the backends: sharing, limits, cancelling, the direct path, and wrong settings."""

import asyncio

import pytest

from fake_server import FakeServer, Fault
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.llm import Budget, Model, Reply, Usage, get_model


def user(text):
    return [{"role": "user", "content": text}]


class Instant:
    """A backend that answers at once and remembers what it was asked."""

    name, cpu_bound = "instant", True

    def __init__(self):
        self.requests = []

    async def generate(self, request):
        self.requests.append(request)
        return Reply("yes", [], Usage(3, 1))

    async def aclose(self):
        self.closed = True


@pytest.mark.parametrize("cache", [True, False])
def test_identical_requests_in_flight_are_sent_once(cache, tmp_path):
    async def run(server):
        path = tmp_path / "c" if cache else None
        model = get_model("m", base_url=server.url, cache=path)
        replies = await asyncio.gather(*(model.complete(user(f"q{i % 3}")) for i in range(30)))
        await model.aclose()
        return replies, model.usage

    with FakeServer(latency=0.1) as server:
        replies, usage = asyncio.run(run(server))
        assert len(server.requests) == 3
    assert [reply.text for reply in replies] == [f"echo: q{i % 3}" for i in range(30)]
    assert sum(not reply.cached for reply in replies) == 3 and usage.cached == 27


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"temperature": float("nan")}, "temperature must be a number from 0 on, not nan"),
        ({"temperature": -1}, "temperature must be a number from 0 on"),
        ({"max_tokens": "512"}, "max_tokens must be a whole number from 1, not '512'"),
        ({"max_tokens": 0}, "max_tokens must be a whole number from 1"),
        ({"seed": "x"}, "seed must be a whole number from 0"),
        ({"sample": -1}, "sample must be a whole number from 0"),
    ],
)
def test_what_cannot_be_sent_is_told_before_anything_is(wrong, sentence):
    backend = Instant()
    with pytest.raises(MnemocraftError, match=sentence):
        asyncio.run(Model("instant", backend).complete(user("q"), **wrong))
    assert not backend.requests


def test_a_model_has_a_name():
    with pytest.raises(
        MnemocraftError, match="name of a model must be a text, such as 'surrogate', not None"
    ):
        get_model(None)


def test_without_a_cache_a_finished_request_is_sent_again():
    with FakeServer() as server:
        model = get_model("m", base_url=server.url)
        for _ in range(2):
            asyncio.run(model.complete(user("q")))
        assert len(server.requests) == 2


def test_all_who_wait_for_a_failing_request_learn_of_it_and_it_counts_once():
    async def run(server):
        model = get_model("m", base_url=server.url, max_retries=0)
        results = await asyncio.gather(*(model.complete(user("q")) for _ in range(9)), return_exceptions=True)
        await model.aclose()
        return results, model.failures

    with FakeServer(latency=0.05, faults=[Fault(500)]) as server:
        results, failures = asyncio.run(run(server))
    assert all(isinstance(result, ModelError) for result in results)
    assert failures["gave_up"] == 1


def test_no_more_requests_at_a_time_than_allowed():
    async def run(server):
        model = get_model("m", base_url=server.url, max_concurrency=3)
        await asyncio.gather(*(model.complete(user(str(i))) for i in range(12)))
        await model.aclose()

    with FakeServer(latency=0.05) as server:
        asyncio.run(run(server))
        assert server.most_at_once == 3 and len(server.requests) == 12


def test_the_answer_of_a_cancelled_caller_is_kept(tmp_path):
    async def run(server):
        model = get_model("m", base_url=server.url, cache=tmp_path / "c")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(model.complete(user("q")), 0.1)
        await model.aclose()
        return await get_model("m", base_url=server.url, cache=tmp_path / "c").complete(user("q"))

    with FakeServer(latency=0.3) as server:
        assert asyncio.run(run(server)).cached
        assert len(server.requests) == 1


def test_an_instant_backend_is_called_directly_and_still_counted():
    backend = Instant()
    model = Model("instant", backend)
    messages = user("q")
    assert asyncio.run(model.complete(messages)).text == "yes"
    assert backend.requests[0].messages is messages, "nothing is copied or hashed on this path"
    assert (model.usage.calls, model.usage.prompt_tokens) == (1, 3)


def test_an_instant_backend_obeys_cache_and_budget(tmp_path):
    backend, limit = Instant(), Budget(tokens=4)
    model = Model("instant", backend, budget=limit)
    asyncio.run(model.complete(user("q")))
    with pytest.raises(MnemocraftError, match="4 of 4 tokens"):
        asyncio.run(model.complete(user("r")))
    asyncio.run(model.aclose())
    assert backend.closed and len(backend.requests) == 1


@pytest.mark.parametrize("messages", ["hello", [1], [{"role": "user", "content": {1, 2}}], user("\ud83d")])
def test_messages_that_are_no_json_are_refused_in_a_sentence(messages):
    model = get_model("m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(MnemocraftError, match="messages"):
        asyncio.run(model.complete(messages))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"name": ""}, "needs a name"),
        ({"name": "m", "temprature": 1}, "does not know temprature; it accepts timeout, tool_mode"),
        ({"name": "surrogate", "tool_mode": "text"}, "does not know tool_mode; it accepts no further"),
        ({"name": "surrogate", "base_url": "http://x"}, "base_url and api_key are for a server's model"),
        ({"name": "m", "max_concurrency": 0}, "max_concurrency must be a whole number from 1"),
        ({"name": "m", "max_retries": -1}, "max_retries must be a whole number"),
        ({"name": "m", "base_url": "http://x", "tool_mode": "maybe"}, "tool_mode must be"),
        ({"name": "local:/no/such.gguf"}, "no model file"),
        ({"name": "local", "parallel": 0}, "parallel must be a whole number from 1"),
    ],
)
def test_wrong_settings_are_one_sentence(arguments, sentence):
    with pytest.raises(MnemocraftError, match=sentence):
        get_model(**arguments)


@pytest.mark.parametrize(
    "name, meant", [("surrogat", "surrogate"), ("Local", "local"), ("Replay:x", "replay")]
)
def test_a_near_miss_of_a_reserved_name_is_not_sent_to_a_server(name, meant):
    with pytest.raises(MnemocraftError, match=f"did you mean '{meant}'"):
        get_model(name, api_key="k")


@pytest.mark.parametrize("messages", [[], "hello", [{}], [1], None])
def test_messages_that_are_none_get_one_sentence_from_every_model(messages):
    with pytest.raises(MnemocraftError, match="messages must"):
        asyncio.run(get_model("surrogate").complete(messages))


def test_a_budget_that_is_none_is_named():
    with pytest.raises(MnemocraftError, match="Budget"):
        get_model("gpt-4o-mini", api_key="k", budget=1000)
