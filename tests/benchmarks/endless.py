"""CartPole's physics without an end, so that nothing but steps is measured."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.classic_control import CartPoleEnv

__all__ = ["EndlessCartPole", "make_endless"]


class EndlessCartPole(CartPoleEnv):
    """An episode never ends; the pole swings on."""

    def step(self, action: Any) -> Any:
        """Step, and begin near the middle again once the pole has fallen."""
        observation, reward, fallen, _, info = super().step(action)
        if fallen:
            self.state, self.steps_beyond_terminated = np.zeros(4), None
        return observation, reward, False, False, info


def make_endless() -> gymnasium.Env[Any, Any]:
    """Make one, without wrappers."""
    return EndlessCartPole()
