"""Control groups: where the machine keeps them, and which files set and count what (cgroups(7))."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Hierarchy", "find_hierarchies"]

CONTROLLERS = ("memory", "pids", "cpu")


@dataclass(frozen=True)
class Hierarchy:
    """One tree of control groups.

    :param path: the group in it that this process may make others in.
    :param controllers: what it limits.
    :param unified: whether it is of version 2.
    """

    path: Path
    controllers: tuple[str, ...]
    unified: bool

    def limits(
        self, memory: int | None, cpus: float | None, processes: int | None
    ) -> Iterator[tuple[str, str, bool]]:
        """Give what to write where, and whether the file may be missing."""
        if memory is not None and "memory" in self.controllers:
            yield ("memory.max" if self.unified else "memory.limit_in_bytes"), str(memory), False
            swap = ("memory.swap.max", "0") if self.unified else ("memory.memsw.limit_in_bytes", str(memory))
            yield *swap, True  # only where the kernel accounts for swap
        if processes is not None and "pids" in self.controllers:
            yield "pids.max", str(processes), False
        if cpus is not None and "cpu" in self.controllers:
            quota = int(cpus * 100_000)
            maximum = ("cpu.max", f"{quota} 100000") if self.unified else ("cpu.cfs_quota_us", str(quota))
            yield *maximum, False

    @property
    def joining_file(self) -> str:
        """The file that a process of one thread joins by.

        In version 1 that is the one for threads: moving whole processes takes a lock that costs milliseconds.
        """
        return "cgroup.procs" if self.unified else "tasks"

    @property
    def kills_file(self) -> str:
        """The file whose line ``oom_kill`` counts processes that were killed for memory."""
        return "memory.events" if self.unified else "memory.oom_control"


def _mount_points() -> dict[str, Path]:
    """Give where each controller of version 1 is mounted; version 2 has the name ``""``."""
    points: dict[str, Path] = {}
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind, options, *_ = line.split()
        if kind == "cgroup2":
            points[""] = Path(place)
        elif kind == "cgroup":
            points |= {name: Path(place) for name in options.split(",") if name in CONTROLLERS}
    return points


def _own_groups() -> dict[str, str]:
    """Give this process's group for each controller of version 1; version 2 has the name ``""``."""
    groups: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        groups |= dict.fromkeys(names.split(","), path)
    return groups


def _can_hold(path: Path) -> bool:
    return path.is_dir() and os.access(path, os.W_OK)


def _version_1(points: dict[str, Path], groups: dict[str, str]) -> list[Hierarchy]:
    places: dict[Path, list[str]] = {}
    for name in CONTROLLERS:
        if name in points and name in groups:
            places.setdefault(points[name] / groups[name].lstrip("/"), []).append(name)
    return [Hierarchy(path, tuple(names), False) for path, names in places.items() if _can_hold(path)]


def _version_2(points: dict[str, Path]) -> list[Hierarchy]:
    """Use the root group: only there may processes and groups with controllers lie side by side."""
    root = points.get("")
    if root is None or not _can_hold(root):
        return []
    enabled = (root / "cgroup.subtree_control").read_text().split()
    names = tuple(name for name in CONTROLLERS if name in enabled)
    return [Hierarchy(root, names, True)] if names else []


def find_hierarchies() -> list[Hierarchy]:
    """Find where this process can make control groups; empty where it cannot."""
    points, groups = _mount_points(), _own_groups()
    return _version_1(points, groups) + _version_2(points)
