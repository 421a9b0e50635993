"""The ways to isolate episodes, by name."""

from rollout_sandbox.backends.registry import available, choose

__all__ = ["available", "choose"]
