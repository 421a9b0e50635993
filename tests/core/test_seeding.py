"""Seeds depend on root, slot and episode, and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_sandbox.seeding import episode_seed, root_seed


@given(st.integers(0, 2**128), st.integers(0, 2000), st.integers(0, 10**6))
def test_an_episode_seed_repeats_and_fits_every_generator(root: int, slot: int, episode: int) -> None:
    seed = episode_seed(root, slot, episode)
    assert seed == episode_seed(root, slot, episode)
    np.random.RandomState(seed)


def test_neighbouring_episodes_slots_and_roots_differ() -> None:
    seeds = {
        episode_seed(root, slot, episode) for root in range(4) for slot in range(8) for episode in range(8)
    }
    assert len(seeds) == 4 * 8 * 8


def test_the_derivation_never_changes() -> None:
    assert episode_seed(1, 2, 3) == int(np.random.SeedSequence(1, spawn_key=(2, 3)).generate_state(1)[0])


def test_a_missing_root_is_drawn_anew() -> None:
    assert root_seed() != root_seed()
    assert root_seed(None).bit_length() > 64


def test_a_given_root_is_kept() -> None:
    assert root_seed(np.int64(7)) == root_seed(7) == 7


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError)]
)
def test_a_bad_root_is_named(seed: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed="):
        root_seed(seed)  # type: ignore[arg-type]
