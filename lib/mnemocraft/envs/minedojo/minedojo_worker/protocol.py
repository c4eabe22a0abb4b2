"""Frames on a pipe: a length-prefixed JSON header, then the raw bytes of arrays.

A frame is the four bytes ``MDJ1``, the length of the header (four bytes, big endian), the header, and the
arrays one after the other in C order. The header is ``{"body": {...}, "arrays": [[name, dtype, shape],
...]}``. Arrays hold booleans, numbers or text, never objects, so nothing that arrives is ever executed.
"""

from __future__ import annotations

import json
import math
import re
import struct
from typing import Any, BinaryIO

import numpy as np

VERSION = 1
MAGIC = b"MDJ1"
PREFIX = struct.Struct(">4sI")
MOST_HEADER = 1 << 22
MOST_ARRAY = 1 << 27
"""Bytes of a header and of an array: more is taken for garbage."""
DTYPE = re.compile(r"[<>|][biufU]\d{1,6}")

Body = dict[str, Any]
Arrays = dict[str, np.ndarray]


class Garbage(ValueError):
    """What arrived is not a frame."""


def send(stream: BinaryIO, body: Body, arrays: Arrays | None = None) -> None:
    """Write one frame.

    Args:
        stream: Where to.
        body: What JSON can say.
        arrays: Arrays by name.
    """
    named = arrays or {}
    heads = [[name, array.dtype.str, list(array.shape)] for name, array in named.items()]
    header = json.dumps({"body": body, "arrays": heads}).encode()
    stream.write(PREFIX.pack(MAGIC, len(header)) + header)
    for array in named.values():
        stream.write(array.tobytes())
    stream.flush()


def receive(stream: BinaryIO) -> tuple[Body, Arrays]:
    """Read one frame.

    Raises:
        EOFError: The other side has closed the pipe.
        Garbage: What came is not a frame, or half of one.
    """
    start = stream.read(PREFIX.size)
    if not start:
        raise EOFError
    if len(start) < PREFIX.size:
        raise Garbage(f"it starts with {start!r}")
    magic, length = PREFIX.unpack(start)
    if magic != MAGIC or length > MOST_HEADER:
        raise Garbage(f"it starts with {start!r}")
    text = _read(stream, length)
    try:
        header = json.loads(text)
        body, heads = dict(header["body"]), [_head(*head) for head in header["arrays"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Garbage(f"its header cannot be read ({error})") from None
    return body, {name: _array(stream, dtype, shape) for name, dtype, shape in heads}


def _head(name: str, code: str, shape: list[int]) -> tuple[str, np.dtype, tuple[int, ...]]:
    if not DTYPE.fullmatch(code) or not all(isinstance(side, int) and side >= 0 for side in shape):
        raise Garbage(f"array {name} is {code} {shape}")
    dtype = np.dtype(code)
    if math.prod(shape) * dtype.itemsize > MOST_ARRAY:
        raise Garbage(f"array {name} is too large, {shape}")
    return name, dtype, tuple(shape)


def _array(stream: BinaryIO, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(_read(stream, math.prod(shape) * dtype.itemsize), dtype).reshape(shape)


def _read(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise Garbage("it ends in the middle")
    return data
