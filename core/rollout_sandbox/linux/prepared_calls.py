"""System calls whose arguments are made ready before a fork, so that the copy runs hardly any Python.

Every page that a copied process writes to must be copied first, and Python writes to pages wherever it runs.
"""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterable

from rollout_sandbox.linux.syscall_numbers import ALLOWED, ENTERING

__all__ = ["Call", "PreparedCalls", "fork_quietly", "make_calls"]

Call = tuple[int, int, int, int, int, int, int]
"""The number of a system call and its arguments; memory is given by its address."""

_NUMBERS = ALLOWED.get(platform.machine(), {}) | ENTERING.get(platform.machine(), {})
_LIBC = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock: nothing is written for that
_SYSCALL, _FORK = _LIBC.syscall, _LIBC.fork
_SYSCALL.argtypes, _SYSCALL.restype = [ctypes.c_long] * 7, ctypes.c_long


def fork_quietly() -> int:
    """Fork without running what modules registered with ``os.register_at_fork``.

    Those of the standard library renew locks that no other thread of a single-threaded process can hold.

    :return: as ``os.fork``.
    """
    pid: int = _FORK()
    if pid < 0:
        _raise("fork")
    return pid


def _raise(name: str) -> None:
    number = ctypes.get_errno()
    raise OSError(number, f"{name}: {os.strerror(number)}")


def make_calls(calls: Iterable[Call]) -> None:
    """Make calls one after another.

    :raises OSError: at the first that fails.
    """
    for call in calls:
        if _SYSCALL(*call) < 0:
            _raise(f"system call {call[0]}")


class PreparedCalls:
    """Makes calls ready, and keeps the memory that they point to."""

    def __init__(self) -> None:
        self._memory: list[ctypes.Array[ctypes.c_char]] = []

    def prepare(self, name: str, *arguments: int | bytes | None) -> Call:
        """Make one call ready.

        :param arguments: numbers as they are; bytes by address, with a zero after them; ``None``: no address.
        """
        numbers = [self._number(argument) for argument in arguments]
        return (_NUMBERS[name], *numbers, *[0] * (6 - len(numbers)))  # type: ignore[return-value]

    def _number(self, argument: int | bytes | None) -> int:
        if isinstance(argument, bytes):
            return self.keep(argument)
        return int(argument or 0)

    def keep(self, content: bytes) -> int:
        """Put bytes, and a zero after them, where they stay; give the address."""
        self._memory.append(ctypes.create_string_buffer(content))
        return ctypes.addressof(self._memory[-1])
