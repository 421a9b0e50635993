"""Spaces as trees: a leaf is one field of a frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from rollout_sandbox.errors import UnsupportedSpaceError

__all__ = ["Leaf", "assemble", "leaves_of", "pick"]

_PLAIN = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


@dataclass(frozen=True)
class Leaf:
    """One array of a frame.

    :param space: what the array is a value of.
    :param path: the keys and positions that lead to it from the outermost space.
    """

    space: spaces.Space[Any]
    path: tuple[str | int, ...]

    @property
    def is_text(self) -> bool:
        """Whether it is a text rather than numbers."""
        return isinstance(self.space, spaces.Text)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements in a frame; truth values travel as bytes, texts as characters."""
        if isinstance(self.space, spaces.Text):
            return np.dtype(("<U", max(self.space.max_length, 1)))
        assert self.space.dtype is not None
        return np.dtype(np.uint8) if self.space.dtype == bool else np.dtype(self.space.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one value."""
        return () if self.is_text else tuple(self.space.shape or ())

    @property
    def size(self) -> int:
        """How many bytes one value takes."""
        if isinstance(self.space, spaces.Text):
            return 4 * self.space.max_length
        return self.dtype.itemsize * math.prod(self.shape)

    @property
    def name(self) -> str:
        """The path as people write it."""
        return "".join(f"[{part!r}]" for part in self.path) or "the observation"


def leaves_of(space: spaces.Space[Any], path: tuple[str | int, ...] = ()) -> Iterator[Leaf]:
    """Walk a space depth first.

    :raises UnsupportedSpaceError: for a space that has no fixed place in a frame.
    """
    if isinstance(space, spaces.Dict):
        for key, inner in space.spaces.items():
            yield from leaves_of(inner, (*path, key))
    elif isinstance(space, spaces.Tuple):
        for index, inner in enumerate(space.spaces):
            yield from leaves_of(inner, (*path, index))
    elif isinstance(space, (*_PLAIN, spaces.Text)):
        yield _checked(Leaf(space, path))
    else:
        raise UnsupportedSpaceError(
            f"{_place(space, path)} has no fixed size: use Box, Discrete, MultiDiscrete, MultiBinary, Text, "
            "Dict or Tuple, for instance by padding in a wrapper"
        )


def _place(space: spaces.Space[Any], path: tuple[str | int, ...]) -> str:
    return f"{type(space).__name__} at space" + "".join(f"[{part!r}]" for part in path)


def _checked(leaf: Leaf) -> Leaf:
    if isinstance(leaf.space, spaces.Text) and "\0" in leaf.space.character_set:
        raise UnsupportedSpaceError(
            f"{_place(leaf.space, leaf.path)} has the character '\\0', which would end a text: leave it out"
        )
    return leaf


def assemble(space: spaces.Space[Any], values: Iterator[Any]) -> Any:
    """Build a value of a nested space from the values of its leaves."""
    if isinstance(space, spaces.Dict):
        return {key: assemble(inner, values) for key, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(assemble(inner, values) for inner in space.spaces)
    return next(values)


def pick(value: Any, path: tuple[str | int, ...]) -> Any:
    """Follow a leaf's path."""
    for part in path:
        value = value[part]
    return value
