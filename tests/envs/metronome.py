"""A deterministic environment: what it shows depends on the number of steps, and on nothing else."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

SPACES: dict[str, spaces.Space[Any]] = {
    "vector": spaces.Box(-1, 1, (3,), np.float32),
    "image": spaces.Box(0, 255, (9, 8, 3), np.uint8),
    "discrete": spaces.Discrete(9, start=2),
    "multi-discrete": spaces.MultiDiscrete([3, 5]),
    "multi-binary": spaces.MultiBinary(4),
    "dict": spaces.Dict({"count": spaces.Discrete(9), "vector": spaces.Box(-1, 1, (2,), np.float64)}),
    "tuple": spaces.Tuple([spaces.Box(-1, 1, (2,), np.float32), spaces.MultiBinary(2)]),
}


class MetronomeEnv(gymnasium.Env[Any, Any]):
    """Beats a number of times.

    :param beats: how many steps an episode has.
    :param kind: of observations, a key of ``SPACES``.
    :param truncates: whether an episode is cut off at its end.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self, beats: int = 3, kind: str = "vector", truncates: bool = False, render_mode: str | None = None
    ) -> None:
        self.observation_space = SPACES[kind]
        self.action_space = spaces.Discrete(3)
        self.render_mode = render_mode
        self.tempo = 1.0
        self._beats, self._truncates, self._beat = beats, truncates, 0

    def _observe(self) -> Any:
        self.observation_space.seed(self._beat)
        return self.observation_space.sample()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._beat = 0
        return self._observe(), {"options": options}

    def step(self, action: Any) -> Any:
        self._beat += 1
        ended = self._beat >= self._beats
        info = {"beat": self._beat, "action": int(action)}
        reward = self.tempo * float(action) + self._beat / 10
        return self._observe(), reward, ended and not self._truncates, ended and self._truncates, info

    def render(self) -> Any:
        return np.full((4, 6, 3), 10 * self._beat, np.uint8)

    def scaled_beat(self, factor: int, *, offset: int = 0) -> int:
        return factor * self._beat + offset

    def quicken(self) -> float:
        self.tempo *= 2
        return self.tempo


class AlwaysOne(gymnasium.RewardWrapper[Any, Any]):
    """Gives the reward 1 for every step."""

    def reward(self, reward: Any) -> float:
        return 1.0
