"""What MessagePack itself has no word for, and how large a value may be."""

from __future__ import annotations

import enum

__all__ = ["MOST_BYTES", "MOST_DEPTH", "MOST_INT_BYTES", "Extension"]

MOST_BYTES = 64 << 20
"""The size of the largest value that travels."""
MOST_DEPTH = 32
"""How many containers may lie in one another."""
MOST_INT_BYTES = 1700
"""The size of the largest whole number: about what Python writes out in digits."""


class Extension(enum.IntEnum):
    """The codes of extension types."""

    TUPLE = 1
    SET = 2
    FROZEN_SET = 3
    COMPLEX = 4
    ARRAY = 5
    SCALAR = 6
    BIG_INT = 7
    DICT = 8
    TEXT = 9
