"""``rollout-sandbox replay``: one episode again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rollout_sandbox.cli.sb3 import algorithm_class
from rollout_sandbox.cli.train import Algorithm
from rollout_sandbox.replay import from_list, replay_episode

__all__ = ["replay"]


def _written_actions(path: Path) -> Callable[[Any], Any]:
    actions = np.load(path, allow_pickle=False) if path.suffix == ".npy" else json.loads(path.read_text())
    return from_list(actions)


def _policy(path: Path, algo: Algorithm) -> Callable[[Any], Any]:
    model = algorithm_class(algo.value).load(path, device="cpu")
    return lambda observation: model.predict(observation, deterministic=True)[0]


def replay(
    env: Annotated[str, typer.Argument(help="a Gymnasium id, or module:Env-v0")],
    seed: Annotated[int, typer.Option(min=0, help="the root seed of the run")],
    slot: Annotated[int, typer.Option(min=0, help="the environment's position")] = 0,
    episode: Annotated[int, typer.Option(min=0, help="the episode's number in that slot")] = 0,
    actions: Annotated[Path | None, typer.Option(exists=True, help="a list of actions: .npy or JSON")] = None,
    policy: Annotated[Path | None, typer.Option(exists=True, help="a saved Stable-Baselines3 model")] = None,
    algo: Annotated[Algorithm, typer.Option(help="the algorithm of the saved model")] = Algorithm.PPO,
    backend: Annotated[str, typer.Option(help="auto, native or inline")] = "auto",
) -> None:
    """Run one episode of a run again, from its seeds, and print its return."""
    if (actions is None) == (policy is None):
        raise typer.BadParameter("give either --actions or --policy")
    choose = _written_actions(actions) if actions is not None else _policy(policy, algo)  # type: ignore[arg-type]
    total, steps, ended = replay_episode(env, choose, seed=seed, slot=slot, episode=episode, backend=backend)
    typer.echo(f"return {total:g} after {steps} steps{'' if ended else ', not ended'}")
