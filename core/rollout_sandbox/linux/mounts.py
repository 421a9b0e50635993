"""Mounts: what the file system of a sandbox is made of."""

from __future__ import annotations

import enum

from rollout_sandbox.linux.calls import LIBC, checked, encode_path

__all__ = ["MountFlag", "detach", "make_private", "mount", "mount_overlay", "mount_proc", "mount_tmpfs"]

_DETACH = 2


class MountFlag(enum.IntFlag):
    """The flags of mount(2) that are used here."""

    READ_ONLY = 1
    NO_SUID = 2
    NO_DEVICES = 4
    NO_EXEC = 8
    BIND = 4096
    RECURSIVE = 16384
    PRIVATE = 1 << 18


def mount(
    source: str | None,
    target: str,
    kind: str | None,
    flags: int = 0,
    data: str | None = None,
) -> None:
    """Mount a file system, as mount(2) does.

    :param kind: the file system's type, for instance ``"tmpfs"``.
    :param flags: :class:`MountFlag` members, or none.
    :param data: its own options.
    """
    names = [encode_path(text) for text in (source, target, kind)]
    checked(LIBC.mount, *names, int(flags), encode_path(data))


def make_private() -> None:
    """Keep what is mounted from now on out of every other mount namespace."""
    mount(None, "/", None, MountFlag.RECURSIVE | MountFlag.PRIVATE)


def mount_tmpfs(target: str, size: int, inodes: int) -> None:
    """Mount an empty file system in memory.

    :param size: the most bytes it holds.
    :param inodes: the most files and directories it holds.
    """
    mount(
        "tmpfs", target, "tmpfs", MountFlag.NO_SUID | MountFlag.NO_DEVICES, f"size={size},nr_inodes={inodes}"
    )


def mount_overlay(target: str, lower: str, upper: str, work: str) -> None:
    """Mount a copy-on-write view of ``lower``; every change goes to ``upper``.

    :param work: an empty directory on the file system of ``upper``.
    """
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    mount("overlay", target, "overlay", MountFlag.NO_SUID | MountFlag.NO_DEVICES, options)


def mount_proc(target: str, *, writable: bool = False) -> None:
    """Mount the process list of this process's own pid namespace.

    Read-only closes every file below ``/proc`` at once, ``/proc/sys`` and ``/proc/sysrq-trigger`` included.
    """
    flags = MountFlag.NO_SUID | MountFlag.NO_DEVICES | MountFlag.NO_EXEC
    mount("proc", target, "proc", flags if writable else flags | MountFlag.READ_ONLY)


def detach(target: str) -> None:
    """Take a mount out of sight; it ends when nothing uses it any more."""
    checked(LIBC.umount2, encode_path(target), _DETACH)
