"""Counts what a run left on the machine, which must be nothing."""

from __future__ import annotations

from pathlib import Path

from rollout_sandbox.keeper.control_groups import groups_of
from rollout_sandbox.keeper.run_name import processes_of, run_name

__all__ = ["count_leftovers"]


def count_leftovers() -> int:
    """Count processes, control groups and mounts of this process's runs; call it after they were closed."""
    mounts = sum("rollout-sandbox" in line for line in Path("/proc/self/mounts").read_text().splitlines())
    own = run_name()
    processes = sum(pid != int(own.partition("-")[0]) for pid in processes_of(own))
    return processes + len(groups_of(own)) + mounts
