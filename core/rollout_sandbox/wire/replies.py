"""How answers that are not values become exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rollout_sandbox.errors import EnvironmentRaisedError, ProtocolError, RemoteTraceback, SandboxError
from rollout_sandbox.wire.commands import Status

if TYPE_CHECKING:
    from rollout_sandbox.slot import Episode

__all__ = ["DROPPED_KEY", "environment_error", "refusal"]

DROPPED_KEY = "__dropped__"
"""Where an info names the keys that could not leave the sandbox."""

_BUILTINS: dict[str, type[Exception]] = {
    "AttributeError": AttributeError, "TypeError": TypeError, "RuntimeError": RuntimeError
}  # fmt: skip


def _texts(value: Any, count: int) -> list[str]:
    if not isinstance(value, list) or len(value) != count:
        raise ProtocolError("a sandbox reported an error in a way that is not understood")
    return [str(text) for text in value]


def environment_error(status: Status, value: Any, slot: int, episode: Episode) -> SandboxError:
    """Make the exception for an environment that raised, or gave an observation that does not fit."""
    where: dict[str, Any] = {
        "sandbox_id": episode.sandbox.id, "slot": slot, "episode": episode.number, "seed": episode.seed
    }  # fmt: skip
    if status == Status.INVALID_OBSERVATION:
        return EnvironmentRaisedError(_texts(value, 1)[0], **where)
    if status == Status.REFUSED:
        return EnvironmentRaisedError(": ".join(_texts(value, 2)), **where)
    summary, remote = _texts(value, 2)
    error = EnvironmentRaisedError(f"the environment raised {summary}", **where)
    error.__cause__ = RemoteTraceback(remote)
    return error


def refusal(value: Any) -> Exception:
    """Make the builtin exception that a refused order stands for."""
    name, message = _texts(value, 2)
    return _BUILTINS.get(name, RuntimeError)(message)
