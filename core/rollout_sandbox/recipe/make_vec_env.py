"""Recognises the factories that Stable-Baselines3's ``make_vec_env`` makes.

They import Stable-Baselines3 and torch where they run, for a monitor that must live on the trainer's side
anyway. Here they become a recipe without it, the same one for every slot.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from rollout_sandbox.recipe.makers import MakeById, MakeWrapped
from rollout_sandbox.recipe.monitor import MonitorRecipe

__all__ = ["recognise"]

_MODULE = "stable_baselines3.common.env_util"
_QUALNAME = "make_vec_env.<locals>.make_env.<locals>._init"
_NEEDED = {"env_id", "env_kwargs", "monitor_dir", "monitor_kwargs", "rank", "wrapper_class", "wrapper_kwargs"}


def recognise(
    factory: Callable[[], Any], make_by_id: Callable[..., MakeById]
) -> tuple[Callable[[], Any], MonitorRecipe] | None:
    """Take such a factory apart.

    :param make_by_id: makes the maker for an id and its arguments.
    :return: what builds the environment, and its monitor; ``None`` for any other callable.
    """
    if (getattr(factory, "__module__", ""), getattr(factory, "__qualname__", "")) != (_MODULE, _QUALNAME):
        return None
    parts = inspect.getclosurevars(factory).nonlocals
    if _NEEDED - parts.keys():
        return None
    kwargs, wrapper, env_id = parts["env_kwargs"], parts["wrapper_class"], parts["env_id"]
    if isinstance(env_id, str):
        make: Callable[..., Any] = make_by_id(env_id, kwargs, default_render_mode="rgb_array")
        kwargs = {}
    else:
        make = env_id
    directory = parts["monitor_dir"]
    filename = None if directory is None else os.path.join(directory, str(parts["rank"]))
    monitor = MonitorRecipe(filename, dict(parts["monitor_kwargs"]))
    return MakeWrapped(make, kwargs, wrapper, parts["wrapper_kwargs"]), monitor
