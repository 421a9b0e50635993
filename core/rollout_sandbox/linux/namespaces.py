"""Namespaces: which parts of the machine a process sees."""

from __future__ import annotations

import enum
import os

from rollout_sandbox.linux.calls import LIBC, checked

__all__ = ["IdMap", "Namespace", "enter_user_namespace", "join", "unshare", "write_id_maps"]

IdMap = tuple[int, int, int]
"""First id inside, first id outside, how many: one line of ``/proc/PID/uid_map`` (user_namespaces(7))."""


class Namespace(enum.IntFlag):
    """The ``CLONE_NEW*`` flags of namespaces(7)."""

    MOUNT = 0x00020000
    CGROUP = 0x02000000
    UTS = 0x04000000
    IPC = 0x08000000
    USER = 0x10000000
    PID = 0x20000000
    NETWORK = 0x40000000


def unshare(namespaces: int) -> None:
    """Move this process (for ``PID``: its future children) into new namespaces.

    :raises OSError: ``EPERM`` where the machine forbids it, ``EINVAL`` in a process with threads (``USER``).
    """
    checked(LIBC.unshare, namespaces)


def join(descriptor: int, namespaces: Namespace) -> None:
    """Move this process (for ``PID``: its future children) into existing namespaces.

    :param descriptor: a namespace file, or a pidfd of a process that lives in them (Linux 5.8).
    """
    checked(LIBC.setns, descriptor, int(namespaces))


def write_id_maps(pid: int, uids: IdMap, gids: IdMap) -> None:
    """Say which users and groups a new user namespace knows.

    Without ``CAP_SETGID`` outside, the kernel wants ``setgroups`` refused first.

    :param pid: a process inside the namespace, as seen from here.
    """
    for name, content in (("uid_map", uids), ("gid_map", gids)):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write("{} {} {}\n".format(*content))


def enter_user_namespace(uids: IdMap, gids: IdMap, others: int = 0) -> None:
    """Move this process into a new user namespace, where it has every capability, and others owned by it.

    A range of ids can only be written by a process that stays outside, so one is forked for it.

    :param others: further namespaces to make in the same call.
    :raises OSError: if the namespace or its maps were refused.
    """
    parent, privileged = os.getpid(), os.geteuid() == 0
    go_read, go_write = os.pipe()
    writer = os.fork()
    if writer == 0:
        os.close(go_write)
        os._exit(_write_when_told(go_read, parent, uids, gids, privileged))
    os.close(go_read)
    try:
        unshare(Namespace.USER | others)
        os.write(go_write, b"x")
    finally:
        os.close(go_write)
        _, status = os.waitpid(writer, 0)
    if status != 0:
        number = os.waitstatus_to_exitcode(status)
        raise OSError(number, f"id maps {uids} and {gids} were refused: {os.strerror(number)}")


def _write_when_told(go: int, pid: int, uids: IdMap, gids: IdMap, privileged: bool) -> int:
    """Wait for the namespace, write its maps; the errno of a failure is the exit code."""
    if os.read(go, 1) != b"x":
        return 0
    try:
        if not privileged:
            with open(f"/proc/{pid}/setgroups", "w") as file:
                file.write("deny")
        write_id_maps(pid, uids, gids)
    except OSError as error:
        return error.errno or 1
    return 0
