"""Commands that are not steps: a row of their own, and a payload."""

from __future__ import annotations

import pickle
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from rollout_sandbox.wire.commands import Op
from rollout_sandbox.wire.layout import FrameLayout

__all__ = ["as_bytes", "pack_arguments", "pack_order"]


def as_bytes(frame: NDArray[Any]) -> memoryview:
    """Give the memory of a frame, to be sent or filled."""
    view: Any = frame.view(np.uint8)
    return memoryview(view)


def pack_arguments(arguments: Any) -> bytes:
    """Pickle what a command takes; functions and classes of the main script travel by value."""
    try:
        return pickle.dumps(arguments)
    except Exception:
        return bytes(cloudpickle.dumps(arguments))


def pack_order(layout: FrameLayout, op: Op, payload: bytes) -> bytes:
    """Give the bytes of one command.

    :param payload: a pickle; it is read only inside the sandbox.
    """
    command = np.zeros(1, layout.command_dtype)
    command["op"], command["size"] = op, len(payload)
    return command.tobytes() + payload
