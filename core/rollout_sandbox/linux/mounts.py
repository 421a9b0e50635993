"""Mounts: what the file system of a sandbox is made of."""

from __future__ import annotations

import ctypes
import enum
import os
import platform

from rollout_sandbox.linux.calls import LIBC, checked, encode_path

__all__ = [
    "PROC_FLAGS",
    "MountFlag",
    "bind",
    "bind_read_only",
    "detach",
    "make_private",
    "make_read_only",
    "mount",
    "mount_overlay",
    "mount_proc",
    "mount_tmpfs",
    "pivot_root",
]

_DETACH = 2
_CURRENT_DIRECTORY, _RECURSIVE = -100, 0x8000
_MOUNT_SETATTR = 442  # the same on every processor
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_READ_ONLY_NO_SUID, _NO_DEVICES = 0x1 | 0x2, 0x4


class MountFlag(enum.IntFlag):
    """The flags of mount(2) that are used here."""

    READ_ONLY = 1
    NO_SUID = 2
    NO_DEVICES = 4
    NO_EXEC = 8
    BIND = 4096
    RECURSIVE = 16384
    PRIVATE = 1 << 18


PROC_FLAGS = MountFlag.READ_ONLY | MountFlag.NO_SUID | MountFlag.NO_DEVICES | MountFlag.NO_EXEC
"""How the process list of a sandbox is mounted."""


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
    mount("proc", target, "proc", PROC_FLAGS & ~MountFlag.READ_ONLY if writable else PROC_FLAGS)


def detach(target: str) -> None:
    """Take a mount out of sight; it ends when nothing uses it any more."""
    checked(LIBC.umount2, encode_path(target), _DETACH)


def bind(source: str, target: str) -> None:
    """Show a file or directory, with all that is mounted below it, at a second place."""
    mount(source, target, None, MountFlag.BIND | MountFlag.RECURSIVE)


def make_read_only(target: str, *, recursive: bool, devices: bool = False) -> None:
    """Close a mount to every write, and to programs that change identity (mount_setattr(2), Linux 5.12).

    :param recursive: and everything mounted below it.
    :param devices: device files below it stay usable.
    """
    attributes = _READ_ONLY_NO_SUID | (0 if devices else _NO_DEVICES)
    sets = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    flags = _RECURSIVE if recursive else 0
    size = ctypes.sizeof(sets)
    checked(LIBC.syscall, _MOUNT_SETATTR, _CURRENT_DIRECTORY, encode_path(target), flags, sets, size)


def bind_read_only(source: str, target: str, *, devices: bool = False) -> None:
    """Show a file or directory at a second place, where nothing can be changed."""
    bind(source, target)
    make_read_only(target, recursive=True, devices=devices)


def pivot_root(new_root: str) -> None:
    """Make a mount the root of this mount namespace, and let the old root go."""
    os.chdir(new_root)
    checked(LIBC.syscall, _PIVOT_ROOT[platform.machine()], b".", b".")
    detach(".")
    os.chdir("/")
