"""How an environment's actions are read from, and its observations written to, its own frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rollout_sandbox.wire.leaves import Leaf, assemble, leaves_of, pick

__all__ = ["InvalidObservation", "action_reader", "observation_writer"]


class InvalidObservation(ValueError):
    """An observation that does not fit the declared space."""


def action_reader(space: spaces.Space[Any], command: NDArray[Any]) -> Callable[[], Any]:
    """Give a function that reads the action from the one row of ``command``."""
    readers = [_leaf_reader(leaf, command[f"a{number}"]) for number, leaf in enumerate(leaves_of(space))]
    if not isinstance(space, spaces.Dict | spaces.Tuple):
        return readers[0]
    return lambda: assemble(space, (read() for read in readers))


def observation_writer(space: spaces.Space[Any], reply: NDArray[Any]) -> Callable[[Any], None]:
    """Give a function that writes an observation to the one row of ``reply``.

    It raises :class:`InvalidObservation` for what does not fit the space.
    """
    writers = [
        (leaf.path, _leaf_writer(leaf, reply[f"o{number}"])) for number, leaf in enumerate(leaves_of(space))
    ]
    if not isinstance(space, spaces.Dict | spaces.Tuple):
        return writers[0][1]

    def write(observation: Any) -> None:
        for path, write_leaf in writers:
            try:
                part = pick(observation, path)
            except (KeyError, IndexError, TypeError):
                raise InvalidObservation(f"the observation has nothing at {list(path)}") from None
            write_leaf(part)

    return write


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
        array = value if isinstance(value, np.ndarray) else _as_array(leaf, value)
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


def _as_array(leaf: Leaf, value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InvalidObservation(f"{leaf.name} is no array: {error}") from None


def _text_writer(leaf: Leaf, column: NDArray[Any]) -> Callable[[Any], None]:
    space = leaf.space

    def write(value: Any) -> None:
        if value not in space:
            raise InvalidObservation(f"{leaf.name} is {value!r}, which is not in {space}")
        column[0] = value

    return write
