"""Hyperparameters for environments that the library's defaults do not solve quickly."""

from __future__ import annotations

from typing import Any

__all__ = ["hyperparameters"]

_PRESETS: dict[tuple[str, str], dict[str, Any]] = {
    # after RL Baselines3 Zoo
    ("ppo", "CartPole-v1"): {
        "n_steps": 32, "batch_size": 256, "gae_lambda": 0.8, "gamma": 0.98, "n_epochs": 20, "ent_coef": 0.0,
        "learning_rate": lambda left: left * 0.001, "clip_range": lambda left: left * 0.2,
    },
}  # fmt: skip


def hyperparameters(algorithm: str, env_id: str) -> dict[str, Any]:
    """Give what differs from the library's defaults."""
    return _PRESETS.get((algorithm, env_id), {})
