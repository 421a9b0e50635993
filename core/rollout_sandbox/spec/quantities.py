"""Sizes and durations, as numbers or as people write them."""

from __future__ import annotations

import math
import re
from typing import Any

from rollout_sandbox.errors import SpecError

__all__ = ["check_count", "check_positive", "parse_seconds", "parse_size"]

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def parse_size(field: str, value: Any, smallest: int) -> int:
    """Read a number of bytes, or a text such as ``"512M"`` (units of 1024).

    :param field: the name to blame.
    :raises SpecError: if it is neither, or smaller than allowed.
    """
    size = -1
    if _is_number(value):
        size = int(value)
    elif isinstance(value, str) and (match := _SIZE.fullmatch(value.strip())):
        size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))
    if size < smallest:
        raise SpecError(
            f"{field}={value!r} is not a usable size: give at least {smallest} bytes, "
            "as a number or as text such as '512M'"
        )
    return size


def parse_seconds(field: str, value: Any) -> float:
    """Read a number of seconds, or a text such as ``"200ms"``, ``"1.5s"`` or ``"2m"``.

    :raises SpecError: if it is neither, or not above 0.
    """
    seconds = -1.0
    if _is_number(value):
        seconds = float(value)
    elif isinstance(value, str) and (match := _DURATION.fullmatch(value.strip())):
        seconds = float(match[1]) * _SECONDS[match[2].lower()]
    if seconds <= 0:
        raise SpecError(
            f"{field}={value!r} is not a usable time: give seconds above 0, or text such as '200ms' or '2m'"
        )
    return seconds


def check_positive(field: str, value: Any) -> float:
    """Take a number above 0.

    :raises SpecError: if it is anything else.
    """
    if not _is_number(value) or value <= 0:
        raise SpecError(f"{field}={value!r} is not usable: give a number above 0, or None for no limit")
    return float(value)


def check_count(field: str, value: Any) -> int:
    """Take a whole number of at least 1.

    :raises SpecError: if it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SpecError(
            f"{field}={value!r} is not usable: give a whole number of at least 1, or None for no limit"
        )
    return value
