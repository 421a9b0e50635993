"""The face of Stable-Baselines3 behaves as its stock vector environments do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from envs.metronome import SPACES, AlwaysOne, MetronomeEnv
from rollout_sandbox import ClosedError, LostMethodCallWarning, UnsupportedSpaceError
from sb3.comparison import assert_same, metronomes, without_own_keys
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from sb3_sandbox import SandboxedVecEnv

Make = Callable[..., SandboxedVecEnv]
_ACTIONS = [np.array([step % 3, 2 - step % 3]) for step in range(7)]


@pytest.fixture
def make(backend: str) -> Iterator[Make]:
    """Make environments that are closed after the test."""
    made: list[SandboxedVecEnv] = []

    def _make(env_fns: list[Callable[[], Any]] | None = None, **options: Any) -> SandboxedVecEnv:
        made.append(SandboxedVecEnv(env_fns or metronomes(), backend=backend, **options))
        return made[-1]

    yield _make
    for env in made:
        env.close()


def _assert_steps_like(ours: VecEnv, stock: VecEnv, reward_dtype: str) -> None:
    assert_same(ours.reset(), stock.reset())
    assert without_own_keys(ours.reset_infos) == list(stock.reset_infos)
    for actions in _ACTIONS:
        observations, rewards, dones, infos = ours.step(actions)
        expected_observations, expected_rewards, expected_dones, expected_infos = stock.step(actions)
        assert_same(observations, expected_observations)
        assert_same(rewards.astype(reward_dtype), expected_rewards)
        assert_same(dones, expected_dones)
        for info, expected in zip(infos, expected_infos, strict=True):
            assert_same(dict(sorted(info.items())), dict(sorted(expected.items())))
        assert without_own_keys(ours.reset_infos) == list(stock.reset_infos)


@pytest.mark.parametrize("kind", SPACES)
def test_steps_are_those_of_dummy_vec_env(make: Make, kind: str) -> None:
    factories = [partial(MetronomeEnv, 2, kind), partial(MetronomeEnv, 3, kind, truncates=True)]
    stock = DummyVecEnv(factories)
    ours = make(factories)
    assert (ours.observation_space, ours.action_space) == (stock.observation_space, stock.action_space)
    _assert_steps_like(ours, stock, "float32")


def test_steps_are_those_of_subproc_vec_env_also_in_the_dtype_of_rewards(make: Make) -> None:
    stock = SubprocVecEnv(metronomes(kind="dict"))
    try:
        _assert_steps_like(make(metronomes(kind="dict")), stock, "float64")
    finally:
        stock.close()


def test_what_was_given_out_is_never_changed_later(make: Make) -> None:
    env = make()
    observations = env.reset()
    given = [observations.copy(), *(value for _ in range(4) for value in env.step(_ACTIONS[0])[:3])]
    kept = [value.copy() for value in given]
    env.step(_ACTIONS[1])
    for value, copy in zip(given, kept, strict=True):
        assert np.array_equal(value, copy)
        value[...] = 0
    assert np.array_equal(env.reset(), observations)


def test_only_what_a_time_limit_cut_off_says_so(make: Make) -> None:
    env = make(
        [lambda: gymnasium.wrappers.TimeLimit(MetronomeEnv(beats=3), 2), lambda: MetronomeEnv(beats=2)]
    )
    env.reset()
    assert [info["TimeLimit.truncated"] for info in env.step(_ACTIONS[0])[3]] == [False, False]
    _, _, dones, infos = env.step(_ACTIONS[0])
    assert dones.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [True, False]


def test_a_seed_makes_episodes_repeat_and_others_differ(make: Make) -> None:
    env = make([lambda: gymnasium.make("CartPole-v1")] * 2)
    assert env.seed(5) == [5, 6]
    first, second = env.reset(), env.reset()
    env.seed(5)
    assert np.array_equal(env.reset(), first)
    assert np.array_equal(env.reset(), second)
    env.seed(6)
    others = env.reset()
    starts = {row.tobytes() for batch in (first, second, others) for row in batch}
    assert len(starts) == 6


def test_a_seed_of_the_constructor_outlives_an_unseeded_make_vec_env(make: Make) -> None:
    starts = []
    for _ in range(2):
        env = make([lambda: gymnasium.make("CartPole-v1")] * 2, seed=3)
        env.seed(None)
        starts.append(env.reset())
    assert np.array_equal(*starts)


def test_options_reach_the_next_reset_and_only_that_one(make: Make) -> None:
    env = make()
    env.reset()
    env.set_options({"level": 1})
    env.reset()
    assert [info["options"] for info in env.reset_infos] == [{"level": 1}] * 2
    env.set_options([{"level": 2}, {}])
    env.reset()
    assert [info["options"] for info in env.reset_infos] == [{"level": 2}, None]
    env.reset()
    assert [info["options"] for info in env.reset_infos] == [None, None]


@pytest.mark.parametrize(
    ("indices", "expected"), [(None, [11, 11]), (1, [11]), ([1, 0], [11, 11]), (-1, [11])]
)
def test_methods_are_called_where_indices_say(make: Make, indices: Any, expected: list[int]) -> None:
    env = make()
    env.reset()
    env.step(_ACTIONS[0])
    with pytest.warns(LostMethodCallWarning, match="scaled_beat"):
        assert env.env_method("scaled_beat", 10, offset=1, indices=indices) == expected


def test_attributes_are_set_where_indices_say_and_in_later_episodes(make: Make) -> None:
    env = make()
    env.reset()
    env.set_attr("tempo", 5.0, indices=1)
    assert env.get_attr("tempo") == [1.0, 5.0]
    for _ in range(2):
        env.reset()
        assert env.get_attr("tempo", indices=[1, 0]) == [5.0, 1.0]
        assert env.step(np.array([1, 1]))[1].tolist() == [1.1, 5.1]
    env.set_attr("tempo", 2.0)
    while not env.step(np.array([0, 0]))[2][1]:
        pass
    assert env.get_attr("tempo") == [2.0, 2.0]


def test_attributes_can_be_set_before_the_first_reset(make: Make) -> None:
    env = make()
    env.set_attr("tempo", 7.0, indices=[0])
    env.reset()
    assert env.get_attr("tempo") == [7.0, 1.0]


def test_persistent_methods_are_repeated_in_later_episodes(backend: str) -> None:
    env = SandboxedVecEnv(metronomes(), backend=backend, persistent_methods=["quicken"])
    try:
        env.reset()
        assert env.env_method("quicken", indices=0) == [2.0]
        assert env.get_attr("tempo") == [2.0, 1.0]
    finally:
        env.close()


def test_missing_attributes_and_methods_are_named(make: Make) -> None:
    env = make()
    assert env.has_attr("tempo") and env.has_attr("quicken")
    assert not env.has_attr("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        env.get_attr("nothing")
    with pytest.raises(AttributeError, match="nothing"):
        env.env_method("nothing")


@pytest.mark.parametrize("name", ["get_attr", "env_method", "set_attr"])
def test_an_index_beyond_the_environments_is_refused(make: Make, name: str) -> None:
    arguments = ("tempo", 1.0) if name == "set_attr" else ("tempo",)
    with pytest.raises(IndexError):
        getattr(make(), name)(*arguments, indices=2)


def test_wrappers_are_found_wherever_they_are(make: Make) -> None:
    env = make([lambda: AlwaysOne(Monitor(MetronomeEnv(beats=2))), lambda: AlwaysOne(MetronomeEnv(beats=2))])
    assert env.env_is_wrapped(AlwaysOne) == [True, True]
    assert env.env_is_wrapped(gymnasium.RewardWrapper, indices=0) == [True]
    assert env.env_is_wrapped(Monitor) == [True, False]
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit, indices=[1]) == [False]
    env.reset()
    env.step(np.array([2, 2]))
    infos = env.step(np.array([2, 2]))[3]
    assert infos[0]["episode"]["r"] == 4.3
    assert "episode" not in infos[1]


def test_images_are_those_of_the_running_episodes(make: Make) -> None:
    factories = metronomes(render_mode="rgb_array")
    env, stock = make(factories), DummyVecEnv(factories)
    assert env.render_mode == "rgb_array"
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    for one in (env, stock):
        one.reset()
        one.step(_ACTIONS[0])
    for found, expected in zip(env.get_images(), stock.get_images(), strict=True):
        assert_same(found, expected)
    assert_same(env.render(), stock.render())


def test_without_a_render_mode_there_are_no_images_and_a_warning(make: Make) -> None:
    env = make()
    env.reset()
    with pytest.warns(UserWarning, match="render mode is None, so"):
        assert env.get_images() == [None, None]
    with pytest.warns(UserWarning, match="no `render_mode`"):
        assert env.render() is None


def test_different_spaces_are_refused(make: Make) -> None:
    with pytest.raises(UnsupportedSpaceError, match=r"environment 1 .*Discrete\(9, start=2\).*equal spaces"):
        make([MetronomeEnv, lambda: MetronomeEnv(kind="discrete")])


def test_the_start_method_of_subproc_vec_env_is_accepted(make: Make) -> None:
    assert make(metronomes(1), start_method="spawn").reset().shape == (1, 3)


def test_closing_twice_is_harmless_and_use_after_it_is_named(make: Make) -> None:
    env = make()
    env.reset()
    env.close()
    env.close()
    with pytest.raises(ClosedError, match="closed"):
        env.reset()
    with pytest.raises(ClosedError, match="closed"):
        env.step(_ACTIONS[0])
