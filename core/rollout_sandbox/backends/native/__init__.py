"""Native Linux containers: no daemon, no image."""

from rollout_sandbox.backends.native.backend import NativeBackend

__all__ = ["NativeBackend"]
