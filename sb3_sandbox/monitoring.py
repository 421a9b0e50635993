"""Monitors of all environments, on the trainer's side, where they outlive the episodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rollout_sandbox.recipe import MonitorRecipe
from rollout_sandbox.recipe.tally import TALLY_KEY

from sb3_sandbox.episode_log import MONITOR_NAMES, EpisodeLog

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
        self._began = False

    def has(self, index: int) -> bool:
        """Whether this environment's factory had a monitor."""
        return self._logs[index] is not None

    def find(self, name: str, indices: Iterable[int]) -> list[Any] | None:
        """Give an attribute of these monitors, or ``None`` if it is none of theirs."""
        logs = [self._logs[index] for index in indices]
        if name not in MONITOR_NAMES or None in logs:
            return None
        return [getattr(log, name) for log in logs]

    def begin_all(self) -> None:
        """Start at nothing everywhere.

        :raises RuntimeError: if a monitor forbids that before the end of an episode.
        """
        if self._began and not all(log is None or log.allow_early_resets for log in self._logs):
            raise RuntimeError(
                "reset() would cut off running episodes, which a monitor with allow_early_resets=False "
                "forbids: leave that out of monitor_kwargs, or do not reset again"
            )
        self._began = True
        self._returns[:] = self._lengths[:] = 0

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
        self._returns[index] = self._lengths[index] = 0

    def close(self) -> None:
        """Close every file."""
        for log in self._logs:
            if log is not None:
                log.close()
