"""What the keeper knows of a template."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from rollout_sandbox.keeper.packets import Op, receive_packet
from rollout_sandbox.keeper.places import SCRATCH
from rollout_sandbox.linux import namespaces
from rollout_sandbox.linux.namespaces import Namespace

__all__ = ["TemplateRecord"]


def _is_open_to_all(path: str) -> bool:
    mode = os.lstat(path).st_mode
    return stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and mode & 0o777 == 0o777)


def _closed_files() -> Iterator[str]:
    """Walk the scratch directory of this mount namespace; find what only its owner can change."""
    for directory, names, files in os.walk(SCRATCH):
        paths = (os.path.join(directory, name) for name in (*names, *files))
        yield from (path for path in paths if not _is_open_to_all(path))


@dataclass
class TemplateRecord:
    """One template, as the keeper sees it.

    :param connection: to the template; nothing that comes from there is trusted.
    :param mount_namespace: a descriptor, once the template runs no more code of its own.
    :param files: what its environment wrote and only its owner can change.
    """

    connection: socket.socket
    mount_namespace: int = -1
    files: list[str] = field(default_factory=list)

    def is_ready(self, home: int) -> bool:
        """Whether cells can be made for it; takes note of its readiness if that has arrived.

        :param home: the mount namespace to come back to.
        """
        if self.mount_namespace >= 0:
            return True
        self.connection.setblocking(False)
        try:
            packet = receive_packet(self.connection)
        except BlockingIOError:
            return False
        if packet is None or packet.op is not Op.TEMPLATE_READY or len(packet.descriptors) != 1:
            return False
        (self.mount_namespace,) = packet.descriptors
        namespaces.join(self.mount_namespace, Namespace.MOUNT)
        self.files = list(_closed_files())
        namespaces.join(home, Namespace.MOUNT)
        return True

    def close(self) -> None:
        """Let it go: a template ends with its connection."""
        self.connection.close()
        if self.mount_namespace >= 0:
            os.close(self.mount_namespace)
