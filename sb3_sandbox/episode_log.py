"""What Stable-Baselines3's ``Monitor`` keeps of one environment, kept where it outlives the episodes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from stable_baselines3.common.monitor import ResultsWriter

__all__ = ["MONITOR_NAMES", "EpisodeLog"]

MONITOR_NAMES = frozenset(
    {"get_episode_rewards", "get_episode_lengths", "get_episode_times"}
    | {"episode_returns", "episode_lengths", "episode_times"}
)
"""What can be asked of a log as of a ``Monitor``."""


class EpisodeLog:
    """The finished episodes of one slot, in memory and, if wanted, in a file as ``Monitor`` writes it.

    :param filename: where the file goes; ``None`` for no file.
    :param env_id: the environment's id for the file's header.
    :param allow_early_resets: whether a reset before the end of an episode is no mistake.
    :param reset_keywords: must be empty, because a vectorised environment resets without keywords.
    :param info_keywords: keys of the last step's info that are kept too.
    :param override_existing: whether an existing file is written anew rather than continued.
    :raises ValueError: if there are reset keywords.
    """

    def __init__(
        self,
        filename: str | None = None,
        env_id: str | None = None,
        allow_early_resets: bool = True,
        reset_keywords: Sequence[str] = (),
        info_keywords: Sequence[str] = (),
        override_existing: bool = True,
    ) -> None:
        if reset_keywords:
            raise ValueError(
                f"reset_keywords={tuple(reset_keywords)} cannot be filled: a vectorised environment begins "
                "episodes by itself, without keywords. Leave them out, or use set_options()"
            )
        self.allow_early_resets = allow_early_resets
        self.info_keywords = tuple(info_keywords)
        self.t_start = time.time()
        self.episode_returns: list[float] = []
        self.episode_lengths: list[int] = []
        self.episode_times: list[float] = []
        header: dict[str, float | str] = {"t_start": self.t_start, "env_id": str(env_id)}
        self._writer = (
            None
            if filename is None
            else ResultsWriter(filename, header, self.info_keywords, override_existing)
        )

    def add(self, total: float, length: int, info: dict[str, Any]) -> None:
        """Take in a finished episode and say so in ``info["episode"]``.

        :param total: the sum of its rewards.
        :param length: its number of steps.
        :param info: the info of its last step, which is added to.
        :raises KeyError: if one of the ``info_keywords`` is not in there.
        """
        elapsed = time.time() - self.t_start
        summary = {"r": round(total, 6), "l": length, "t": round(elapsed, 6)}
        summary.update({key: info[key] for key in self.info_keywords})
        self.episode_returns.append(total)
        self.episode_lengths.append(length)
        self.episode_times.append(elapsed)
        if self._writer is not None:
            self._writer.write_row(summary)
        info["episode"] = summary

    def get_episode_rewards(self) -> list[float]:
        """Give the return of every finished episode."""
        return self.episode_returns

    def get_episode_lengths(self) -> list[int]:
        """Give the number of steps of every finished episode."""
        return self.episode_lengths

    def get_episode_times(self) -> list[float]:
        """Give when every finished episode ended, in seconds since the log was begun."""
        return self.episode_times

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
