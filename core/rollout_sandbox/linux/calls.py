"""The C library, loaded once; every failed call raises ``OSError`` with its errno."""

from __future__ import annotations

import ctypes
import os
from typing import Any

__all__ = ["LIBC", "checked", "encode_path"]

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
LIBC.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]
LIBC.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
LIBC.clone.argtypes = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int),
]


def checked(function: Any, *arguments: Any) -> int:
    """Call a function of the C library.

    :param function: an attribute of :data:`LIBC`.
    :param arguments: its arguments, already converted.
    :return: what it returned, never negative.
    :raises OSError: if it returned a negative number.
    """
    result: int = function(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function.__name__}: {os.strerror(number)}")
    return result


def encode_path(path: str | None) -> bytes | None:
    """Give a path in the form that the C library takes; ``None`` becomes a null pointer."""
    return None if path is None else os.fsencode(path)
