"""Encoders of pictures: a CLIP model in the user's folder, against the library's own image features."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mnemocraft.encoders import get_image_encoder
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import get_memory

torch = pytest.importorskip("torch", reason="pictures are encoded by torch")
transformers = pytest.importorskip("transformers", reason="CLIP needs transformers (extra `finetune`)")

SIZE = 24
"""Of the projection of the tiny model."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny CLIP model with weights by lot, as a user's folder would hold a real one."""
    where = tmp_path_factory.mktemp("clip")
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(0)
    vocabulary = {"<|startoftext|>": 0, "<|endoftext|>": 1, "a</w>": 2}
    config = transformers.CLIPConfig(
        text_config=small | {"vocab_size": len(vocabulary), "bos_token_id": 0, "eos_token_id": 1},
        vision_config=small | {"image_size": 32, "patch_size": 8},
        projection_dim=SIZE,
    )
    transformers.CLIPModel(config).save_pretrained(where)
    (where / "vocab.json").write_text(json.dumps(vocabulary))
    (where / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = transformers.CLIPTokenizer(str(where / "vocab.json"), str(where / "merges.txt"))
    crop = {"height": 32, "width": 32}
    pictures = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=crop)
    transformers.CLIPProcessor(pictures, tokenizer).save_pretrained(where)
    return where


@pytest.fixture(scope="module")
def views():
    return list(np.random.default_rng(1).integers(0, 256, (3, 40, 48, 3), np.uint8))


def test_clip_gives_the_librarys_image_features_as_unit_vectors(folder, views):
    encoder = get_image_encoder(f"clip:{folder}")
    found = encoder.encode(views)
    assert (found.shape, found.dtype, encoder.name) == ((3, SIZE), np.float32, f"clip:{folder}")
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    model = transformers.CLIPModel.from_pretrained(folder)
    processor = transformers.CLIPProcessor.from_pretrained(folder)
    with torch.inference_mode():
        out = model.get_image_features(**processor(images=views, return_tensors="pt"))
    peer = getattr(out, "pooler_output", out).numpy()  # later versions of the library wrap the features
    np.testing.assert_allclose(found, peer / np.linalg.norm(peer, axis=1, keepdims=True), atol=1e-5)


def test_a_picture_has_the_same_vector_whatever_is_encoded_beside_it(folder, views):
    encoder = get_image_encoder(f"clip:{folder}")
    np.testing.assert_array_equal(encoder.encode(views)[1], encoder.encode(views[1:2])[0])
    assert not np.allclose(encoder.encode(views)[0], encoder.encode(views)[1])


def test_a_memory_compares_pictures_by_a_users_clip(folder, views):
    memory = get_memory("episodic", images=f"clip:{folder}", alpha=0.0, threshold=1e-5)
    memory.store.add("obtain 1 log", plan="mine 1 log", image=views[0])
    assert [hit.distance < 1e-5 for hit in memory.store.retrieve("obtain 1 log", image=views[0])] == [True]
    assert memory.store.retrieve("obtain 1 log", image=views[1]) == []


@pytest.mark.parametrize("name", ["clip", "clip:", "clip:no-such-folder/here"])
def test_weights_that_are_missing_are_told_in_one_sentence(name):
    with pytest.raises(MnemocraftError, match=r"^(CLIP needs weights|There is no CLIP model)") as told:
        get_image_encoder(name)
    assert "\n" not in str(told.value)


def test_weak_and_strong_features_are_unit_vectors_of_their_sizes():
    views = list(np.random.default_rng(1).integers(0, 256, (3, 64, 64, 3), np.uint8))
    for name, size in (("mean_colour", 3), ("controller", 128)):
        found = get_image_encoder(name).encode(views)
        assert found.shape == (3, size)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
