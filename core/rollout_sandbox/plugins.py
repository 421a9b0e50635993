"""What other packages can add: backends, and faces for frameworks (pluggy, group ``rollout_sandbox``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

import pluggy

from rollout_sandbox.errors import PluginError

if TYPE_CHECKING:
    from rollout_sandbox.backends.base import Backend

__all__ = ["find_adapter", "hookimpl", "plugin_backends"]

PROJECT = "rollout_sandbox"
hookspec, hookimpl = pluggy.HookspecMarker(PROJECT), pluggy.HookimplMarker(PROJECT)
_EXTRAS = {"sb3": "sb3", "torchrl": "torchrl"}


class Hooks:
    """What a plugin may define, as module-level functions marked with :data:`hookimpl`."""

    @hookspec
    def sandbox_backends(self) -> dict[str, type[Backend]]:  # type: ignore[empty-body]
        """Give backends by name."""

    @hookspec
    def framework_adapters(self) -> dict[str, Callable[..., Any]]:  # type: ignore[empty-body]
        """Give, by framework, what makes its vectorised environment from (env, num_envs, **options)."""


def _load(manager: pluggy.PluginManager, point: EntryPoint) -> str | None:
    """Register one plugin; give the reason if it cannot be loaded, which must not break anything else."""
    try:
        manager.register(point.load(), name=point.name)
    except Exception as error:
        return f"{point.name} ({point.value}): {error!r}"
    return None


@cache
def _loaded() -> tuple[pluggy.PluginManager, tuple[str, ...]]:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    failures = [_load(manager, point) for point in entry_points(group=PROJECT)]
    return manager, tuple(failure for failure in failures if failure)


def _merge(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for part in reversed(parts) for name, value in part.items()}


def plugin_backends() -> dict[str, type[Backend]]:
    """Give the backends of all plugins by name."""
    return _merge(_loaded()[0].hook.sandbox_backends())


def find_adapter(framework: str) -> Callable[..., Any]:
    """Find what makes a framework's own vectorised environment.

    :raises PluginError: if no plugin knows the framework; the message names plugins that failed to load.
    """
    manager, failures = _loaded()
    adapters = _merge(manager.hook.framework_adapters())
    if framework in adapters:
        found: Callable[..., Any] = adapters[framework]
        return found
    hint = (
        f" Install it with: pip install 'rollout-sandbox[{_EXTRAS[framework]}]'."
        if framework in _EXTRAS
        else ""
    )
    failed = f" These plugins failed to load: {'; '.join(failures)}." if failures else ""
    known = ", ".join(sorted(adapters)) or "none"
    raise PluginError(f"no plugin knows the framework {framework!r} (known: {known}).{hint}{failed}")
