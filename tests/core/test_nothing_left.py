"""However a run ends, nothing of it stays: no process, control group, mount, socket folder or file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rollout_sandbox.keeper.control_groups import groups_of
from rollout_sandbox.keeper.run_name import processes_of

_ROUNDS = 20
_SECONDS = 2.0
_PROGRAM = """
import subprocess, sys, time
import numpy as np
from rollout_sandbox.group import open_group
from rollout_sandbox.keeper.run_name import run_name

group, _ = open_group("CartPole-v1", 4, backend="native", seed=1)
group.reset()
group.send(np.zeros(4, int))
group.receive()
print(run_name(), flush=True)
way = sys.argv[1]
if way == "exception":
    raise ValueError("a bug in the training loop")
if way == "close":
    group.close()
if way == "child stays":
    subprocess.Popen(["sleep", "30"], close_fds=False)
while way in ("interrupt", "kill", "child stays"):
    group.reset()
    group.send(np.zeros(4, int))
    group.receive()
"""
_SIGNALS = {"interrupt": signal.SIGINT, "kill": signal.SIGKILL, "child stays": signal.SIGKILL}


def _machine_state() -> tuple[str, set[str], set[str]]:
    return (
        Path("/proc/self/mounts").read_text(),
        {name for name in os.listdir("/tmp") if "rollout" in name},
        set(os.listdir("/dev/shm")),
    )


def _left_after(way: str) -> int:
    """Run a trainer to its end; count what is left of it when the time is over."""
    trainer = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, way],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert trainer.stdout is not None
    run = trainer.stdout.readline().strip()
    assert run, "the trainer did not start"
    if way in _SIGNALS:
        time.sleep(0.05)
        trainer.send_signal(_SIGNALS[way])
    trainer.wait(30)
    trainer.stdout.close()
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and (list(_processes(run)) or groups_of(run)):
        time.sleep(0.02)
    return len(_processes(run)) + len(groups_of(run))


def _processes(run: str) -> list[int]:
    return list(processes_of(run))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["exit", "exception", "close", "interrupt", "kill", "child stays"])
def test_nothing_is_left_behind(way: str) -> None:
    before = _machine_state()
    assert [_left_after(way) for _ in range(_ROUNDS)] == [0] * _ROUNDS
    assert _machine_state() == before
