"""What a recognised factory would have wrapped its environment in, kept for the trainer's side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["MonitorRecipe"]


@dataclass(frozen=True)
class MonitorRecipe:
    """The arguments of a monitor.

    :param filename: where it writes, or ``None``.
    :param kwargs: its further arguments.
    """

    filename: str | None = None
    kwargs: dict[str, Any] = field(default_factory=dict)
