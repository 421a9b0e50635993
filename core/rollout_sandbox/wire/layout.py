"""Where observations and actions of an environment lie in a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rollout_sandbox.errors import UnsupportedSpaceError
from rollout_sandbox.wire.commands import Status
from rollout_sandbox.wire.extensions import MOST_BYTES
from rollout_sandbox.wire.leaves import Leaf, assemble, leaves_of, pick

__all__ = ["FrameLayout"]

_COMMAND = [("op", "u1"), ("size", "<u4")]
_HEAD = [("status", "u1"), ("terminated", "u1"), ("truncated", "u1"), ("size", "<u4")]
_REPLY = [*_HEAD, ("reward", "<f8")]
_MOST_BYTES = 1 << 28


def _fields(prefix: str, leaves: list[Leaf]) -> list[tuple[str, Any, tuple[int, ...]]]:
    size = sum(leaf.size for leaf in leaves)
    if size > _MOST_BYTES:
        raise UnsupportedSpaceError(
            f"one value of the space takes {size} bytes, but at most {_MOST_BYTES} fit in a frame: give less"
        )
    return [(f"{prefix}{number}", leaf.dtype, leaf.shape) for number, leaf in enumerate(leaves)]


def _batch(leaf: Leaf, column: NDArray[Any]) -> Any:
    if leaf.is_text:
        return tuple(str(text) for text in column)
    return column.astype(leaf.space.dtype) if leaf.space.dtype != column.dtype else column.copy()


def _single(leaf: Leaf, element: Any) -> Any:
    if leaf.is_text:
        return str(element)
    if isinstance(leaf.space, spaces.Discrete):
        return leaf.dtype.type(element)
    return np.array(element, dtype=leaf.space.dtype)


class FrameLayout:
    """The frames of one environment, one structured scalar in each direction.

    :param observation_space: of the single environment.
    :param action_space: of the single environment.
    :raises UnsupportedSpaceError: if a space has no fixed place in a frame.
    """

    def __init__(self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any]) -> None:
        self.observation_space, self.action_space = observation_space, action_space
        self._observation_leaves = list(leaves_of(observation_space))
        self._action_leaves = list(leaves_of(action_space))
        self.command_dtype = np.dtype([*_COMMAND, *_fields("a", self._action_leaves)])
        self.reply_dtype = np.dtype([*_REPLY, *_fields("o", self._observation_leaves)])
        self._truth_fields = [
            f"o{number}" for number, leaf in enumerate(self._observation_leaves) if leaf.space.dtype == bool
        ]
        self._texts = [
            (f"o{number}", leaf.space)
            for number, leaf in enumerate(self._observation_leaves)
            if isinstance(leaf.space, spaces.Text)
        ]

        self.checks_values = bool(self._truth_fields or self._texts)

    def heads(self, replies: NDArray[Any]) -> NDArray[np.uint8]:
        """Give a view of the bytes that are all zero while nothing but observations and rewards comes."""
        table = replies.view(np.uint8).reshape(len(replies), self.reply_dtype.itemsize)
        return table[:, : np.dtype(_HEAD).itemsize]

    def write_actions(self, commands: NDArray[Any], actions: Any) -> None:
        """Put a batch of actions, as Gymnasium's vector environments take it, into a batch of commands."""
        for number, leaf in enumerate(self._action_leaves):
            commands[f"a{number}"] = pick(actions, leaf.path)

    def batch_observation(self, replies: NDArray[Any]) -> Any:
        """Give the observations of a batch of replies, as new arrays."""
        batches = (
            _batch(leaf, replies[f"o{number}"]) for number, leaf in enumerate(self._observation_leaves)
        )
        return assemble(self.observation_space, batches)

    def observation(self, replies: NDArray[Any], index: int) -> Any:
        """Give the observation of one reply, as a new value."""
        values = (
            _single(leaf, replies[f"o{number}"][index])
            for number, leaf in enumerate(self._observation_leaves)
        )
        return assemble(self.observation_space, values)

    def find_invalid(self, replies: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Check what sandboxes sent.

        :return: which replies cannot be what was agreed; ``None`` if all can.
        """
        flags = replies["terminated"] | replies["truncated"]
        bad: NDArray[np.bool_] = flags > 1
        bad |= (replies["status"] > max(Status)) | (replies["size"] > MOST_BYTES)
        for name in self._truth_fields:
            values = replies[name]
            bad |= (values > 1).reshape(len(values), -1).any(axis=1)
        for name, space in self._texts:
            bad |= [not _is_text(replies[name][index : index + 1], space) for index in range(len(replies))]
        return bad if bad.any() else None


def _is_text(element: NDArray[Any], space: spaces.Text) -> bool:
    """Whether characters are characters: NumPy fails on numbers that are none."""
    points = element.view(np.uint32)
    return bool((points < 0x110000).all()) and str(element[0]) in space
