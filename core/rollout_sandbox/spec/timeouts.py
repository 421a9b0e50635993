"""How long the trainer waits for a sandbox."""

from __future__ import annotations

from typing import Any

from rollout_sandbox.spec.frozen import Frozen
from rollout_sandbox.spec.quantities import parse_seconds

__all__ = ["Timeouts"]

_DEFAULTS: dict[str, Any] = {"start": 60, "reset": 60, "step": 60, "close": 10}


class Timeouts(Frozen):
    """Seconds, or text such as ``"200ms"``.

    :param start: for building the environment once.
    :param reset: for a sandbox to come up and reset its environment.
    :param step: for one step, or one call of a method.
    :param close: for everything to end.
    :raises SpecError: if a value cannot be used; the message names it.
    """

    start: float
    reset: float
    step: float
    close: float

    def __init__(self, **timeouts: Any) -> None:
        self._reject_unknown(timeouts, _DEFAULTS)
        values = _DEFAULTS | timeouts
        self._set(**{name: parse_seconds(f"timeouts.{name}", value) for name, value in values.items()})
