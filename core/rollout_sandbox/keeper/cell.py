"""A cell: an empty container that one episode moves into."""

from __future__ import annotations

import os
from dataclasses import dataclass

from rollout_sandbox.keeper.group_pool import GroupLease
from rollout_sandbox.keeper.places import SCRATCH, UPPER
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import mounts, namespaces, network
from rollout_sandbox.linux.init_process import InitProcess
from rollout_sandbox.linux.namespaces import Namespace

__all__ = ["INSIDE_ID", "OUTSIDE_IDS", "Cell", "CellMaker", "apart", "prepare_scratch"]

INSIDE_ID = 1000
"""Every process of a run sees itself as this user and group."""

OUTSIDE_IDS = range(2000, 60_000)
"""Which users, as the keeper sees them, cells are given in turn when the keeper was started by root."""

_SMALLEST_INODE_COUNT = 4096


def apart(network_mode: str) -> Namespace:
    """Give the namespaces that an episode has to itself, beside those of users and processes."""
    shared = Namespace.MOUNT | Namespace.IPC | Namespace.UTS
    return shared if network_mode == "host" else shared | Namespace.NETWORK


def prepare_scratch(target: str, size: int) -> None:
    """Mount an empty file system that holds at most so many bytes."""
    mounts.mount_tmpfs(target, size, max(size // 4096, _SMALLEST_INODE_COUNT))


@dataclass
class Cell:
    """Namespaces, a copy-on-write file system and an init; everything inside ends with the init.

    :param template: the number of the template that forks into it.
    :param group: the control group that the episode joins, if there is one.
    """

    template: int
    init: InitProcess
    group: GroupLease | None = None

    def kill(self) -> None:
        """End every process inside. Harmless when repeated."""
        self.init.kill()


class CellMaker:
    """Makes cells in this process: no fork, and no memory copied.

    :param settings: of the run.
    :param privileged: whether cells can have different users, seen from outside.
    """

    def __init__(self, settings: KeeperSettings, *, privileged: bool) -> None:
        self._disk = settings.disk
        self._apart = apart(settings.network)
        self._has_network = Namespace.NETWORK in self._apart
        self._ids = OUTSIDE_IDS if privileged else range(INSIDE_ID, INSIDE_ID + 1)
        self._made = 0
        self.home = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)

    def make(self, template: int, mount_namespace: int, files: list[str]) -> Cell:
        """Make an empty cell.

        :param mount_namespace: the template's, as a descriptor.
        :param files: what the template's environment wrote, to be given to the cell's user.
        """
        outside = self._ids[self._made % len(self._ids)]
        self._made += 1
        namespaces.join(mount_namespace, Namespace.MOUNT)
        try:
            namespaces.unshare(self._apart)
            if self._has_network:
                network.bring_up_loopback()
            self._mount(outside, files)
            init = InitProcess()
        finally:
            namespaces.join(self.home, Namespace.MOUNT)
        namespaces.write_id_maps(init.pid, (INSIDE_ID, outside, 1), (INSIDE_ID, outside, 1))
        return Cell(template, init)

    def _mount(self, outside: int, files: list[str]) -> None:
        prepare_scratch(UPPER, self._disk)
        changes, work = f"{UPPER}/changes", f"{UPPER}/work"
        os.mkdir(changes)
        os.chmod(changes, 0o755)  # the mode of the overlay's own root
        os.mkdir(work)
        mounts.mount_overlay(SCRATCH, SCRATCH, changes, work)
        mounts.detach(UPPER)
        if outside != INSIDE_ID:
            for path in files:
                os.lchown(path, outside, outside)
