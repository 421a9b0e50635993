"""Values that leave a sandbox: MessagePack with extension types; reading them runs no code."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np

from rollout_sandbox.errors import ProtocolError

__all__ = ["decode", "encode", "encode_info"]

_TUPLE, _SET, _FROZEN_SET, _COMPLEX, _ARRAY, _SCALAR, _BIG_INT, _DICT, _TEXT = range(1, 10)
_MOST_BYTES = 64 << 20
_MOST_DEPTH = 32
_KINDS = "biufcmMSU"  # the kinds of dtypes whose bytes hold no pointers
_INT64, _UINT64 = -(1 << 63), 1 << 64


def encode(value: Any) -> bytes:
    """Write a value.

    :raises TypeError: if something in it cannot leave a sandbox.
    """
    return _pack(value, 0)


def _pack(value: Any, depth: int) -> bytes:
    packed: bytes = msgpack.packb(_lower(value, depth), use_bin_type=True)
    return packed


def _extension(code: int, content: bytes) -> msgpack.ExtType:
    return msgpack.ExtType(code, content)


def _lower(value: Any, depth: int) -> Any:
    """Express a value in MessagePack's own types, exactly: subclasses are other types and are refused."""
    if depth > _MOST_DEPTH:
        raise TypeError(f"a value nested more than {_MOST_DEPTH} deep cannot leave a sandbox")
    kind = type(value)
    if value is None or kind in (bool, float, bytes):
        return value
    if kind is int:
        return value if _INT64 <= value < _UINT64 else _extension(_BIG_INT, str(value).encode())
    if kind is str:
        return value if value.isprintable() else _extension(_TEXT, value.encode("utf-8", "surrogatepass"))
    if kind is list:
        return [_lower(item, depth + 1) for item in value]
    if kind is dict:
        return _lower_dict(value, depth + 1)
    if lower := _LOWER.get(kind):
        return lower(value, depth + 1)
    if isinstance(value, np.ndarray | np.generic):
        return _lower_array(value)
    raise TypeError(
        f"a {kind.__name__} cannot leave a sandbox: give numbers, text, bytes, arrays or containers"
    )


def _lower_dict(value: dict[Any, Any], depth: int) -> Any:
    if all(type(key) is str and key.isprintable() for key in value):
        return {key: _lower(item, depth) for key, item in value.items()}
    return _extension(_DICT, _pack([part for pair in value.items() for part in pair], depth))


def _lower_array(value: np.ndarray[Any, Any] | np.generic) -> msgpack.ExtType:
    if type(value) is not np.ndarray and not isinstance(value, np.generic):
        raise TypeError(f"a {type(value).__name__} cannot leave a sandbox: give a plain array")
    if value.dtype.kind not in _KINDS or value.dtype.fields is not None:
        raise TypeError(f"an array of dtype {value.dtype} cannot leave a sandbox: give numbers")
    header = msgpack.packb([value.dtype.str, list(value.shape)])
    code = _SCALAR if isinstance(value, np.generic) else _ARRAY
    return _extension(code, struct.pack("<H", len(header)) + header + value.tobytes())


_LOWER: dict[type, Callable[[Any, int], Any]] = {
    tuple: lambda value, depth: _extension(_TUPLE, _pack(list(value), depth)),
    set: lambda value, depth: _extension(_SET, _pack(sorted(value, key=repr), depth)),
    frozenset: lambda value, depth: _extension(_FROZEN_SET, _pack(sorted(value, key=repr), depth)),
    complex: lambda value, depth: _extension(_COMPLEX, struct.pack("<dd", value.real, value.imag)),
}


def encode_info(info: dict[Any, Any]) -> tuple[bytes, list[str]]:
    """Write an info dictionary.

    :return: the bytes, and the keys that had to be left out.
    """
    try:
        return encode(info), []
    except (TypeError, ValueError, RecursionError):
        kept, dropped = {}, []
        for key, value in info.items():
            try:
                encode({key: value})
            except (TypeError, ValueError, RecursionError):
                dropped.append(str(key))
            else:
                kept[key] = value
        return encode(kept), dropped


class _Reader:
    """Reads one message; the depth counts through extensions, which are messages of their own."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        if depth > _MOST_DEPTH:
            raise ProtocolError(f"a value is nested more than {_MOST_DEPTH} deep")

    def read(self, data: Any) -> Any:
        return msgpack.unpackb(data, raw=False, strict_map_key=True, ext_hook=self._raise_up)

    def _inner(self, data: bytes) -> list[Any]:
        items = _Reader(self._depth + 1).read(data)
        if not isinstance(items, list):
            raise ProtocolError("a container does not hold a list")
        return items

    def _raise_up(self, code: int, data: bytes) -> Any:
        if code in (_ARRAY, _SCALAR):
            return _read_array(data, scalar=code == _SCALAR)
        if code == _COMPLEX:
            return complex(*struct.unpack("<dd", data))
        if code == _BIG_INT:
            return int(data[:4000].decode("ascii"))
        if code == _TEXT:
            return data.decode("utf-8", "surrogatepass")
        if code == _DICT:
            parts = self._inner(data)
            return dict(zip(parts[::2], parts[1::2], strict=True))
        if code in (_TUPLE, _SET, _FROZEN_SET):
            return {_TUPLE: tuple, _SET: set, _FROZEN_SET: frozenset}[code](self._inner(data))
        raise ProtocolError(f"a value has the unknown type {code}")


def _read_array(data: bytes, *, scalar: bool) -> Any:
    (size,) = struct.unpack_from("<H", data)
    name, shape = msgpack.unpackb(data[2 : 2 + size])
    dtype = np.dtype(str(name))
    if dtype.kind not in _KINDS or dtype.fields is not None or dtype.subdtype is not None:
        raise ProtocolError(f"an array has the dtype {name!r}, which is not allowed")
    array = np.frombuffer(data, dtype, offset=2 + size).reshape([int(extent) for extent in shape])
    if dtype.kind == "U" and (array.view(np.uint32) > 0x10FFFF).any():
        raise ProtocolError("an array of text holds numbers that are no characters")
    return array[()] if scalar and array.shape == () else array.copy()


def decode(data: bytes | memoryview) -> Any:
    """Read a value that a sandbox wrote.

    :raises ProtocolError: if the bytes are not what :func:`encode` gives.
    """
    if len(data) > _MOST_BYTES:
        raise ProtocolError(f"a value takes {len(data)} bytes; at most {_MOST_BYTES} are taken")
    try:
        return _Reader(0).read(data)
    except ProtocolError:
        raise
    except Exception as error:
        raise ProtocolError(f"a value cannot be read: {error!r}") from error
