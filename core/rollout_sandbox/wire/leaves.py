"""Spaces as trees: a leaf is one field of a frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from rollout_sandbox.errors import UnsupportedSpaceError

__all__ = ["Leaf", "leaves_of"]

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
            return np.dtype(("<U", self.space.max_length))
        assert self.space.dtype is not None
        return np.dtype(np.uint8) if self.space.dtype == bool else np.dtype(self.space.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one value."""
        return () if self.is_text else tuple(self.space.shape or ())

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
        yield Leaf(space, path)
    else:
        place = "".join(f"[{part!r}]" for part in path)
        raise UnsupportedSpaceError(
            f"{type(space).__name__} at space{place} has no fixed size: use Box, Discrete, MultiDiscrete, "
            "MultiBinary, Text, Dict or Tuple, for instance by padding in a wrapper"
        )
