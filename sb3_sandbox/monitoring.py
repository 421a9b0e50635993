"""Monitors of all environments, on the trainer's side, where they outlive the episodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rollout_sandbox.recipe import MonitorRecipe
from rollout_sandbox.recipe.tally import TALLY_KEY

from sb3_sandbox.episode_log import EpisodeLog

__all__ = ["Monitoring"]


class Monitoring:
    """Sums up episodes as the ``Monitor`` of each environment would.

    :param recipes: the monitor that each environment's factory had, or ``None``.
    :param env_id: for the headers of files.
    """

    def __init__(self, recipes: Sequence[MonitorRecipe | None], env_id: str | None) -> None:
        self._logs = [
            None if recipe is None else EpisodeLog(recipe.filename, env_id, **recipe.kwargs)
            for recipe in recipes
        ]
        self._returns = np.zeros(len(recipes))
        self._lengths = np.zeros(len(recipes), np.int64)

    def has(self, index: int) -> bool:
        """Whether this environment's factory had a monitor."""
        return self._logs[index] is not None

    def begin(self, indices: Iterable[int]) -> None:
        """Start at nothing."""
        for index in indices:
            self._returns[index] = self._lengths[index] = 0

    def count(self, rewards: NDArray[np.float64]) -> None:
        """Take in one step of every environment."""
        self._returns += rewards
        self._lengths += 1

    def finish(self, index: int, info: dict[str, Any]) -> None:
        """Sum up an episode in its last info; one that a fault ended is no result and is left out.

        Where a wrapper stands outside of the monitor, the sandbox itself tells what lay inside.
        """
        total, length = info.pop(TALLY_KEY, (self._returns[index], self._lengths[index]))
        log = self._logs[index]
        if log is not None and "sandbox_fault" not in info:
            log.add(float(total), int(length), info)
        self.begin([index])

    def close(self) -> None:
        """Close every file."""
        for log in self._logs:
            if log is not None:
                log.close()
