"""The description of an environment that leaves a sandbox in its place."""

from __future__ import annotations

from typing import Any

import gymnasium

from rollout_sandbox.wire.codec import encode_info
from rollout_sandbox.wire.spaces import describe as describe_space

__all__ = ["describe"]


def _chain(env: gymnasium.Env[Any, Any]) -> list[gymnasium.Env[Any, Any]]:
    """Give the environment with every wrapper around it, the outermost first."""
    chain = [env]
    while isinstance(chain[-1], gymnasium.Wrapper):
        chain.append(chain[-1].env)
    return chain


def _class_names(env: gymnasium.Env[Any, Any]) -> list[str]:
    classes = (base for layer in _chain(env) for base in type(layer).__mro__)
    return list(dict.fromkeys(f"{base.__module__}:{base.__qualname__}" for base in classes))


def _encodable(metadata: dict[str, Any]) -> dict[str, Any]:
    _, dropped = encode_info(metadata)
    return {key: value for key, value in metadata.items() if key not in dropped}


def describe(env: gymnasium.Env[Any, Any]) -> dict[str, Any]:
    """Say what a trainer must know of an environment, in plain values.

    :raises UnsupportedSpaceError: if a space cannot travel.
    """
    return {
        "observation_space": describe_space(env.observation_space),
        "action_space": describe_space(env.action_space),
        "metadata": _encodable(dict(env.metadata)),
        "render_mode": env.render_mode,
        "spec_id": env.spec.id if env.spec is not None else None,
        "wrappers": _class_names(env),
    }
