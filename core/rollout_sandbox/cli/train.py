"""``rollout-sandbox train``: an algorithm of Stable-Baselines3 with a fresh sandbox per episode."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from rollout_sandbox.cli.presets import hyperparameters
from rollout_sandbox.cli.progress import progress_callback
from rollout_sandbox.cli.sb3 import algorithm_class, make_sandboxed, policy_name
from rollout_sandbox.leftovers import count_leftovers

__all__ = ["Algorithm", "train"]


class Algorithm(StrEnum):
    """The algorithms of Stable-Baselines3 that can be chosen."""

    PPO = "ppo"
    A2C = "a2c"
    DQN = "dqn"
    SAC = "sac"
    TD3 = "td3"


def _evaluate(
    model: Any, env_id: str, num_envs: int, backend: str, seed: int, episodes: int
) -> tuple[float, float]:
    """Evaluate in sandboxes of its own, with seeds that training never saw."""
    from stable_baselines3.common.evaluation import evaluate_policy

    env = make_sandboxed(env_id, min(num_envs, episodes), seed + 1_000_000, backend=backend)
    try:
        mean, deviation = evaluate_policy(model, env, n_eval_episodes=episodes)
    finally:
        env.close()
    return float(np.mean(mean)), float(np.mean(deviation))


def _table(rows: dict[str, str]) -> Table:
    table = Table("what", "value", title="trained in sandboxes")
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def train(
    env: Annotated[str, typer.Argument(help="a Gymnasium id, or module:Env-v0")],
    algo: Annotated[Algorithm, typer.Option(help="the algorithm")] = Algorithm.PPO,
    n_envs: Annotated[int, typer.Option(min=1, help="how many environments step together")] = 8,
    steps: Annotated[int, typer.Option(min=1, help="how many steps to train for")] = 50_000,
    backend: Annotated[str, typer.Option(help="auto, native or inline (inline isolates nothing)")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="the root seed")] = 0,
    eval_episodes: Annotated[int, typer.Option(min=1, help="how many episodes to evaluate on")] = 20,
) -> None:
    """Train a policy; every episode runs in a fresh sandbox."""
    make_model = algorithm_class(algo.value)
    envs = make_sandboxed(env, n_envs, seed, backend=backend)
    try:
        policy = policy_name(envs.observation_space)
        chosen = hyperparameters(algo.value, env)
        model = make_model(policy, envs, seed=seed, device="auto", **chosen)
        started = time.perf_counter()
        model.learn(steps, callback=progress_callback(steps))
        seconds = time.perf_counter() - started
        group = envs.group
        latency = float(np.median(group.reset_seconds)) * 1000
        used, begun = group.sandboxes_used, group.episodes_begun
    finally:
        envs.close()
    mean, deviation = _evaluate(model, env, n_envs, backend, seed, eval_episodes)
    rows = {
        "steps": f"{model.num_timesteps:,}",
        "episodes": f"{begun:,}",
        "sandboxes used": f"{used:,}",
        "reset latency (median)": f"{latency:.2f} ms",
        "steps per second": f"{model.num_timesteps / seconds:,.0f}",
        "evaluation return": f"{mean:.1f} ± {deviation:.1f}",
        "left behind": str(count_leftovers()),
    }
    Console().print(_table(rows))
