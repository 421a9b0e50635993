"""One way to make a vectorised environment for any framework."""

from __future__ import annotations

from typing import Any

from rollout_sandbox.plugins import find_adapter
from rollout_sandbox.recipe import EnvArgument
from rollout_sandbox.vec_env import SandboxedVecEnv

__all__ = ["make_vec"]


def make_vec(env: EnvArgument, num_envs: int = 1, *, framework: str = "gymnasium", **options: Any) -> Any:
    """Make a vectorised environment whose every episode runs in a fresh sandbox.

    :param env: as :class:`SandboxedVecEnv` takes it.
    :param framework: ``"gymnasium"``, or one that a plugin knows, for instance ``"sb3"``.
    :param options: further arguments of its class.
    :raises PluginError: if no plugin knows the framework.
    """
    if framework == "gymnasium":
        return SandboxedVecEnv(env, num_envs, **options)
    return find_adapter(framework)(env, num_envs, **options)
