"""Sums up an episode inside of the wrappers that change its rewards."""

from __future__ import annotations

from typing import Any

import gymnasium

__all__ = ["TALLY_KEY", "Tally"]

TALLY_KEY = "__tally__"
"""Where the last info of an episode holds its return and its length."""


class Tally(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Tells in the last info of an episode what its rewards were before other wrappers changed them."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._total, self._length = 0.0, 0

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Start at nothing."""
        self._total, self._length = 0.0, 0
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Count one step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._total += float(reward)
        self._length += 1
        if terminated or truncated:
            info[TALLY_KEY] = (self._total, self._length)
        return observation, reward, terminated, truncated, info
