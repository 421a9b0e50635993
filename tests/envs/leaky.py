"""An environment that leaves something behind in every way it can, and tells what it finds."""

from __future__ import annotations

import os
import random
import socket
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

MARK = "rollout-sandbox-leak-test"
_STORE: dict[str, bool] = {}
_RANDOM = random.Random(1)
_FIRST_DRAW = random.Random(1).random()
_GENERATOR = np.random.default_rng(1)
_FIRST_NUMBER = np.random.default_rng(1).random()


class _Holder:
    marked = False


def _module_global(_: int) -> bool:
    found = "marked" in _STORE
    _STORE["marked"] = True
    return found


def _class_attribute(_: int) -> bool:
    found = _Holder.marked
    _Holder.marked = True
    return found


def _environment_variable(_: int) -> bool:
    found = "LEAK_MARK" in os.environ
    os.environ["LEAK_MARK"] = "1"
    return found


def _file(path: Path) -> bool:
    found = path.exists()
    path.write_text(MARK)
    return found


def _random_state(_: int) -> bool:
    return _RANDOM.random() != _FIRST_DRAW


def _numpy_state(_: int) -> bool:
    return bool(_GENERATOR.random() != _FIRST_NUMBER)


def _background_process(_: int) -> bool:
    found = False
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found |= MARK.encode() in (entry / "cmdline").read_bytes()
            except OSError:
                continue
    subprocess.Popen(["sh", "-c", f"sleep 60; : {MARK}"], start_new_session=True)
    return found


def _local_server(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        server = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=lambda: [server.accept() for _ in range(100)], daemon=True).start()
        return False
    return True


def _database(_: int) -> bool:
    with sqlite3.connect(os.path.expanduser("~/leak.db")) as database:
        found = bool(database.execute("select name from sqlite_master where name='ledger'").fetchall())
        database.execute("create table if not exists ledger (entry)")
    database.close()
    return found


CHANNELS: dict[str, Callable[[int], bool]] = {
    "module global": _module_global,
    "class attribute": _class_attribute,
    "environment variable": _environment_variable,
    "file in the working directory": lambda _: _file(Path(MARK)),
    "file in the temporary directory": lambda _: _file(Path(tempfile.gettempdir()) / MARK),
    "file in the home": lambda _: _file(Path.home() / MARK),
    "shared memory file": lambda _: _file(Path("/dev/shm") / MARK),
    "random generator": _random_state,
    "NumPy generator": _numpy_state,
    "background process": _background_process,
    "local server": _local_server,
    "database": _database,
}


class LeakyEnv(gymnasium.Env[Any, Any]):
    """Each step tries one channel: the observation says whether an earlier episode had been there.

    :param port: for the local server.
    """

    def __init__(self, port: int) -> None:
        self.observation_space = gymnasium.spaces.Discrete(2)
        self.action_space = gymnasium.spaces.Discrete(len(CHANNELS))
        self._port = port
        self._channels = list(CHANNELS.values())

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> Any:
        return int(self._channels[int(action)](self._port)), 0.0, False, False, {}
