"""Run by the tests in a process of its own: confine it, then print the errno of each attempt as JSON."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading

from rollout_sandbox.linux import seccomp
from rollout_sandbox.linux.calls import LIBC

_ATTEMPTS = {
    "unshare": (272, 0x10000000),
    "setns": (308, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0),
    "open_tree": (428, -100, 0, 0),
    "fsopen": (430, 0, 0),
    "ptrace": (101, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "io_uring_setup": (425, 1, 0),
    "bpf": (321, 0, 0, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "userfaultfd": (323, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "request_key": (249, 0, 0, 0, 0),
    "keyctl": (250, 0, -3, 0),
    "open_by_handle_at": (304, 0, 0, 0),
    "clone_with_namespace": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": (435, 0, 0),
    "getpid": (39,),
}
_FAMILIES = {
    "unix": (1, 0),
    "inet": (2, 0),
    "inet6": (10, 0),
    "route": (16, 0),
    "audit": (16, 9),
    "packet": (17, 0),
    "alg": (38, 0),
    "vsock": (40, 0),
}


def _errno_of(arguments: tuple[int, ...]) -> int:
    longs = [ctypes.c_long(argument) for argument in arguments]
    return ctypes.get_errno() if LIBC.syscall(*longs) < 0 else 0


def _errno_of_socket(family: int, protocol: int) -> int:
    try:
        socket.socket(family, socket.SOCK_DGRAM, protocol).close()
    except OSError as error:
        return error.errno or -1
    return 0


def _ordinary_work() -> list[str]:
    """Do what environments do: threads, subprocesses, files."""
    done: list[str] = []
    thread = threading.Thread(target=done.append, args=("thread",))
    thread.start()
    thread.join()
    done.append(
        subprocess.run(["/bin/echo", "subprocess"], check=True, capture_output=True, text=True).stdout.strip()
    )
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    return [*done, "fork"]


if __name__ == "__main__":
    seccomp.apply_filter(seccomp.environment_filter())
    results = {name: _errno_of(arguments) for name, arguments in _ATTEMPTS.items()}
    families = {name: _errno_of_socket(*family) for name, family in _FAMILIES.items()}
    json.dump({"calls": results, "families": families, "work": _ordinary_work()}, sys.stdout)
