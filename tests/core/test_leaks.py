"""A first leak test: what an episode leaves behind, the next one finds inline and not in a sandbox."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from envs.leaky import CHANNELS, MARK, LeakyEnv
from rollout_sandbox.group import open_group
from rollout_sandbox.slots import SlotGroup


def _end_marked_processes() -> None:
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and MARK.encode() in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


@pytest.fixture
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let what is leaked inline end with the test."""
    for name in ("home", "temporary", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("LEAK_MARK", raising=False)
    monkeypatch.chdir(tmp_path / "work")
    yield
    Path("/dev/shm", MARK).unlink(missing_ok=True)
    _end_marked_processes()
    os.environ.pop("LEAK_MARK", None)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _found(group: SlotGroup) -> list[str]:
    group.reset()
    found = []
    for index, name in enumerate(CHANNELS):
        group.send(np.array([index]))
        group.receive()
        if group.observation(0):
            found.append(name)
    time.sleep(0.05)
    return found


@pytest.mark.usefixtures("own_places")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_episode_finds_what_was_left_only_without_isolation(backend: str) -> None:
    port = _free_port()
    group, _ = open_group(lambda: LeakyEnv(port), 1, backend=backend, seed=1)
    try:
        first, second, third = (_found(group) for _ in range(3))
    finally:
        group.close()
    assert first == []
    assert second == third == (list(CHANNELS) if backend == "inline" else [])


@pytest.mark.usefixtures("own_places")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_slots_that_run_at_the_same_time_do_not_meet() -> None:
    port = _free_port()
    group, _ = open_group(lambda: LeakyEnv(port), 2, backend="native", seed=1)
    try:
        group.reset()
        for index in range(len(CHANNELS)):
            group.send(np.array([index, index]))
            group.receive()
            assert group.observations().tolist() == [0, 0]
    finally:
        group.close()
