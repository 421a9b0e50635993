"""Fresh means: same seed and same actions, same trajectory, whatever ran before and wherever it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from envs.curious import CuriousEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_sandbox.group import open_group
from rollout_sandbox.replay import from_list, replay_episode
from rollout_sandbox.slots import SlotGroup

_STEPS = 4


def _episode(group: SlotGroup, length: int = _STEPS) -> list[bytes]:
    """Run an episode in every slot; give the bytes of what each saw."""
    group.reset()
    seen = [group.observations()]
    for step in range(length):
        group.send(np.full(group.num_slots, step % 2))
        group.receive()
        seen.append(group.observations())
    return [np.stack([batch[slot] for batch in seen]).tobytes() for slot in range(group.num_slots)]


def _trajectories(num_slots: int, spares: int, lengths: list[int]) -> list[list[bytes]]:
    group, _ = open_group(CuriousEnv, num_slots, backend="native", seed=7, spares=spares)
    try:
        return [_episode(group, length) for length in lengths]
    finally:
        group.close()


@pytest.fixture(scope="module")
def reference() -> list[list[bytes]]:
    """Three episodes in each of two slots."""
    return _trajectories(2, 1, [_STEPS] * 3)


@settings(max_examples=8, deadline=None)
@given(
    num_slots=st.integers(1, 4),
    spares=st.integers(0, 2),
    lengths=st.lists(st.integers(0, _STEPS), min_size=2, max_size=2),
)
def test_a_trajectory_depends_on_nothing_but_seed_and_actions(
    reference: list[list[bytes]], num_slots: int, spares: int, lengths: list[int]
) -> None:
    last = _trajectories(num_slots, spares, [*lengths, _STEPS])[2]
    for slot in range(min(num_slots, 2)):
        assert last[slot] == reference[2][slot]


def test_episodes_differ_from_each_other(reference: list[list[bytes]]) -> None:
    assert len({trajectory for episode in reference for trajectory in episode}) == 6


def test_a_clean_environment_gives_the_same_trajectories_inline(reference: list[list[bytes]]) -> None:
    group, _ = open_group(CuriousEnv, 1, backend="inline", seed=7)
    try:
        assert [_episode(group)[0] for _ in range(3)] == [episode[0] for episode in reference]
    finally:
        group.close()


def test_a_replay_gives_the_episode_again(backend: str) -> None:
    group, _ = open_group("CartPole-v1", 2, backend=backend, seed=5)
    lengths: list[int] = []
    try:
        group.reset()
        while len(lengths) < 3:
            group.send(np.array([1, 1]))
            group.receive()
            if group.terminated[1]:
                lengths.append(group.steps(1))
                group.reset([1])
            if group.terminated[0]:
                group.reset([0])
    finally:
        group.close()
    total, steps, ended = replay_episode(
        "CartPole-v1", from_list([1] * 500), seed=5, slot=1, episode=2, backend=backend
    )
    assert (total, steps, ended) == (lengths[2], lengths[2], True)


def test_each_episode_is_another_process_seen_from_inside_and_outside() -> None:
    group, _ = open_group(CuriousEnv, 2, backend="native", seed=1)
    inside: list[Any] = []
    outside: list[Any] = []
    try:
        for _ in range(4):
            group.reset()
            for slot in range(2):
                info = group.infos[slot]
                assert (info["pid"], info["uid"]) == (2, 1000)
                inside.append((slot, info["start"], info["sandbox_id"]))
                outside.append(group.process(slot))
    finally:
        group.close()
    assert None not in outside
    assert len(set(outside)) == len(set(inside)) == 8
