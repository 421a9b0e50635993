"""Gymnasium's checks of an environment's first reset, steps and rendering.

A stock environment is checked once. Every sandbox holds a new copy, which would be checked in each episode.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium.wrappers import PassiveEnvChecker

__all__ = ["PassiveChecks"]

_ONCE = ("checked_reset", "checked_step", "checked_data_reuse", "checked_render")


class PassiveChecks:
    """Switches the checks of one environment, which are off at first.

    :param env: with all its wrappers.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self._checkers: list[PassiveEnvChecker[Any, Any]] = []
        while isinstance(env, gymnasium.Wrapper):
            if isinstance(env, PassiveEnvChecker):
                self._checkers.append(env)
            env = env.env
        self._set(done=True)

    def _set(self, *, done: bool) -> None:
        for checker in self._checkers:
            for name in _ONCE:
                setattr(checker, name, done)

    def begin(self) -> None:
        """Let the coming episode be checked."""
        self._set(done=False)
