"""Finds the backend that a user asks for."""

from __future__ import annotations

from rollout_sandbox.backends.base import Backend
from rollout_sandbox.backends.inline import InlineBackend
from rollout_sandbox.backends.native import NativeBackend
from rollout_sandbox.errors import BackendUnavailableError
from rollout_sandbox.plugins import plugin_backends

__all__ = ["available", "choose"]

_PREFERRED = ("native", "docker")


def available() -> dict[str, type[Backend]]:
    """Give every known backend by name, those of plugins included."""
    return {"native": NativeBackend, "inline": InlineBackend} | plugin_backends()


def _automatic() -> Backend:
    """Take the first that works and isolates; there is no silent way to no isolation."""
    known, reasons = available(), []
    for name in _PREFERRED:
        if name not in known:
            continue
        probe = known[name].probe()
        if probe.available:
            return known[name]()
        reasons.append(f"{name}: {probe.reason}. {probe.fix}")
    raise BackendUnavailableError(
        "no backend can isolate episodes on this machine. " + " ".join(reasons) + " "
        'To run without isolation, for debugging, write backend="inline"'
    )


def choose(backend: str | Backend | type[Backend]) -> Backend:
    """Give a backend that is ready for use.

    :param backend: ``"auto"``, a name, a class, or a backend itself.
    :raises ValueError: for a name that nobody knows.
    :raises BackendUnavailableError: if ``"auto"`` finds none that isolates here.
    """
    if isinstance(backend, Backend):
        return backend
    if isinstance(backend, type) and issubclass(backend, Backend):
        return backend()
    if backend == "auto":
        return _automatic()
    known = available()
    if backend not in known:
        raise ValueError(
            f"backend={backend!r} is not known: use 'auto', or one of {', '.join(sorted(known))}"
        )
    return known[backend]()
