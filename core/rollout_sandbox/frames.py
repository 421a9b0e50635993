"""The trainer's memory for what sandboxes answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollout_sandbox.wire.layout import FrameLayout

__all__ = ["Frames"]


class Frames:
    """Two batches of replies in turn, so that the last valid observation outlives a broken one.

    :param num_slots: how many rows.
    """

    def __init__(self, layout: FrameLayout, num_slots: int) -> None:
        self._batches = [np.zeros(num_slots, layout.reply_dtype) for _ in range(2)]
        self._rows = [_rows(batch) for batch in self._batches]
        self._heads = [layout.heads(batch) for batch in self._batches]
        self._checks_values = layout.checks_values
        self._current = 0

    @property
    def replies(self) -> NDArray[Any]:
        """The current batch."""
        return self._batches[self._current]

    @property
    def rows(self) -> list[memoryview]:
        """The bytes of each reply of the current batch."""
        return self._rows[self._current]

    def are_plain(self) -> bool:
        """Whether the current replies hold nothing but observations and rewards, and need no check."""
        return not self._checks_values and not self._heads[self._current].any()

    def flip(self) -> None:
        """Make the other batch the current one."""
        self._current = 1 - self._current

    def restore(self, slot: int) -> None:
        """Take the row over from the batch before, as an episode that still goes on."""
        row = self.replies
        row[slot] = self._batches[1 - self._current][slot]
        for name in ("status", "terminated", "truncated", "reward", "size"):
            row[name][slot] = 0


def _rows(batch: NDArray[Any]) -> list[memoryview]:
    table = batch.view(np.uint8).reshape(len(batch), batch.dtype.itemsize)
    return [memoryview(row) for row in table]  # type: ignore[arg-type]
