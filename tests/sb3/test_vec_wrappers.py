"""The vector wrappers of Stable-Baselines3 work around our environment as around a stock one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sb3.comparison import metronomes
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
    VecTransposeImage,
)

from sb3_sandbox import SandboxedVecEnv

WRAPPERS: dict[str, tuple[str, Callable[[VecEnv], VecEnv]]] = {
    "normalised": ("vector", VecNormalize),
    "stacked": ("vector", lambda env: VecFrameStack(env, 3)),
    "stacked images": ("image", lambda env: VecFrameStack(env, 2)),
    "transposed": ("image", VecTransposeImage),
    "checked": ("vector", VecCheckNan),
    "all": ("image", lambda env: VecNormalize(VecTransposeImage(VecFrameStack(env, 2)), norm_obs=False)),
}


def _record(env: VecEnv) -> list[Any]:
    """Give all that is seen in some steps."""
    seen: list[Any] = [env.reset()]
    for step in range(7):
        observations, rewards, dones, infos = env.step(np.array([step % 3, 1]))
        terminal = [info["terminal_observation"] for info in infos if "terminal_observation" in info]
        seen += [observations, rewards, dones, *terminal]
    return seen


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_shows_what_it_shows_around_dummy_vec_env(backend: str, name: str) -> None:
    kind, wrap = WRAPPERS[name]
    expected = _record(wrap(DummyVecEnv(metronomes(kind=kind))))
    ours = wrap(SandboxedVecEnv(metronomes(kind=kind), backend=backend))
    try:
        found = _record(ours)
    finally:
        ours.close()
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_statistics_outlive_the_episodes_and_can_be_saved(backend: str, tmp_path: Path) -> None:
    env = VecNormalize(SandboxedVecEnv(metronomes(), backend=backend))
    try:
        _record(env)
        env.save(str(tmp_path / "statistics"))
        loaded = VecNormalize.load(str(tmp_path / "statistics"), env.venv)
        assert env.obs_rms.count > 16
        np.testing.assert_array_equal(loaded.obs_rms.mean, env.obs_rms.mean)
    finally:
        env.close()


def test_vec_monitor_sums_up_episodes(backend: str, tmp_path: Path) -> None:
    env = VecMonitor(SandboxedVecEnv(metronomes(), backend=backend), str(tmp_path / "all"))
    try:
        env.reset()
        ends = [
            info["episode"] for _ in range(3) for info in env.step(np.array([1, 1]))[3] if "episode" in info
        ]
    finally:
        env.close()
    assert [(round(end["r"], 5), end["l"]) for end in ends] == [(2.3, 2), (3.6, 3)]
    assert len((tmp_path / "all.monitor.csv").read_text().splitlines()) == 4
