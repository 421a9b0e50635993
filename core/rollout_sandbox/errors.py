"""Everything that can go wrong, one tree; each error is ours and a builtin.

* SandboxError
    * SpecError (ValueError)
    * UnsupportedSpaceError (TypeError)
    * BackendUnavailableError (RuntimeError)
        * LimitsNotEnforceableError
    * TemplateError (RuntimeError)
    * SandboxStartError (RuntimeError)
    * SandboxTimeoutError (TimeoutError)
    * SandboxCrashedError (ConnectionError)
    * ProtocolError (ValueError)
    * FaultBudgetError (RuntimeError)
    * EnvironmentRaisedError (RuntimeError), its cause is a RemoteTraceback
    * ClosedError (RuntimeError)
    * PluginError (RuntimeError)
* RemoteTraceback (Exception)
* SandboxWarning (UserWarning)
    * LimitsNotEnforcedWarning
    * SnapshotFallbackWarning
    * InfoDroppedWarning
    * LostMethodCallWarning
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BackendUnavailableError",
    "ClosedError",
    "EnvironmentRaisedError",
    "FaultBudgetError",
    "InfoDroppedWarning",
    "LimitsNotEnforceableError",
    "LimitsNotEnforcedWarning",
    "LostMethodCallWarning",
    "PluginError",
    "ProtocolError",
    "RemoteTraceback",
    "SandboxCrashedError",
    "SandboxError",
    "SandboxStartError",
    "SandboxTimeoutError",
    "SandboxWarning",
    "SnapshotFallbackWarning",
    "SpecError",
    "TemplateError",
    "UnsupportedSpaceError",
]

_WHERE = ("sandbox_id", "slot", "episode", "seed")


class SandboxError(Exception):
    """The root of every error of this package.

    :param message: what happened, why, and what to do.
    :param sandbox_id: the sandbox it happened in, if one is known.
    :param slot: its position in the vectorised environment.
    :param episode: the episode's number in that slot.
    :param seed: the episode's seed.
    """

    def __init__(
        self,
        message: str = "",
        *,
        sandbox_id: str | None = None,
        slot: int | None = None,
        episode: int | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sandbox_id, self.slot, self.episode, self.seed = sandbox_id, slot, episode, seed

    def __str__(self) -> str:
        known = [f"{name}={getattr(self, name)}" for name in _WHERE if getattr(self, name) is not None]
        return f"{self.message} [{', '.join(known)}]" if known else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,), {name: getattr(self, name) for name in _WHERE}


class SpecError(SandboxError, ValueError):
    """A field of a specification has a value that cannot be used; the message names the field."""


class UnsupportedSpaceError(SandboxError, TypeError):
    """An observation or action space that cannot travel to and from a sandbox."""


class BackendUnavailableError(SandboxError, RuntimeError):
    """A backend cannot work on this machine; the message says what is missing."""


class LimitsNotEnforceableError(BackendUnavailableError):
    """A limit was asked for that this machine cannot enforce."""


class TemplateError(SandboxError, RuntimeError):
    """The environment could not be built; the cause carries the traceback from where it was tried."""


class SandboxStartError(SandboxError, RuntimeError):
    """A sandbox did not come up."""


class SandboxTimeoutError(SandboxError, TimeoutError):
    """A sandbox did not answer in time."""


class SandboxCrashedError(SandboxError, ConnectionError):
    """A sandbox ended without an answer."""


class ProtocolError(SandboxError, ValueError):
    """A sandbox sent bytes that are not what was agreed."""


class FaultBudgetError(SandboxError, RuntimeError):
    """Too many faults in a row, without a good step between them."""


class EnvironmentRaisedError(SandboxError, RuntimeError):
    """The environment raised an exception; the cause carries its traceback."""


class ClosedError(SandboxError, RuntimeError):
    """Something was used after it was closed."""


class PluginError(SandboxError, RuntimeError):
    """A plugin could not be loaded or found; the message names it."""


class RemoteTraceback(Exception):
    """A traceback from inside a sandbox, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}" if self.args else ""


class SandboxWarning(UserWarning):
    """The root of every warning of this package."""


class LimitsNotEnforcedWarning(SandboxWarning):
    """A default limit is not enforced on this machine."""


class SnapshotFallbackWarning(SandboxWarning):
    """The environment cannot be forked after construction, so it is constructed in every episode."""


class InfoDroppedWarning(SandboxWarning):
    """A key of an info dictionary could not leave the sandbox."""


class LostMethodCallWarning(SandboxWarning):
    """What a method call changed ends with its episode."""
