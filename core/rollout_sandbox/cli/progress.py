"""A progress bar for training."""

from __future__ import annotations

from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["progress_callback"]


def progress_callback(steps: int) -> Any:
    """Make a callback of Stable-Baselines3 that shows how far training has come.

    :param steps: how many there will be.
    """
    from stable_baselines3.common.callbacks import BaseCallback

    class ShowProgress(BaseCallback):
        """Moves the bar once per rollout step."""

        def _on_training_start(self) -> None:
            columns = (TextColumn("training"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns)
            self._task = self._bar.add_task("training", total=steps)
            self._bar.start()

        def _on_step(self) -> bool:
            self._bar.update(self._task, completed=min(self.num_timesteps, steps))
            return True

        def _on_training_end(self) -> None:
            self._bar.stop()

    return ShowProgress()
