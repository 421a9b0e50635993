"""The control groups of a run, made and removed from outside."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux.control_groups import Hierarchy, find_hierarchies

__all__ = ["ControlGroups", "leftover_groups"]

_PREFIX = "rollout-sandbox-"
_REMOVAL_SECONDS = 2.0


def _start_time(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def _is_alive(name: str) -> bool:
    """Whether the process that a run is named after still runs."""
    try:
        pid, started, _ = name.removeprefix(_PREFIX).split("-")
        return _start_time(int(pid)) == started
    except (OSError, ValueError):
        return False


def _remove(run: Path) -> None:
    for group in (*run.glob("cell-*"), run):
        with contextlib.suppress(OSError):
            group.rmdir()


def leftover_groups() -> list[Path]:
    """Find the groups of runs whose trainer is gone."""
    found = (path for tree in find_hierarchies() for path in tree.path.glob(f"{_PREFIX}*"))
    return [path for path in found if not _is_alive(path.name)]


def _useful_trees() -> list[Hierarchy]:
    """Give all trees, or none where processes are not counted: a group could not be seen to be empty."""
    trees = find_hierarchies()
    return trees if any("pids" in tree.controllers for tree in trees) else []


class ControlGroups:
    """Makes a group for each concurrent sandbox; groups are used again, since the kernel removes them slowly.

    :param settings: the limits, and the trainer after which the run is named.
    """

    def __init__(self, settings: KeeperSettings) -> None:
        self._settings = settings
        for path in leftover_groups():
            _remove(path)
        self._trees = _useful_trees()
        name = f"{_PREFIX}{settings.trainer}-{_start_time(settings.trainer)}"
        self._runs = {tree: tree.path / f"{name}-{os.getpid()}" for tree in self._trees}
        self._made = 0

    def make(self) -> tuple[list[int], int]:
        """Make one group in every tree.

        :return: descriptors, owned by the caller: where a process writes to join, one for each tree, then
            where its processes are counted, then where kills for memory are; and how many of the first kind.
        """
        self._made += 1
        groups = {tree: self._make_group(tree) for tree in self._trees}
        joins = [os.open(group / tree.joining_file, os.O_WRONLY) for tree, group in groups.items()]
        counters = [
            os.open(group / name, os.O_RDONLY)
            for controller, file in (("pids", "pids.current"), ("memory", ""))
            for tree, group in groups.items()
            for name in [file or tree.kills_file]
            if controller in tree.controllers
        ]
        return joins + counters, len(joins)

    def _make_group(self, tree: Hierarchy) -> Path:
        run = self._runs[tree]
        group = run / f"cell-{self._made}"
        group.mkdir(parents=True)
        if tree.unified and self._made == 1:
            (run / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in tree.controllers))
        settings = self._settings
        for file, value, optional in tree.limits(settings.memory, settings.cpus, settings.processes):
            if not optional or (group / file).exists():
                (group / file).write_text(value)
        return group

    def close(self) -> None:
        """Remove every group, as soon as the kernel lets go of it."""
        until = time.monotonic() + _REMOVAL_SECONDS
        while any(run.exists() for run in self._runs.values()) and time.monotonic() < until:
            for run in self._runs.values():
                _remove(run)
            time.sleep(0.01)
