"""Steps per second against Stable-Baselines3's ``SubprocVecEnv``, both sides in turn in one run.

    python tests/benchmarks/step_rate.py [rounds] [seconds]

Prints a table for ``docs/benchmarks.md``: medians over the rounds, and the median of the rounds' ratios.
The bound of a row is what no isolation by processes could pass: the same steps, and one bare ``fork`` and
exit of a process as large as the template for each episode, as measured in the same run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from endless import make_endless
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnv

import sb3_sandbox

Maker = Callable[[int], VecEnv]
_COUNTS = (1, 4, 16)
_FLOOR_PROGRAM = """
import gc, os, time
import gymnasium
env = gymnasium.make("CartPole-v1"); env.reset(); gc.freeze()
rounds = 200
started = time.perf_counter()
for _ in range(rounds):
    pid = os.fork()
    if pid == 0:
        env.reset(seed=1)
        os._exit(0)
    os.waitpid(pid, 0)
print((time.perf_counter() - started) / rounds)
"""


def _stock(factory: Callable[[], Any]) -> Maker:
    return lambda n: SubprocVecEnv([factory] * n)


def _ours(factory: Callable[[], Any]) -> Maker:
    return lambda n: sb3_sandbox.SandboxedVecEnv([factory] * n, backend="native")


def _through_make_vec_env(face: type[VecEnv]) -> Maker:
    return lambda n: make_vec_env("CartPole-v1", n, seed=1, vec_env_cls=face)


def _cartpole() -> Any:
    return gymnasium.make("CartPole-v1")


CASES: dict[str, tuple[Maker, Maker]] = {
    "no ends": (_stock(make_endless), _ours(make_endless)),
    "CartPole-v1, by factory": (_stock(_cartpole), _ours(_cartpole)),
    "CartPole-v1, make_vec_env": (
        _through_make_vec_env(SubprocVecEnv), _through_make_vec_env(sb3_sandbox.SandboxedVecEnv)
    ),
}  # fmt: skip


def _rate(env: VecEnv, seconds: float) -> tuple[float, float]:
    """Step with random actions.

    :return: steps per second, and episodes per step.
    """
    actions = np.random.default_rng(0).integers(0, 2, (1024, env.num_envs))
    count = ends = 0
    started = time.perf_counter()
    while (passed := time.perf_counter() - started) < seconds:
        ends += int(env.step(actions[count % 1024])[2].sum())
        count += 1
    return count * env.num_envs / passed, ends / (count * env.num_envs)


def _floor() -> float:
    """Give the seconds that a bare fork of such a process takes, with its reset and its end."""
    done = subprocess.run([sys.executable, "-c", _FLOOR_PROGRAM], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _measure(makers: tuple[Maker, Maker], num_envs: int, rounds: int, seconds: float) -> str:
    stock, ours = (make(num_envs) for make in makers)
    try:
        for env in (stock, ours):
            env.reset()
            _rate(env, 0.3)
        pairs, floors = [], []
        for _ in range(rounds):
            pairs.append((_rate(stock, seconds), _rate(ours, seconds)))
            floors.append(_floor())
    finally:
        stock.close()
        ours.close()
    theirs = statistics.median(pair[0][0] for pair in pairs)
    mine = statistics.median(pair[1][0] for pair in pairs)
    ratio = statistics.median(pair[1][0] / pair[0][0] for pair in pairs)
    ends = statistics.median(pair[1][1] for pair in pairs)
    bound = (1 / theirs) / (1 / theirs + ends * statistics.median(floors) / (os.cpu_count() or 1))
    return f"{num_envs} | {theirs:,.0f} | {mine:,.0f} | {ratio:.2f} | {bound:.2f}"


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0
    print("| environment | n | SubprocVecEnv steps/s | sandboxed steps/s | ratio | bound |")
    print("|---|---|---|---|---|---|")
    for name, makers in CASES.items():
        for num_envs in _COUNTS:
            print(f"| {name} | {_measure(makers, num_envs, rounds, seconds)} |", flush=True)


if __name__ == "__main__":
    main()
