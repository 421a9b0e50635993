"""What a trainer asks of a sandbox, and how the sandbox answers."""

from __future__ import annotations

import enum

__all__ = ["Op", "Status"]


class Op(enum.IntEnum):
    """The first byte of a command."""

    STEP = 0
    RESET = 1
    CALL = 2
    GET_ATTR = 3
    SET_ATTR = 4


class Status(enum.IntEnum):
    """The first byte of a reply."""

    OK = 0
    """The payload is an info, or the value asked for."""
    ENV_RAISED = 1
    """The payload is a text pair: what was raised, and its traceback."""
    REFUSED = 2
    """The payload is a text pair: a builtin's name and a message; the environment goes on."""
    INVALID_OBSERVATION = 3
    """The payload is a text: what does not fit the declared space."""
