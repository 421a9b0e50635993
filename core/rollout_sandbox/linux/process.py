"""This process: its name, and what it does when its parent ends."""

from __future__ import annotations

import ctypes
import signal

from rollout_sandbox.linux.calls import LIBC, checked

__all__ = ["SET_NAME", "adopt_orphans", "die_with_parent", "set_name"]

SET_NAME = 15
"""An option of prctl(2)."""

_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


def set_name(name: str) -> None:
    """Name this process as ``ps`` shows it; 15 bytes at most."""
    text = ctypes.create_string_buffer(name.encode())
    checked(LIBC.prctl, SET_NAME, ctypes.addressof(text), 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the thread that made this process ends; a second line only, since it can be cleared."""
    checked(LIBC.prctl, _SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    checked(LIBC.prctl, _SET_CHILD_SUBREAPER, 1, 0, 0, 0)
