"""Reads values that a sandbox wrote; nothing in them is run."""

from __future__ import annotations

import struct
from itertools import chain
from typing import Any

import msgpack

from rollout_sandbox.errors import ProtocolError
from rollout_sandbox.wire.arrays import read_array
from rollout_sandbox.wire.extensions import MOST_BYTES, MOST_DEPTH, MOST_INT_BYTES, Extension

__all__ = ["decode"]

_MOST_COPIED = 4 * MOST_BYTES
_FROM_LIST: dict[int, type[Any]] = {
    Extension.TUPLE: tuple, Extension.SET: set, Extension.FROZEN_SET: frozenset
}  # fmt: skip
_CONTAINERS = (list, dict, tuple, set, frozenset)


class _Reader:
    """Reads one value; extensions are messages inside of messages, and each level is a copy."""

    def __init__(self) -> None:
        self._depth, self._copied = 0, 0

    def read(self, data: Any) -> Any:
        return msgpack.unpackb(data, raw=False, strict_map_key=True, timestamp=1, ext_hook=self._raise_up)

    def _inner(self, data: bytes) -> list[Any]:
        self._depth, self._copied = self._depth + 1, self._copied + len(data)
        if self._depth > MOST_DEPTH or self._copied > _MOST_COPIED:
            raise ProtocolError("a value is too deep or too large")
        items = self.read(data)
        self._depth -= 1
        if not isinstance(items, list):
            raise ProtocolError("a container does not hold a list")
        return items

    def _raise_up(self, code: int, data: bytes) -> Any:
        if code in (Extension.ARRAY, Extension.SCALAR):
            return read_array(data, scalar=code == Extension.SCALAR)
        if code == Extension.COMPLEX:
            return complex(*struct.unpack("<dd", data))
        if code == Extension.BIG_INT:
            return _read_int(data)
        if code == Extension.TEXT:
            return data.decode("utf-8", "surrogatepass")
        if code == Extension.DICT:
            parts = self._inner(data)
            return dict(zip(parts[::2], parts[1::2], strict=True))
        if container := _FROM_LIST.get(code):
            return container(self._inner(data))
        raise ProtocolError(f"a value has the unknown type {code}")


def _read_int(data: bytes) -> int:
    if len(data) > MOST_INT_BYTES:
        raise ProtocolError(f"an int takes {len(data)} bytes; at most {MOST_INT_BYTES} are taken")
    return int.from_bytes(data, "little", signed=True)


def _check_tree(value: Any) -> None:
    """Refuse what is deeper than :func:`encode` lets pass; messages of MessagePack itself nest at no cost."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        level = [
            inner
            for item in level
            if isinstance(item, _CONTAINERS)
            for inner in (chain.from_iterable(item.items()) if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise ProtocolError(f"a value is nested more than {MOST_DEPTH} deep")


def decode(data: bytes | memoryview) -> Any:
    """Read a value that a sandbox wrote.

    :raises ProtocolError: if the bytes are not what :func:`encode` gives.
    """
    if len(data) > MOST_BYTES:
        raise ProtocolError(f"a value takes {len(data)} bytes; at most {MOST_BYTES} are taken")
    try:
        value = _Reader().read(data)
        _check_tree(value)
    except ProtocolError:
        raise
    except Exception as error:
        raise ProtocolError(f"a value cannot be read: {error!r}") from error
    return value
