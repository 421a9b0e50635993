"""Which modules want to hear of a fork (``os.register_at_fork``)."""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["are_needed", "watch"]

_HARMLESS = {"random", "threading", "logging", "concurrent.futures.thread"}
"""Those renew locks that no other thread can hold here, or a random state that every episode gets anew."""

_others: set[str] = set()


def watch() -> None:
    """Take note of every module that registers from now on."""
    register = os.register_at_fork

    def note(**hooks: Any) -> None:
        name = sys._getframe(1).f_globals.get("__name__", "")
        if name not in _HARMLESS:
            _others.add(name)
        register(**hooks)

    os.register_at_fork = note


def are_needed() -> bool:
    """Whether a fork without hooks would not be what some module expects."""
    return bool(_others)
