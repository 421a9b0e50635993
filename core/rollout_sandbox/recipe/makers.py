"""Ways to make an environment that need nothing of the trainer's memory."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, registry

from rollout_sandbox.recipe.tally import Tally

__all__ = ["MakeById", "MakeByReference", "MakeWrapped"]


@dataclass(frozen=True)
class MakeById:
    """A registered environment.

    :param id: as ``gymnasium.make`` takes it, also ``"module:Env-v0"``.
    :param kwargs: for its constructor.
    :param spec: what the trainer registered under that id, for a process where nobody did.
    :param default_render_mode: asked for where the environment takes one.
    """

    id: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    spec: EnvSpec | None = None
    default_render_mode: str | None = None

    def __call__(self) -> gymnasium.Env[Any, Any]:
        """Make it."""
        if self.spec is not None:
            registry.setdefault(self.id, self.spec)
        if self.default_render_mode is None:
            return gymnasium.make(self.id, **self.kwargs)
        try:
            return gymnasium.make(self.id, **({"render_mode": self.default_render_mode} | self.kwargs))
        except TypeError:  # it takes no render mode
            return gymnasium.make(self.id, **self.kwargs)


@dataclass(frozen=True)
class MakeByReference:
    """A function in a module that can be imported.

    :param reference: as ``"module:function"``.
    """

    reference: str
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __call__(self) -> Any:
        """Call it."""
        module, _, name = self.reference.partition(":")
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found(**self.kwargs)


@dataclass(frozen=True)
class MakeWrapped:
    """An environment in a wrapper, with a tally where a monitor would have been.

    :param make: what makes the inner one.
    :param wrapper: takes the environment first.
    """

    make: Callable[..., Any]
    make_kwargs: dict[str, Any]
    wrapper: Callable[..., Any] | None
    wrapper_kwargs: dict[str, Any]

    def __call__(self) -> Any:
        """Make and wrap it."""
        env = self.make(**self.make_kwargs)
        return env if self.wrapper is None else self.wrapper(Tally(env), **self.wrapper_kwargs)
