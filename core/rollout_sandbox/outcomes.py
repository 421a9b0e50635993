"""How an episode ended that the environment itself did not end."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Fault", "FaultKind"]

FaultKind = Literal[
    "crashed",
    "oom_killed",
    "step_timeout",
    "reset_timeout",
    "start_failed",
    "disk_full",
    "process_limit",
    "protocol_error",
    "invalid_observation",
    "cancelled",
]


@dataclass(frozen=True)
class Fault:
    """The end of an episode by something other than the environment's own word.

    :param kind: what happened, as far as it is known: an unknown end is ``"crashed"``, never a guess.
    :param detail: one sentence for a person.
    :param exit_code: with which the environment's process ended, if it did so by itself.
    :param signal: by which its process was ended.
    :param stderr: the last of what it wrote there.
    :param step: how many steps of the episode had been answered.
    """

    kind: FaultKind
    detail: str
    exit_code: int | None = None
    signal: int | None = None
    stderr: str = ""
    sandbox_id: str | None = None
    slot: int | None = None
    episode: int | None = None
    seed: int | None = None
    step: int | None = None

    def as_info(self) -> dict[str, Any]:
        """Give it as the plain dictionary that stands in ``info["sandbox_fault"]``."""
        return asdict(self)
