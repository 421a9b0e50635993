"""Arrays as bytes; only such whose bytes hold no pointers."""

from __future__ import annotations

import re
import struct
from typing import Any

import msgpack
import numpy as np

from rollout_sandbox.errors import ProtocolError

__all__ = ["read_array", "write_array"]

_PLAIN_DTYPE = re.compile(r"[<>|]([biufc]\d\d?|[SU][1-9]\d*|[mM]8(\[\d*[A-Za-z]+\])?)")


def write_array(value: np.ndarray[Any, Any] | np.generic) -> bytes:
    """Give an array's type, shape and content.

    :raises TypeError: if it holds anything but plain values.
    """
    if type(value) is not np.ndarray and not isinstance(value, np.generic):
        raise TypeError(f"a {type(value).__name__} cannot leave a sandbox: give a plain array")
    array = np.asarray(value)
    if not _PLAIN_DTYPE.fullmatch(array.dtype.str):
        raise TypeError(f"an array of dtype {array.dtype} cannot leave a sandbox: give numbers")
    header: bytes = msgpack.packb([array.dtype.str, list(array.shape)])
    return struct.pack("<H", len(header)) + header + array.tobytes()


def read_array(data: bytes, *, scalar: bool) -> Any:
    """Read what :func:`write_array` gave, or anything else."""
    (size,) = struct.unpack_from("<H", data)
    name, shape = msgpack.unpackb(data[2 : 2 + size])
    if not _PLAIN_DTYPE.fullmatch(name):
        raise ProtocolError(f"an array has the dtype {name!r}, which is not allowed")
    if not all(type(extent) is int and extent >= 0 for extent in shape):
        raise ProtocolError(f"an array has the shape {shape!r}, which is none")
    dtype = np.dtype(name)
    _check_content(dtype, memoryview(data)[2 + size :])
    array = np.frombuffer(data, dtype, offset=2 + size).reshape(shape)
    return array[()] if scalar and array.shape == () else array.copy()


def _check_content(dtype: np.dtype[Any], content: memoryview) -> None:
    """Refuse truth values that are neither and characters that are none: NumPy trusts them."""
    if dtype.kind == "U" and (np.frombuffer(content, dtype.byteorder + "u4") > 0x10FFFF).any():
        raise ProtocolError("an array of text holds numbers that are no characters")
    if dtype.kind == "b" and (np.frombuffer(content, np.uint8) > 1).any():
        raise ProtocolError("an array of truth values holds other numbers")
