"""The frames between MineDojoEnv and its worker."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mnemocraft.envs.minedojo.minedojo_worker.protocol import (
    MAGIC,
    MOST_HEADER,
    PREFIX,
    Garbage,
    receive,
    send,
)

DTYPES = st.sampled_from(["|b1", "|u1", "<i8", "<f4", ">f8", "<U7"])
ARRAYS = DTYPES.flatmap(
    lambda code: arrays(code, array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
BODIES = st.dictionaries(st.text(), st.recursive(VALUES, lambda inner: st.lists(inner), max_leaves=8))


def frame(body: dict[str, Any], named: dict[str, np.ndarray] | None = None) -> bytes:
    stream = io.BytesIO()
    send(stream, body, named)
    return stream.getvalue()


def header(text: str) -> bytes:
    return PREFIX.pack(MAGIC, len(text)) + text.encode()


@given(st.lists(st.tuples(BODIES, st.dictionaries(st.text(), ARRAYS, max_size=3)), max_size=3))
def test_what_is_sent_arrives(frames: list[tuple[dict, dict]]) -> None:
    stream = io.BytesIO(b"".join(frame(*each) for each in frames))
    for body, named in frames:
        got, arrived = receive(stream)
        assert got == body and list(arrived) == list(named)
        for name, array in named.items():
            assert arrived[name].dtype == array.dtype and arrived[name].shape == array.shape
            assert arrived[name].tobytes() == array.tobytes()
    with pytest.raises(EOFError):
        receive(stream)


@given(st.integers(min_value=1))
def test_a_frame_cut_off_anywhere_is_garbage(place: int) -> None:
    whole = frame({"number": 1}, {"rgb": np.zeros((3, 2, 2), np.uint8), "name": np.array(["oak log"])})
    with pytest.raises(Garbage):
        receive(io.BytesIO(whole[: 1 + place % (len(whole) - 1)]))


@given(st.binary(min_size=1) | st.binary().map(lambda tail: PREFIX.pack(MAGIC, len(tail)) + tail))
def test_noise_is_garbage_and_nothing_else(noise: bytes) -> None:
    with pytest.raises(Garbage):
        receive(io.BytesIO(noise))


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        '{"body": {}}',
        '{"body": 3, "arrays": []}',
        '{"body": {}, "arrays": [["x", "|O8", [1]]]}',
        '{"body": {}, "arrays": [["x", "<V8", [1]]]}',
        '{"body": {}, "arrays": [["x", "<f4", [-1]]]}',
        '{"body": {}, "arrays": [["x", "<f4", 4]]}',
        '{"body": {}, "arrays": [["x", "<f4", [100000, 100000]]]}',
        '{"body": {}, "arrays": [["x", "<f3", [1]]]}',
        '{"body": {}, "arrays": [[3, 4, 5]]}',
        "[" * 100_000,
    ],
)
def test_a_header_that_makes_no_sense_is_garbage(text: str) -> None:
    with pytest.raises(Garbage):
        receive(io.BytesIO(header(text) + bytes(64)))


def test_a_header_that_claims_to_be_huge_is_not_waited_for() -> None:
    with pytest.raises(Garbage):
        receive(io.BytesIO(PREFIX.pack(MAGIC, MOST_HEADER + 1) + bytes(100)))


def test_objects_cannot_be_sent_so_as_to_arrive() -> None:
    with pytest.raises(Garbage):
        receive(io.BytesIO(frame({}, {"x": np.array([{}], dtype=object)})))


def test_a_frame_is_readable_without_this_library() -> None:
    data = frame({"number": 7}, {"pos": np.array([1.0, 2.0], "<f4")})
    length = int.from_bytes(data[4:8], "big")
    assert data[:4] == b"MDJ1"
    assert json.loads(data[8 : 8 + length]) == {"body": {"number": 7}, "arrays": [["pos", "<f4", [2]]]}
    assert np.frombuffer(data[8 + length :], "<f4").tolist() == [1.0, 2.0]
