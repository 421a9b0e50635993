"""What a template is made from, and what its episodes take over from it."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollout_sandbox.recipe import Recipe
from rollout_sandbox.wire.layout import FrameLayout
from rollout_sandbox.worker.episode import EpisodeServer

__all__ = ["Blueprint"]


@dataclass
class Blueprint:
    """A recipe, and how far a template follows it.

    :param recipe: how the environment is built.
    :param construct: whether the template builds it, or leaves that to each episode.
    :param modules: what a template that builds nothing imports all the same.
    :param environment: variables that are set first.
    """

    recipe: Recipe
    construct: bool = True
    modules: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    server: EpisodeServer | None = field(default=None, init=False)

    def prepare(self) -> None:
        """Do what is the same for every episode."""
        os.environ.update(self.environment)
        if self.construct:
            self.server = self._build()
            return
        for name in self.modules:
            if name not in sys.modules:
                _try_import(name)

    def serve_episode(self) -> EpisodeServer:
        """Give this episode's environment, which is built now if the template did not."""
        return self.server or self._build()

    def _build(self) -> EpisodeServer:
        env = self.recipe.build()
        return EpisodeServer(env, FrameLayout(env.observation_space, env.action_space))


def _try_import(name: str) -> Any:
    """Import a module that some earlier build used; one that cannot be had by name comes with its parent."""
    try:
        importlib.import_module(name)
    except Exception:
        return None
