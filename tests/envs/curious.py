"""An environment that looks around in its sandbox."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np


def _refusal(path: str, mode: str) -> str:
    try:
        with open(path, mode):
            return "opened"
    except OSError as error:
        return type(error).__name__


class CuriousEnv(gymnasium.Env[Any, Any]):
    """Tells in each info what it sees; every step draws from every generator."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float64)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.level = 1
        self.constructor_pid = os.getpid()

    def _draw(self) -> Any:
        import random

        return np.array([self.np_random.random(), random.random(), np.random.random()])

    def _look(self) -> dict[str, Any]:
        status = Path("/proc/self/status").read_text().splitlines()
        return {
            "pid": os.getpid(),
            "uid": os.getuid(),
            "level": self.level,
            "capabilities": [line.split()[1] for line in status if line.startswith(("CapPrm", "CapEff"))],
            "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1],
            "shadow": _refusal("/etc/shadow", "r"),
            "core_pattern": _refusal("/proc/sys/kernel/core_pattern", "w"),
            "package": _refusal(gymnasium.__file__, "a"),
            "secret": os.environ.get("SECRET_TOKEN"),
            "chosen": os.environ.get("CHOSEN"),
            "hash_seed": os.environ.get("PYTHONHASHSEED"),
            "start": Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19],
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.options = options
        return self._draw(), self._look() | {"options": options}

    def step(self, action: Any) -> Any:
        return self._draw(), float(action), False, False, {}

    def raise_level(self) -> int:
        self.level += 1
        return self.level
