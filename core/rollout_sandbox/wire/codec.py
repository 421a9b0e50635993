"""Values that leave a sandbox: MessagePack with extension types; reading them runs no code."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import chain
from typing import Any

import msgpack
import numpy as np

from rollout_sandbox.wire.arrays import write_array
from rollout_sandbox.wire.decoding import decode
from rollout_sandbox.wire.extensions import MOST_BYTES, MOST_DEPTH, MOST_INT_BYTES, Extension

__all__ = ["decode", "encode", "encode_info"]

_ROOM_FOR_HEADERS = 64
_INT64, _UINT64 = -(1 << 63), 1 << 64


def encode(value: Any) -> bytes:
    """Write a value.

    :raises TypeError: if something in it cannot leave a sandbox.
    """
    packed = _pack(value, 0)
    if len(packed) > MOST_BYTES:
        raise TypeError(f"a value of {len(packed)} bytes cannot leave a sandbox: at most {MOST_BYTES} can")
    return packed


def _pack(value: Any, depth: int) -> bytes:
    packed: bytes = msgpack.packb(_lower(value, depth), use_bin_type=True)
    return packed


def _extension(code: int, content: bytes) -> msgpack.ExtType:
    return msgpack.ExtType(code, content)


def _lower(value: Any, depth: int) -> Any:
    """Express a value in MessagePack's own types, exactly: subclasses are other types and are refused."""
    if depth > MOST_DEPTH:
        raise TypeError(f"a value nested more than {MOST_DEPTH} deep cannot leave a sandbox")
    kind = type(value)
    if value is None or kind in (bool, float, bytes):
        return value
    if kind is int:
        return value if _INT64 <= value < _UINT64 else _lower_big_int(value)
    if kind is str:
        return value if value.isprintable() else _lower_text(value)
    if kind is list:
        return [_lower(item, depth + 1) for item in value]
    if kind is dict:
        return _lower_dict(value, depth)
    if lower := _LOWER.get(kind):
        return lower(value, depth)
    if isinstance(value, np.ndarray | np.generic):
        code = Extension.SCALAR if isinstance(value, np.generic) else Extension.ARRAY
        return _extension(code, write_array(value))
    raise TypeError(
        f"a {kind.__name__} cannot leave a sandbox: give numbers, text, bytes, arrays or containers"
    )


def _lower_dict(value: dict[Any, Any], depth: int) -> Any:
    if all(type(key) is str and key.isprintable() for key in value):
        return {key: _lower(item, depth + 1) for key, item in value.items()}
    return _extension(Extension.DICT, _pack(list(chain.from_iterable(value.items())), depth))


def _lower_text(value: str) -> msgpack.ExtType:
    return _extension(Extension.TEXT, value.encode("utf-8", "surrogatepass"))


def _lower_big_int(value: int) -> msgpack.ExtType:
    size = value.bit_length() // 8 + 1
    if size > MOST_INT_BYTES:
        raise TypeError(f"an int of {size} bytes cannot leave a sandbox: at most {MOST_INT_BYTES} can")
    return _extension(Extension.BIG_INT, value.to_bytes(size, "little", signed=True))


_LOWER: dict[type, Callable[[Any, int], Any]] = {
    tuple: lambda value, depth: _extension(Extension.TUPLE, _pack(list(value), depth)),
    set: lambda value, depth: _extension(Extension.SET, _pack(sorted(value, key=repr), depth)),
    frozenset: lambda value, depth: _extension(Extension.FROZEN_SET, _pack(sorted(value, key=repr), depth)),
    complex: lambda value, depth: _extension(Extension.COMPLEX, struct.pack("<dd", value.real, value.imag)),
}


def encode_info(info: dict[Any, Any]) -> tuple[bytes, list[str]]:
    """Write an info dictionary.

    :return: the bytes, and the keys that had to be left out.
    """
    try:
        return encode(info), []
    except (TypeError, ValueError, RecursionError):
        return _encode_what_fits(info)


def _encode_what_fits(info: dict[Any, Any]) -> tuple[bytes, list[str]]:
    kept, dropped, room = {}, [], MOST_BYTES - _ROOM_FOR_HEADERS
    for key, value in info.items():
        try:
            size = len(encode({key: value}))
        except (TypeError, ValueError, RecursionError):
            size = MOST_BYTES
        if size > room:
            dropped.append(str(key))
        else:
            kept[key] = value
            room -= size
    return encode(kept), dropped
