"""How the processes of a run are recognised, also after the trainer is gone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["RUN_VARIABLE", "is_alive", "processes_of", "run_name"]

RUN_VARIABLE = "ROLLOUT_SANDBOX_RUN"
"""The environment variable that names the run in each of its processes."""


def _start_time(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def run_name(pid: int | None = None) -> str:
    """Name a run after its trainer's pid and start time, which no later process shares."""
    pid = os.getpid() if pid is None else pid
    return f"{pid}-{_start_time(pid)}"


def is_alive(name: str) -> bool:
    """Whether the trainer of a run still runs."""
    pid, _, started = name.partition("-")
    try:
        return _start_time(int(pid)) == started
    except (OSError, ValueError):
        return False


def processes_of(name: str) -> Iterator[int]:
    """Find the processes of a run that are left; those that have ended do not count."""
    wanted = f"{RUN_VARIABLE}={name}".encode()
    for directory in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if directory.name.isdigit() and wanted in (directory / "environ").read_bytes().split(b"\0"):
                yield int(directory.name)
