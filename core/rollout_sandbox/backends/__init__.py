"""The ways to isolate episodes, by name."""

from __future__ import annotations

from rollout_sandbox.backends.base import Backend
from rollout_sandbox.backends.inline import InlineBackend
from rollout_sandbox.backends.native import NativeBackend
from rollout_sandbox.errors import BackendUnavailableError
from rollout_sandbox.plugins import find_backends

__all__ = ["available", "choose"]
