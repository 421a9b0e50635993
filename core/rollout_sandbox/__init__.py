"""Reinforcement learning in which every episode runs in its own fresh container.

Names are loaded when they are first used: the processes around a sandbox import parts of this package
and must stay small.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rollout_sandbox.backends.inline import InlineBackend
    from rollout_sandbox.backends.native import NativeBackend
    from rollout_sandbox.errors import (
        BackendUnavailableError,
        ClosedError,
        EnvironmentRaisedError,
        FaultBudgetError,
        InfoDroppedWarning,
        LimitsNotEnforceableError,
        LimitsNotEnforcedWarning,
        LostMethodCallWarning,
        PluginError,
        ProtocolError,
        RemoteTraceback,
        SandboxCrashedError,
        SandboxError,
        SandboxStartError,
        SandboxTimeoutError,
        SandboxWarning,
        SnapshotFallbackWarning,
        SpecError,
        TemplateError,
        UnsupportedSpaceError,
    )
    from rollout_sandbox.make import make_vec
    from rollout_sandbox.outcomes import Fault
    from rollout_sandbox.spec import Limits, Mount, Network, SandboxSpec, Timeouts
    from rollout_sandbox.vec_env import SandboxedVecEnv

__version__ = "0.1.0.dev0"

_HOMES = {
    "InlineBackend": "backends.inline",
    "NativeBackend": "backends.native",
    "make_vec": "make",
    "Fault": "outcomes",
    "Limits": "spec",
    "Mount": "spec",
    "Network": "spec",
    "SandboxSpec": "spec",
    "Timeouts": "spec",
    "SandboxedVecEnv": "vec_env",
}

__all__ = [
    "BackendUnavailableError",
    "ClosedError",
    "EnvironmentRaisedError",
    "Fault",
    "FaultBudgetError",
    "InfoDroppedWarning",
    "InlineBackend",
    "Limits",
    "LimitsNotEnforceableError",
    "LimitsNotEnforcedWarning",
    "LostMethodCallWarning",
    "Mount",
    "NativeBackend",
    "Network",
    "PluginError",
    "ProtocolError",
    "RemoteTraceback",
    "SandboxCrashedError",
    "SandboxError",
    "SandboxSpec",
    "SandboxStartError",
    "SandboxTimeoutError",
    "SandboxWarning",
    "SandboxedVecEnv",
    "SnapshotFallbackWarning",
    "SpecError",
    "TemplateError",
    "Timeouts",
    "UnsupportedSpaceError",
    "__version__",
    "make_vec",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
