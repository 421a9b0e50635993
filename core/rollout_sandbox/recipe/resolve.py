"""From what a user gives as an environment to one recipe for each slot."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
from gymnasium.envs.registration import registry

from rollout_sandbox.recipe.make_vec_env import recognise
from rollout_sandbox.recipe.makers import MakeById, MakeByReference
from rollout_sandbox.recipe.monitor import MonitorRecipe
from rollout_sandbox.recipe.recipe import Recipe

__all__ = ["EnvArgument", "Resolved", "as_factories", "resolve"]

EnvArgument = str | Callable[[], Any] | Sequence[Callable[[], Any]]
"""A Gymnasium id, ``"module:function"``, a callable, or one callable for each slot."""

_VERSION = re.compile(r"-v\d+$")


@dataclass(frozen=True)
class Resolved:
    """What one slot runs.

    :param recipe: equal for slots that run the same.
    :param monitor: the monitor that the factory had around its environment.
    """

    recipe: Recipe
    monitor: MonitorRecipe | None = None


def _make_by_id(id: str, kwargs: dict[str, Any], default_render_mode: str | None = None) -> MakeById:
    """Take along what only this process has registered; an unknown id fails here, where it was written."""
    if ":" in id:
        return MakeById(id, kwargs, None, default_render_mode)
    spec = gymnasium.spec(id) if id not in registry else registry[id]
    built_in = str(spec.entry_point).startswith("gymnasium.envs.")
    return MakeById(id, kwargs, None if built_in else spec, default_render_mode)


def _resolve_text(text: str, kwargs: dict[str, Any]) -> Resolved:
    if ":" in text and not _VERSION.search(text):
        return Resolved(Recipe.of(repr(text), MakeByReference(text, kwargs)))
    return Resolved(Recipe.of(repr(text), _make_by_id(text, kwargs)))


def _resolve_callable(factory: Any) -> Resolved:
    if isinstance(factory, gymnasium.Env) or not callable(factory):
        raise TypeError(
            f"env={factory!r} is a {type(factory).__name__}: give a Gymnasium id, 'module:function', or a "
            "callable that makes an environment, since every episode needs one of its own"
        )
    recognised = recognise(factory, _make_by_id)
    if recognised is None:
        return Resolved(Recipe.of(f"the factory {factory!r}", factory))
    make, monitor = recognised
    return Resolved(Recipe.of("the environment of make_vec_env", make), monitor)


def as_factories(env: EnvArgument, num_envs: int) -> list[Callable[[], Any]]:
    """Give one callable for each slot, for faces that take nothing else."""
    if isinstance(env, Sequence) and not isinstance(env, str):
        return list(env)
    if not isinstance(env, str):
        return [env] * num_envs
    by_reference = ":" in env and not _VERSION.search(env)
    return [MakeByReference(env) if by_reference else _make_by_id(env, {})] * num_envs


def resolve(env: EnvArgument, num_envs: int, env_kwargs: dict[str, Any] | None = None) -> list[Resolved]:
    """Give what each slot runs; callables are pickled now.

    :param env: see :data:`EnvArgument`.
    :param env_kwargs: for an environment that is given by name.
    :raises TypeError: for anything else, and for what cannot be pickled.
    :raises ValueError: if the number of callables is not the number of slots.
    :raises gymnasium.error.Error: if no environment has this id.
    """
    if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
        raise ValueError(f"num_envs={num_envs!r} is not usable: give a whole number of at least 1")
    if isinstance(env, str):
        return [_resolve_text(env, env_kwargs or {})] * num_envs
    if env_kwargs:
        raise TypeError("env_kwargs are for an environment given by name: bind them in the callable instead")
    if not isinstance(env, Sequence):
        return [_resolve_callable(env)] * num_envs
    if len(env) != num_envs:
        raise ValueError(f"{len(env)} callables were given for num_envs={num_envs}: give one for each")
    return [_resolve_callable(factory) for factory in env]
