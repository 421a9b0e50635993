"""The algorithms of Stable-Baselines3 train in sandboxes as they do elsewhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from envs.lever import BEST_RETURN, LeverEnv
from rollout_sandbox.leftovers import count_leftovers
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecEnv

from sb3_sandbox import SandboxedVecEnv

Make = Callable[..., VecEnv]
_SHORT_PPO: dict[str, Any] = {"n_steps": 32, "batch_size": 32, "n_epochs": 2, "device": "cpu"}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are slower on several threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def make() -> Iterator[Make]:
    """Call ``make_vec_env`` with our class on the native backend; close what it made after the test."""
    made: list[VecEnv] = []

    def _make(env: Any = LeverEnv, n_envs: int = 2, **env_kwargs: Any) -> VecEnv:
        face: Any = SandboxedVecEnv
        options = {"backend": "native"}
        made.append(
            make_vec_env(env, n_envs, vec_env_cls=face, vec_env_kwargs=options, env_kwargs=env_kwargs)
        )
        return made[-1]

    yield _make
    for env in made:
        env.close()


def _weights(model: BaseAlgorithm) -> list[bytes]:
    return [value.numpy().tobytes() for value in model.policy.state_dict().values()]


def _weights_after(make: Make, seed: int) -> list[bytes]:
    return _weights(PPO("MlpPolicy", make("CartPole-v1"), seed=seed, **_SHORT_PPO).learn(128))


def test_a_seed_alone_makes_training_repeat_bit_for_bit(make: Make) -> None:
    first, second, other = (_weights_after(make, seed) for seed in (1, 1, 2))
    assert first == second
    assert first != other


@pytest.mark.parametrize("algorithm", [PPO, A2C])
def test_an_algorithm_learns(make: Make, algorithm: type[BaseAlgorithm]) -> None:
    options: dict[str, Any] = {"learning_rate": 0.01, "gamma": 0.0, "seed": 1, "device": "cpu"}
    if algorithm is PPO:
        options |= {"n_steps": 64, "batch_size": 64, "learning_rate": 0.003}
    env = make(n_envs=4)
    model = algorithm("MlpPolicy", env, **options)
    before, _ = evaluate_policy(model, make(n_envs=4), n_eval_episodes=20, deterministic=False)
    model.learn(2500)
    after, _ = evaluate_policy(model, env, n_eval_episodes=20)
    assert float(np.mean(before)) < 0.75 * BEST_RETURN
    assert after == BEST_RETURN


@pytest.mark.parametrize("algorithm", [DQN, SAC, TD3])
def test_an_off_policy_algorithm_trains(make: Make, algorithm: type[BaseAlgorithm]) -> None:
    env = make(continuous=algorithm is not DQN)
    model = algorithm(
        "MlpPolicy", env, learning_starts=16, buffer_size=200, batch_size=8, seed=1, device="cpu"
    )
    before = _weights(model)
    model.learn(60)
    assert _weights(model) != before
    assert model.num_timesteps in (60, 64)  # whole rounds of ``train_freq``
    assert {info["l"] for info in model.ep_info_buffer or []} == {8}


def test_a_model_is_saved_loaded_and_trained_further(make: Make, tmp_path: Any) -> None:
    PPO("MlpPolicy", make(), seed=1, **_SHORT_PPO).learn(64).save(tmp_path / "model")
    model = PPO.load(tmp_path / "model", env=make())
    assert model.learn(64, reset_num_timesteps=False).num_timesteps == 128


def test_every_episode_of_an_evaluation_is_counted(make: Make) -> None:
    model = PPO("MlpPolicy", make(), seed=1, **_SHORT_PPO)
    returns, lengths = evaluate_policy(model, make(), n_eval_episodes=5, return_episode_rewards=True)
    assert isinstance(returns, list) and all(0 <= value <= BEST_RETURN for value in returns)
    assert lengths == [8] * 5


def test_evaluation_during_training_has_sandboxes_of_its_own(make: Make) -> None:
    training, evaluation = make(), make()
    callback = EvalCallback(evaluation, n_eval_episodes=3, eval_freq=16, verbose=0, warn=False)
    PPO("MlpPolicy", training, seed=1, **_SHORT_PPO).learn(64, callback=callback)
    assert 0 <= callback.last_mean_reward <= BEST_RETURN


class _Fail(BaseCallback):
    """Does something in the middle of an episode."""

    def __init__(self, fail: Callable[[], None]) -> None:
        super().__init__()
        self._fail = fail

    def _on_step(self) -> bool:
        if self.n_calls == 10:
            self._fail()
        return True


def _raise() -> None:
    raise ArithmeticError("a bug in a callback")


@pytest.mark.parametrize(
    ("fail", "error"),
    [(_raise, ArithmeticError), (partial(os.kill, os.getpid(), signal.SIGINT), KeyboardInterrupt)],
    ids=["exception", "interrupt"],
)
def test_training_that_breaks_off_leaves_nothing_behind(
    make: Make, fail: Callable[[], None], error: type[BaseException]
) -> None:
    env = make()
    model = PPO("MlpPolicy", env, seed=1, **_SHORT_PPO)
    with pytest.raises(error):
        model.learn(64, callback=_Fail(fail))
    assert count_leftovers() > 0
    env.close()
    assert count_leftovers() == 0


def test_training_goes_on_after_an_interrupt(make: Make) -> None:
    model = PPO("MlpPolicy", make(), seed=1, **_SHORT_PPO)
    with pytest.raises(KeyboardInterrupt):
        model.learn(64, callback=_Fail(partial(os.kill, os.getpid(), signal.SIGINT)))
    model.learn(128)
    assert model.num_timesteps == 128
