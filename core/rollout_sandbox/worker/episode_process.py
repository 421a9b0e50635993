"""The process of one episode: from a fork of its template to a confined copy in its own cell."""

from __future__ import annotations

import os
import resource
import socket
import sys
import traceback
from typing import NoReturn

from rollout_sandbox.keeper.cell import INSIDE_ID
from rollout_sandbox.linux import mounts, namespaces, privileges, process, seccomp
from rollout_sandbox.linux.namespaces import Namespace
from rollout_sandbox.seeding import renew_hidden_randomness
from rollout_sandbox.worker.blueprint import Blueprint
from rollout_sandbox.worker.serve import serve

__all__ = ["run_episode"]

_JOINED = Namespace.MOUNT | Namespace.IPC | Namespace.UTS | Namespace.NETWORK
_CHANNEL = 3


def _take_descriptors(stream: int, output: int) -> socket.socket:
    """Keep a silent input, the output and the stream, and let go of everything that was inherited."""
    silent = os.open("/dev/null", os.O_RDONLY)
    os.dup2(silent, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if stream != _CHANNEL:
        os.dup2(stream, _CHANNEL)
    os.closerange(_CHANNEL + 1, 1 << 20)
    return socket.socket(fileno=_CHANNEL)


def _enter_cell(init: int, groups: list[int]) -> None:
    for group in groups:
        os.write(group, b"0")
    namespaces.unshare(Namespace.CGROUP)
    namespaces.join(init, _JOINED)
    mounts.mount_proc("/proc")
    namespaces.join(init, Namespace.USER)
    privileges.become(INSIDE_ID, INSIDE_ID)
    privileges.drop_capabilities()
    os.chdir(os.environ["PWD"])


def _confine(narrowing: bytes, processes: int | None) -> None:
    os.setsid()
    if processes is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seccomp.apply_filter(narrowing)


def run_episode(
    descriptors: tuple[int, ...], blueprint: Blueprint, narrowing: bytes, processes: int | None
) -> NoReturn:
    """Enter the cell, serve one episode, end. Never returns.

    :param descriptors: as in a ``CELL`` packet: init, stream, output, and a way into each control group.
    :param narrowing: the last system call filter.
    :param processes: how many it may have; counted in its own user namespace.
    """
    status = 1
    try:
        process.set_name("rs-episode")
        init, stream, output, *groups = descriptors
        _enter_cell(init, groups)
        _confine(narrowing, processes)
        channel = _take_descriptors(stream, output)
        renew_hidden_randomness()
        serve(channel, blueprint.serve_episode())
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)
