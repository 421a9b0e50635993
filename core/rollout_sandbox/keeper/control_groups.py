"""The control groups of a run, made and removed from outside."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from rollout_sandbox.keeper.run_name import is_alive, run_name
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux.control_groups import Hierarchy, find_hierarchies

__all__ = ["ControlGroups", "groups_of", "leftover_groups"]

_PREFIX = "rollout-sandbox-"
_REMOVAL_SECONDS = 2.0


def _remove(run: Path) -> None:
    for group in (*run.glob("cell-*"), run):
        with contextlib.suppress(OSError):
            group.rmdir()


def leftover_groups() -> list[Path]:
    """Find the groups of runs whose trainer is gone."""
    return [path for path in _all_groups("*") if not is_alive(path.name.removeprefix(_PREFIX))]


def groups_of(run: str) -> list[Path]:
    """Find the groups of one run."""
    return _all_groups(run)


def _all_groups(pattern: str) -> list[Path]:
    return [path for tree in find_hierarchies() for path in tree.path.glob(f"{_PREFIX}{pattern}")]


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
        self._runs = {tree: tree.path / f"{_PREFIX}{run_name(settings.trainer)}" for tree in self._trees}
        self._names = f"cell-{os.getpid()}"
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
        group = run / f"{self._names}-{self._made}"
        group.mkdir(parents=True, exist_ok=True)
        if tree.unified:
            (run / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in tree.controllers))
        settings = self._settings
        for file, value, optional in tree.limits(settings.memory, settings.cpus, settings.processes):
            if not optional or (group / file).exists():
                (group / file).write_text(value)
        return group

    def close(self) -> None:
        """Remove every group, as soon as the kernel lets go of it."""
        until = time.monotonic() + _REMOVAL_SECONDS
        while self._remove_own() and time.monotonic() < until:
            time.sleep(0.01)

    def _remove_own(self) -> bool:
        """Remove what can be removed; say whether own groups are left. Another keeper may share the run's."""
        own = [group for run in self._runs.values() for group in run.glob(f"{self._names}-*")]
        for path in (*own, *self._runs.values()):
            with contextlib.suppress(OSError):
                path.rmdir()
        return any(path.exists() for path in own)
