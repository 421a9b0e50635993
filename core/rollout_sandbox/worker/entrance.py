"""The way from a fork of a template into its own cell, made ready before the fork."""

from __future__ import annotations

import os
import resource
import struct
from collections.abc import Iterable

from rollout_sandbox.keeper.cell import INSIDE_ID
from rollout_sandbox.linux import mounts, privileges, process, seccomp
from rollout_sandbox.linux.namespaces import Namespace
from rollout_sandbox.linux.prepared_calls import Call, PreparedCalls, make_calls

__all__ = ["Entrance"]

_JOINED = Namespace.MOUNT | Namespace.IPC | Namespace.UTS | Namespace.NETWORK
_LAST_DESCRIPTOR = 0xFFFFFFFF
_LIMIT = struct.Struct("@QQ")


class Entrance:
    """Leads a copied process into a cell and takes every privilege away from it.

    :param narrowing: the last system call filter.
    :param processes: how many it may have; counted in its own user namespace.
    :param channel: the descriptor that becomes the stream to the trainer.
    """

    def __init__(self, narrowing: bytes, processes: int | None, channel: int) -> None:
        self._calls = calls = PreparedCalls()
        self._channel = channel
        self._written = calls.keep(b"0")
        self._before = [
            calls.prepare("prctl", process.SET_NAME, b"rs-episode"),
            calls.prepare("unshare", Namespace.CGROUP),
        ]
        self._mount = calls.prepare("mount", b"proc", b"/proc", b"proc", mounts.PROC_FLAGS)
        self._inside = [*self._become_nobody(), *self._limit(processes), *self._confine(narrowing)]
        self._close = [
            calls.prepare("close_range", 3, channel - 1),
            calls.prepare("close_range", channel + 1, _LAST_DESCRIPTOR),
        ]

    def _become_nobody(self) -> Iterable[Call]:
        prepare = self._calls.prepare
        yield prepare("setresgid", INSIDE_ID, INSIDE_ID, INSIDE_ID)
        yield prepare("setresuid", INSIDE_ID, INSIDE_ID, INSIDE_ID)
        yield prepare("prctl", privileges.SET_DUMPABLE, 1)
        yield prepare("prctl", privileges.SET_NO_NEW_PRIVILEGES, 1)
        yield prepare("capset", *privileges.NO_CAPABILITIES)
        yield prepare("chdir", os.fsencode(os.environ["PWD"]))
        yield prepare("setsid")

    def _limit(self, processes: int | None) -> Iterable[Call]:
        limits = {resource.RLIMIT_CORE: 0}
        if processes is not None:
            limits[resource.RLIMIT_NPROC] = processes
        for kind, most in limits.items():
            yield self._calls.prepare("prlimit64", 0, kind, _LIMIT.pack(most, most), None)

    def _confine(self, narrowing: bytes) -> Iterable[Call]:
        program = seccomp.filter_program(self._calls.keep(narrowing), len(narrowing))
        yield self._calls.prepare("prctl", seccomp.SET_SECCOMP, seccomp.FILTER_MODE, program)

    def enter(self, descriptors: tuple[int, ...]) -> None:
        """Enter, keep the output and the stream, and let go of all else that was inherited.

        :param descriptors: as in a ``CELL`` packet: init, stream, output, and a way into each control group.
        :raises ProcessLookupError: if the cell was ended before.
        """
        prepare = self._calls.prepare
        init, stream, output, *groups = descriptors
        make_calls(prepare("write", group, self._written, 1) for group in groups)
        make_calls(self._before)
        make_calls((prepare("setns", init, _JOINED), self._mount, prepare("setns", init, Namespace.USER)))
        places = (output, 1), (output, 2), (stream, self._channel)
        make_calls(prepare("dup3", source, place, 0) for source, place in places)
        make_calls(self._close)
        make_calls(self._inside)
