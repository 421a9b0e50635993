"""Runs one episode again from its seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rollout_sandbox.backends.base import Backend
from rollout_sandbox.group import open_group
from rollout_sandbox.recipe import EnvArgument
from rollout_sandbox.spec import SandboxSpec

__all__ = ["Replayed", "replay_episode"]

Replayed = tuple[float, int, bool]
"""Return, number of steps, and whether the episode ended."""


def replay_episode(
    env: EnvArgument,
    choose_action: Callable[[Any], Any],
    *,
    seed: int,
    slot: int,
    episode: int,
    backend: str | Backend | type[Backend] = "auto",
    spec: SandboxSpec | None = None,
) -> Replayed:
    """Run the episode that a slot had, in a fresh sandbox.

    :param choose_action: takes an observation, gives the action; ``StopIteration`` ends the replay.
    :param seed: the root seed.
    :param slot: its position.
    :param episode: its number in that slot, from 0.
    """
    group, _ = open_group(env, 1, backend=backend, spec=spec, seed=seed, spares=0)
    total, steps, ended = 0.0, 0, False
    try:
        group.begin_at(slot, episode)
        group.reset()
        while not ended:
            try:
                action = choose_action(group.observation(0))
            except StopIteration:
                break
            group.send(_batch_of_one(action))
            group.receive()
            total, steps = total + float(group.rewards[0]), steps + 1
            ended = bool(group.terminated[0] or group.truncated[0])
    finally:
        group.close()
    return total, steps, ended


def _batch_of_one(action: Any) -> Any:
    if isinstance(action, dict):
        return {key: _batch_of_one(value) for key, value in action.items()}
    if isinstance(action, tuple):
        return tuple(_batch_of_one(value) for value in action)
    return np.asarray(action)[None]


def from_list(actions: Iterable[Any]) -> Callable[[Any], Any]:
    """Choose written actions one after another."""
    rest = iter(actions)
    return lambda _: next(rest)
