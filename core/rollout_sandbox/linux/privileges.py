"""Identity and capabilities of this process."""

from __future__ import annotations

import ctypes
import os

from rollout_sandbox.linux.calls import LIBC, checked

__all__ = [
    "NO_CAPABILITIES",
    "SET_DUMPABLE",
    "SET_NO_NEW_PRIVILEGES",
    "become",
    "become_with_capabilities",
    "drop_capabilities",
]

SET_DUMPABLE, SET_NO_NEW_PRIVILEGES = 4, 38
"""Options of prctl(2)."""

_CAPABILITY_VERSION_3 = 0x20080522
_SET_KEEP_CAPABILITIES = 8
_Header = ctypes.c_uint32 * 2
_Sets = ctypes.c_uint32 * 6  # effective, permitted, inheritable; then the upper 32 bits of each

NO_CAPABILITIES = bytes(_Header(_CAPABILITY_VERSION_3, 0)), bytes(_Sets())
"""The two structures with which capset(2) gives up all."""


def become(uid: int, gid: int) -> None:
    """Take a real, effective and saved identity; the process stays readable to itself under ``/proc``."""
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    checked(LIBC.prctl, SET_DUMPABLE, 1, 0, 0, 0)


def become_with_capabilities(uid: int, gid: int) -> None:
    """Take an identity and keep the capabilities that the process has in its user namespace."""
    checked(LIBC.prctl, _SET_KEEP_CAPABILITIES, 1, 0, 0, 0)
    become(uid, gid)
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), _Sets()
    checked(LIBC.capget, header, sets)
    sets[0], sets[3] = sets[1], sets[4]
    checked(LIBC.capset, header, sets)


def drop_capabilities() -> None:
    """Give up every capability, and every way to gain one by running a program."""
    checked(LIBC.prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    checked(LIBC.capset, _Header(_CAPABILITY_VERSION_3, 0), _Sets())
