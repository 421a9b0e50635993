"""One sandbox from the pieces of the Linux room; the tests run this in a process of its own.

The process that calls this enters new namespaces for good, so it must never be the test process itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time

from rollout_sandbox.linux import mounts, namespaces, privileges
from rollout_sandbox.linux.init_process import InitProcess
from rollout_sandbox.linux.namespaces import Namespace

_INSIDE = 1000
_APART = Namespace.MOUNT | Namespace.IPC | Namespace.UTS | Namespace.NETWORK


def _refusal(path: str, mode: str) -> str:
    try:
        with open(path, mode):
            return "opened"
    except OSError as error:
        return type(error).__name__


def _look_around(scratch: str) -> dict[str, object]:
    """Try what an environment must not manage, and leave something behind."""
    found = sorted(os.listdir(scratch))
    with open(f"{scratch}/left", "w") as file:
        file.write("x")
    with open("/proc/self/status") as file:
        capabilities = [line.split()[1] for line in file if line.startswith(("CapEff", "CapPrm"))]
    with contextlib.suppress(PermissionError):
        os.kill(1, signal.SIGKILL)
    return {
        "found": found,
        "pid": os.getpid(),
        "uid": os.getuid(),
        "visible": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
        "capabilities": capabilities,
        "init_memory": _refusal("/proc/1/mem", "rb"),
        "core_pattern": _refusal("/proc/sys/kernel/core_pattern", "w"),
        "own_status_writable": _refusal("/proc/self/comm", "w"),
        "interfaces": [name for _, name in socket.if_nameindex()],
        "survived": True,
    }


def _enter(pidfd: int) -> None:
    namespaces.join(pidfd, _APART)
    mounts.mount_proc("/proc")
    namespaces.join(pidfd, Namespace.USER)
    privileges.become(_INSIDE, _INSIDE)
    privileges.drop_capabilities()


def _prepare_cell(root: str, base: int) -> None:
    namespaces.join(base, Namespace.MOUNT)
    namespaces.unshare(_APART)
    mounts.mount_tmpfs(f"{root}/upper", 1 << 20, 64)
    os.mkdir(f"{root}/upper/changes")
    os.chmod(f"{root}/upper/changes", 0o777)  # the mode of the overlay's own root
    os.mkdir(f"{root}/upper/work")
    mounts.mount_overlay(f"{root}/scratch", f"{root}/scratch", f"{root}/upper/changes", f"{root}/upper/work")
    mounts.detach(f"{root}/upper")


def _episode(root: str, base: int, own_pid_namespace: int, uid: int) -> tuple[dict[str, object], float]:
    """Run one sandbox; give what it saw and how many seconds it took to die."""
    _prepare_cell(root, base)
    init = InitProcess()
    namespaces.write_id_maps(init.pid, (_INSIDE, uid, 1), (_INSIDE, uid, 1))
    ours, theirs = socket.socketpair()
    namespaces.join(init.pidfd, Namespace.PID)
    if os.fork() == 0:
        _enter(init.pidfd)
        theirs.send(json.dumps(_look_around(f"{root}/scratch")).encode())
        if os.fork() == 0:
            os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    namespaces.join(own_pid_namespace, Namespace.PID)
    theirs.close()
    facts: dict[str, object] = json.loads(ours.recv(65536))
    killed = time.monotonic()
    init.kill()
    init.kill()
    ours.settimeout(10)
    assert ours.recv(1) == b"", "the channel ends when every process of the sandbox has ended"
    return facts, time.monotonic() - killed


def main(root: str) -> None:
    """Make a small keeper of this process, run three sandboxes one after another, print what they saw."""
    privileged = os.geteuid() == 0
    outside = 700_000 if privileged else os.geteuid()
    ids = (_INSIDE, outside, 8 if privileged else 1)
    namespaces.enter_user_namespace(ids, ids, Namespace.MOUNT | Namespace.PID)
    if privileged:
        os.setgroups([])
    privileges.become_with_capabilities(_INSIDE, _INSIDE)
    if (keeper := os.fork()) != 0:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(keeper, 0)[1]))
    mounts.make_private()
    mounts.mount_proc("/proc", writable=True)
    mounts.mount_tmpfs(root, 1 << 20, 64)
    for name in ("scratch", "upper"):
        os.mkdir(f"{root}/{name}")
    mounts.mount_tmpfs(f"{root}/scratch", 1 << 20, 64)
    os.chmod(f"{root}/scratch", 0o777)
    with open(f"{root}/scratch/pristine", "w") as file:
        file.write("from the template")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    base, own = (os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("mnt", "pid"))
    uids = [_INSIDE + number if privileged else _INSIDE for number in (1, 2, 3)]
    for uid in uids:
        facts, seconds = _episode(root, base, own, uid)
        print(json.dumps(facts | {"death_seconds": seconds}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
