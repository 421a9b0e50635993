"""Tells ``rollout_sandbox.make_vec`` how Stable-Baselines3 wants its environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollout_sandbox.plugins import hookimpl

__all__ = ["framework_adapters"]


def _make(env: Any, num_envs: int, **options: Any) -> Any:
    from rollout_sandbox.recipe.resolve import as_factories

    from sb3_sandbox.vec_env import SandboxedVecEnv

    return SandboxedVecEnv(as_factories(env, num_envs), **options)


@hookimpl
def framework_adapters() -> dict[str, Callable[..., Any]]:
    """Give the adapter."""
    return {"sb3": _make}
