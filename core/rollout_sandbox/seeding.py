"""Seeds: one root seed decides every episode, whatever ran before it and wherever it runs."""

from __future__ import annotations

import os
import random
import sys
from typing import Any

import gymnasium
import numpy as np

__all__ = ["episode_seed", "renew_hidden_randomness", "root_seed", "seed_everything"]


def root_seed(seed: int | None = None) -> int:
    """Give the seed from which every episode's seed is derived.

    :param seed: a whole number of at least 0; ``None`` draws 128 bits of entropy.
    :raises TypeError: if it is not a whole number.
    :raises ValueError: if it is negative.
    """
    if seed is None:
        entropy = np.random.SeedSequence().entropy
        assert isinstance(entropy, int)
        return entropy
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(
            f"seed={seed!r} is a {type(seed).__name__}: give a whole number of at least 0, or None"
        )
    if seed < 0:
        raise ValueError(
            f"seed={seed} is negative: NumPy takes only seeds of at least 0; give another, or None"
        )
    return int(seed)


def episode_seed(root: int, slot: int, episode: int) -> int:
    """Derive the seed of one episode (``numpy.random.SeedSequence`` with a spawn key).

    :param root: what :func:`root_seed` gave.
    :param slot: the position in the vectorised environment, from 0.
    :param episode: the episode's number in this slot, from 0.
    :return: 32 bits, so that every generator accepts it.
    """
    return int(np.random.SeedSequence(root, spawn_key=(slot, episode)).generate_state(1)[0])


def seed_everything(env: gymnasium.Env[Any, Any], seed: int) -> None:
    """Seed what an environment may draw from, beside its own generator, which its ``reset(seed=)`` seeds.

    :param seed: 32 bits; each generator gets another number derived from it.
    """
    children = np.random.SeedSequence(seed).generate_state(5)
    random.seed(int(children[0]))
    np.random.seed(int(children[1]))
    env.action_space.seed(int(children[2]))
    env.observation_space.seed(int(children[3]))
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(int(children[4]))


def renew_hidden_randomness() -> None:
    """Give a copied process new names for temporary files and new keys, which copies would share."""
    if (tempfile := sys.modules.get("tempfile")) is not None:
        vars(tempfile)["_name_sequence"] = None
    if (ssl := sys.modules.get("ssl")) is not None:
        ssl.RAND_add(os.urandom(32), 32.0)
