"""Where observations and actions of an environment lie in a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rollout_sandbox.wire.commands import Status
from rollout_sandbox.wire.leaves import Leaf, leaves_of

__all__ = ["FrameLayout", "InvalidObservation"]

_COMMAND = [("op", "u1"), ("size", "<u4")]
_HEAD = [("status", "u1"), ("terminated", "u1"), ("truncated", "u1"), ("size", "<u4")]
_REPLY = [*_HEAD, ("reward", "<f8")]


class InvalidObservation(ValueError):
    """An observation that does not fit the declared space."""


def _fields(prefix: str, leaves: list[Leaf]) -> list[tuple[str, Any, tuple[int, ...]]]:
    return [(f"{prefix}{number}", leaf.dtype, leaf.shape) for number, leaf in enumerate(leaves)]


def _assemble(space: spaces.Space[Any], values: Iterator[Any]) -> Any:
    """Build a value of a nested space from the values of its leaves."""
    if isinstance(space, spaces.Dict):
        return {key: _assemble(inner, values) for key, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_assemble(inner, values) for inner in space.spaces)
    return next(values)


def _pick(value: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


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

    # the trainer's side

    def heads(self, replies: NDArray[Any]) -> NDArray[np.uint8]:
        """Give a view of the bytes that are all zero while nothing but observations and rewards comes."""
        table = replies.view(np.uint8).reshape(len(replies), self.reply_dtype.itemsize)
        return table[:, : np.dtype(_HEAD).itemsize]

    def write_actions(self, commands: NDArray[Any], actions: Any) -> None:
        """Put a batch of actions, as Gymnasium's vector environments take it, into a batch of commands."""
        for number, leaf in enumerate(self._action_leaves):
            commands[f"a{number}"] = _pick(actions, leaf.path)

    def batch_observation(self, replies: NDArray[Any]) -> Any:
        """Give the observations of a batch of replies, as new arrays."""
        batches = (
            _batch(leaf, replies[f"o{number}"]) for number, leaf in enumerate(self._observation_leaves)
        )
        return _assemble(self.observation_space, batches)

    def observation(self, replies: NDArray[Any], index: int) -> Any:
        """Give the observation of one reply, as a new value."""
        values = (
            _single(leaf, replies[f"o{number}"][index])
            for number, leaf in enumerate(self._observation_leaves)
        )
        return _assemble(self.observation_space, values)

    def find_invalid(self, replies: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Check what sandboxes sent.

        :return: which replies cannot be what was agreed; ``None`` if all can.
        """
        flags = replies["terminated"] | replies["truncated"]
        plausible = flags.max() <= 1 and replies["status"].max() <= max(Status)
        if plausible and not self.checks_values:
            return None
        bad: NDArray[np.bool_] = (flags > 1) | (replies["status"] > max(Status))
        for name in self._truth_fields:
            values = replies[name]
            bad |= (values > 1).reshape(len(values), -1).any(axis=1)
        for name, space in self._texts:
            bad |= [not _is_text(replies[name][index : index + 1], space) for index in range(len(replies))]
        return bad if bad.any() else None

    # the sandbox's side

    def action_reader(self, command: NDArray[Any]) -> Callable[[], Any]:
        """Give a function that reads the action from the one row of ``command``."""
        if not isinstance(self.action_space, spaces.Dict | spaces.Tuple):
            return _leaf_reader(self._action_leaves[0], command["a0"])
        readers = [
            _leaf_reader(leaf, command[f"a{number}"]) for number, leaf in enumerate(self._action_leaves)
        ]
        return lambda: _assemble(self.action_space, (read() for read in readers))

    def observation_writer(self, reply: NDArray[Any]) -> Callable[[Any], None]:
        """Give a function that writes an observation to the one row of ``reply``.

        It raises :class:`InvalidObservation` for what does not fit the space.
        """
        leaves = self._observation_leaves
        writers = [_leaf_writer(leaf, reply[f"o{number}"]) for number, leaf in enumerate(leaves)]
        if len(leaves) == 1 and not leaves[0].path:
            return writers[0]
        paths = [leaf.path for leaf in leaves]

        def write(observation: Any) -> None:
            for path, write_leaf in zip(paths, writers, strict=True):
                try:
                    part = _pick(observation, path)
                except (KeyError, IndexError, TypeError):
                    raise InvalidObservation(f"the observation has nothing at {list(path)}") from None
                write_leaf(part)

        return write


def _is_text(element: NDArray[Any], space: spaces.Text) -> bool:
    """Whether characters are characters: NumPy fails on numbers that are none."""
    points = element.view(np.uint32)
    return bool((points < 0x110000).all()) and str(element[0]) in space


def _leaf_reader(leaf: Leaf, column: NDArray[Any]) -> Callable[[], Any]:
    if leaf.is_text:
        return lambda: str(column[0])
    if isinstance(leaf.space, spaces.Discrete):
        scalar = leaf.dtype.type
        return lambda: scalar(column[0])
    return lambda: column[0].astype(leaf.space.dtype)


def _leaf_writer(leaf: Leaf, column: NDArray[Any]) -> Callable[[Any], None]:
    shape = leaf.shape
    if leaf.is_text:
        return _text_writer(leaf, column)
    declared = np.dtype(leaf.space.dtype)

    def write(value: Any) -> None:
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
        if array.shape != shape:
            raise InvalidObservation(
                f"{leaf.name} has shape {array.shape}, but the space declares {shape}: "
                "correct the environment's space or what it returns"
            )
        if array.dtype != declared and not np.can_cast(array.dtype, declared, "same_kind"):
            raise InvalidObservation(
                f"{leaf.name} has dtype {array.dtype}, which does not fit the declared {declared}: "
                "correct the environment's space or what it returns"
            )
        column[0] = array

    return write


def _text_writer(leaf: Leaf, column: NDArray[Any]) -> Callable[[Any], None]:
    space = leaf.space

    def write(value: Any) -> None:
        if value not in space:
            raise InvalidObservation(f"{leaf.name} is {value!r}, which is not in {space}")
        column[0] = value

    return write
