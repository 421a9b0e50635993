"""An environment that an algorithm learns in seconds."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

BEST_RETURN = 8.0


class LeverEnv(gymnasium.Env[Any, Any]):
    """Shows which of two levers gives a reward; eight pulls are an episode.

    :param continuous: whether the action is a number, whose sign chooses the lever.
    """

    def __init__(self, continuous: bool = False) -> None:
        self.observation_space = spaces.Box(-1, 1, (1,), np.float32)
        self.action_space: spaces.Space[Any] = (
            spaces.Box(-1, 1, (1,), np.float32) if continuous else spaces.Discrete(2)
        )
        self._continuous, self._pulls, self._good = continuous, 0, 0

    def _observe(self) -> Any:
        self._good = int(self.np_random.integers(2))
        return np.array([2 * self._good - 1], np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._pulls = 0
        return self._observe(), {}

    def step(self, action: Any) -> Any:
        chosen = int(action[0] > 0) if self._continuous else int(action)
        reward = float(chosen == self._good)
        self._pulls += 1
        return self._observe(), reward, self._pulls == BEST_RETURN, False, {}
