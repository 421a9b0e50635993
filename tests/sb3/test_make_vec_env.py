"""``make_vec_env`` with our class does what it does with a stock one, monitors included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from envs.metronome import AlwaysOne, MetronomeEnv
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from sb3_sandbox import SandboxedVecEnv

Make = Callable[..., VecEnv]
_ACTIONS = np.array([1, 2])


@pytest.fixture
def make(backend: str) -> Iterator[Make]:
    """Call ``make_vec_env`` with our class, and close what it made after the test."""
    made: list[VecEnv] = []

    def _make(env: Any = MetronomeEnv, **options: Any) -> VecEnv:
        face: Any = SandboxedVecEnv
        made.append(
            make_vec_env(
                env, n_envs=2, seed=1, vec_env_cls=face, vec_env_kwargs={"backend": backend}, **options
            )
        )
        return made[-1]

    yield _make
    for env in made:
        env.close()


def _run(env: VecEnv, steps: int = 7) -> list[dict[str, Any]]:
    """Give what the episodes said at their ends, without their times."""
    env.reset()
    infos = [info for _ in range(steps) for info in env.step(_ACTIONS)[3]]
    ends = [info["episode"] for info in infos if "terminal_observation" in info]
    assert all(end.pop("t") >= 0 for end in ends)
    return ends


def _files(directory: Path) -> dict[str, tuple[str, list[str]]]:
    """Give of each file the environment's id, the names of the columns, and the rows without times."""
    found = {}
    for path in sorted(directory.iterdir()):
        header, columns, *rows = path.read_text().splitlines()
        assert columns.startswith("r,l,t")
        values = [",".join(cell for number, cell in enumerate(row.split(",")) if number != 2) for row in rows]
        found[path.name] = (json.loads(header.removeprefix("#"))["env_id"], [columns, *values])
    return found


@pytest.mark.parametrize("wrapper", [None, AlwaysOne])
def test_monitor_files_and_infos_are_as_stock_writes_them(make: Make, wrapper: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "wrapper_class": wrapper,
        "start_index": 3,
        "env_kwargs": {"beats": 2},
        "monitor_kwargs": {"info_keywords": ("beat",)},
    }
    ours = make(monitor_dir=str(tmp_path / "ours"), **options)
    stock = make_vec_env(MetronomeEnv, 2, seed=1, monitor_dir=str(tmp_path / "stock"), **options)
    ends = _run(ours)
    assert ends == _run(stock)
    assert [end["r"] for end in ends[:2]] == [2.3, 4.3]
    ours.close()
    stock.close()
    assert _files(tmp_path / "ours") == _files(tmp_path / "stock")
    assert list(_files(tmp_path / "ours")) == ["3.monitor.csv", "4.monitor.csv"]


def test_rewards_are_those_outside_of_the_wrapper(make: Make) -> None:
    env = make(wrapper_class=AlwaysOne)
    env.reset()
    assert env.step(_ACTIONS)[1].tolist() == [1, 1]
    assert env.env_is_wrapped(AlwaysOne) == [True, True]


def test_a_registered_environment_is_named_in_its_files(make: Make, tmp_path: Path) -> None:
    env = make("CartPole-v1", monitor_dir=str(tmp_path))
    assert env.render_mode == "rgb_array"
    ends = _run_until_both_ended(env)
    env.close()
    files = _files(tmp_path).values()
    assert [name for name, _ in files] == ["CartPole-v1"] * 2
    assert sorted(int(row.split(",")[1]) for _, lines in files for row in lines[1:]) == sorted(ends)


def _run_until_both_ended(env: VecEnv) -> list[int]:
    """Give the length of every episode."""
    env.reset()
    lengths: dict[int, list[int]] = {0: [], 1: []}
    while not all(lengths.values()):
        for index, info in enumerate(env.step(np.ones(2, int))[3]):
            if "episode" in info:
                lengths[index].append(info["episode"]["l"])
    return lengths[0] + lengths[1]


def test_existing_files_are_continued_if_wanted(make: Make, tmp_path: Path) -> None:
    for _ in range(2):
        env = make(
            env_kwargs={"beats": 1}, monitor_dir=str(tmp_path), monitor_kwargs={"override_existing": False}
        )
        _run(env, 1)
        env.close()
    assert (tmp_path / "0.monitor.csv").read_text().count("1.1,1,") == 2


def test_monitors_answer_as_if_they_were_in_the_environments(make: Make) -> None:
    ours, stock = make(), make_vec_env(MetronomeEnv, 2, vec_env_cls=DummyVecEnv)
    assert ours.env_is_wrapped(Monitor) == stock.env_is_wrapped(Monitor) == [True, True]
    _run(ours)
    _run(stock)
    for name in ("get_episode_rewards", "get_episode_lengths"):
        assert ours.env_method(name) == stock.env_method(name)
        assert ours.env_method(name, indices=1) == stock.env_method(name, indices=1)
    for name in ("episode_returns", "episode_lengths"):
        assert ours.get_attr(name) == stock.get_attr(name)
    assert ours.has_attr("episode_returns")
    assert [len(times) for times in ours.env_method("get_episode_times")] == [2, 2]


def test_an_early_reset_is_an_error_where_the_monitor_says_so(make: Make) -> None:
    lenient = make()
    lenient.reset()
    lenient.reset()
    env = make(monitor_kwargs={"allow_early_resets": False})
    env.reset()
    with pytest.raises(RuntimeError, match="allow_early_resets=False"):
        env.reset()


def test_keywords_that_a_vector_environment_cannot_pass_on_are_refused(make: Make) -> None:
    with pytest.raises(ValueError, match=r"reset_keywords=\('level',\)"):
        make(monitor_kwargs={"reset_keywords": ("level",)})


def test_the_seed_of_make_vec_env_decides_the_episodes(make: Make) -> None:
    first, second = (make("CartPole-v1").reset() for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first[0], first[1])
