"""The system calls that an environment may make: an allow-list, as a seccomp filter (seccomp(2))."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable, Iterator

from rollout_sandbox.linux.calls import LIBC, checked
from rollout_sandbox.linux.mounts import PROC_FLAGS
from rollout_sandbox.linux.namespaces import Namespace
from rollout_sandbox.linux.privileges import SET_NO_NEW_PRIVILEGES
from rollout_sandbox.linux.syscall_numbers import ALLOWED, ENTERING, FILTERED

__all__ = [
    "FILTER_MODE",
    "SET_SECCOMP",
    "apply_filter",
    "environment_filter",
    "filter_program",
    "narrowing_filter",
    "template_filter",
]

SET_SECCOMP, FILTER_MODE = 22, 2
"""An option of prctl(2), and the value it takes."""


_AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; arguments take 8 bytes each
_LOAD, _EQUAL, _AT_LEAST, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x25, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_X32_BIT = 0x40000000
_UNIX, _INET, _INET6, _NETLINK, _NETLINK_ROUTE = 1, 2, 10, 16, 0


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Encode one instruction; jumps count the instructions to skip."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Join neighbouring numbers, so that the filter stays short."""
    first = last = -1
    for number in sorted(numbers):
        if first >= 0 and number != last + 1:
            yield first, last
            first = number
        elif first < 0:
            first = number
        last = number
    if first >= 0:
        yield first, last


def _check_machine(machine: str) -> list[bytes]:
    """Kill whoever calls with another processor's numbers: they would mean other calls."""
    return [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, _AUDIT_ARCHITECTURE[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32_BIT, 0, 1),
        _step(_RETURN, _KILL),
    ]


def _when(number: int, body: list[bytes]) -> list[bytes]:
    """Run a body that always returns, for one system call."""
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _check_clone() -> list[bytes]:
    """Allow processes and threads, refuse new namespaces."""
    return [
        _step(_LOAD, _ARGUMENT),
        _step(_ANY_BIT, sum(Namespace), 0, 1),
        _step(_RETURN, _ERRNO | errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _check_socket() -> list[bytes]:
    """Allow the families that stay inside a network namespace: AF_VSOCK, for one, does not."""
    return [
        _step(_LOAD, _ARGUMENT),
        _step(_EQUAL, _UNIX, 5, 0),
        _step(_EQUAL, _INET, 4, 0),
        _step(_EQUAL, _INET6, 3, 0),
        _step(_EQUAL, _NETLINK, 0, 3),
        _step(_LOAD, _ARGUMENT + 2 * 8),
        _step(_EQUAL, _NETLINK_ROUTE, 0, 1),
        _step(_RETURN, _ALLOW),
        _step(_RETURN, _ERRNO | errno.EAFNOSUPPORT),
    ]


def _check_argument(index: int, value: int) -> list[bytes]:
    """Allow a call only where one argument has exactly this value."""
    return [
        _step(_LOAD, _ARGUMENT + index * 8),
        _step(_EQUAL, value, 0, 1),
        _step(_RETURN, _ALLOW),
        _step(_RETURN, _ERRNO | errno.EPERM),
    ]


def _check_entering(machine: str) -> list[bytes]:
    """Allow what a template's child needs to enter its cell, and no mount but that of ``/proc``."""
    numbers = ENTERING[machine]
    return [
        *_when(numbers["setns"], [_step(_RETURN, _ALLOW)]),
        *_when(numbers["unshare"], _check_argument(0, Namespace.CGROUP)),
        *_when(numbers["mount"], _check_argument(3, PROC_FLAGS)),
    ]


def _allow_list(machine: str, before: list[bytes]) -> bytes:
    special = FILTERED[machine]
    steps = [*_check_machine(machine), *before]
    steps += _when(special["clone3"], [_step(_RETURN, _ERRNO | errno.ENOSYS)])
    steps += _when(special["clone"], _check_clone())
    steps += _when(special["socket"], _check_socket())
    for first, last in _ranges(ALLOWED[machine].values()):
        steps += [_step(_AT_LEAST, first, 0, 2), _step(_ABOVE, last, 1, 0), _step(_RETURN, _ALLOW)]
    return b"".join([*steps, _step(_RETURN, _ERRNO | errno.EPERM)])


def _known(machine: str | None) -> str:
    machine = machine or platform.machine()
    if machine not in ALLOWED:
        known = ", ".join(sorted(ALLOWED))
        raise OSError(
            errno.ENOSYS, f"no table of system calls for {machine!r}: the native backend works on {known}"
        )
    return machine


def environment_filter(machine: str | None = None) -> bytes:
    """Build the filter of an episode.

    ``clone3`` answers ``ENOSYS``, which makes the C library fall back to ``clone``, whose flags can be read.

    :param machine: a processor as ``platform.machine()`` names it; default: this one.
    :return: the instructions, 8 bytes each.
    :raises OSError: ``ENOSYS`` for a processor without a table.
    """
    return _allow_list(_known(machine), [])


def template_filter(machine: str | None = None) -> bytes:
    """Build the filter of a template: an episode's, and what its children need to enter their cells."""
    machine = _known(machine)
    return _allow_list(machine, _check_entering(machine))


def narrowing_filter(machine: str | None = None) -> bytes:
    """Build what turns a template's filter into an episode's, once the cell is entered."""
    machine = _known(machine)
    refusal = [_step(_RETURN, _ERRNO | errno.EPERM)]
    steps = _check_machine(machine)
    for number in ENTERING[machine].values():
        steps += _when(number, refusal)
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_program(address: int, size: int) -> bytes:
    """Give the ``struct sock_fprog`` that names a filter.

    :param address: of its instructions.
    :param size: of them, in bytes.
    """
    return bytes(_Program(size // 8, address))


def apply_filter(instructions: bytes) -> None:
    """Confine this process and all it will start, for good.

    :param instructions: what one of the functions above gave.
    """
    memory = ctypes.create_string_buffer(instructions)
    program = _Program(len(instructions) // 8, ctypes.addressof(memory))
    checked(LIBC.prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    checked(LIBC.prctl, SET_SECCOMP, FILTER_MODE, ctypes.addressof(program), 0, 0)
