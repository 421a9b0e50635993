"""The first process of a sandbox's pid namespace: it runs no user code and costs no copy of memory."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import platform
import signal

from rollout_sandbox.linux.calls import LIBC, checked
from rollout_sandbox.linux.namespaces import Namespace
from rollout_sandbox.linux.prepared_calls import PreparedCalls, make_calls

__all__ = ["InitProcess"]

_CLONE_VM, _CLONE_FILES, _CLONE_PIDFD = 0x100, 0x400, 0x1000
_STACK_BYTES = 16384
_ABOVE_TOP = 64  # ``syscall`` reads a seventh argument above its frame, and what follows may not be mapped
_PAUSE_ON_X86_64 = 34

_CALLS = PreparedCalls()
_MASK_BYTES = 8
_mask_before = _CALLS.keep(bytes(_MASK_BYTES))
_BLOCK_SIGNALS = [
    _CALLS.prepare("rt_sigprocmask", signal.SIG_SETMASK, b"\xff" * _MASK_BYTES, _mask_before, _MASK_BYTES)
]
_RESTORE_SIGNALS = [_CALLS.prepare("rt_sigprocmask", signal.SIG_SETMASK, _mask_before, None, _MASK_BYTES)]


def _sleeper() -> tuple[int | None, int]:
    """Give the address of a C function that sleeps for ever, and its argument.

    ``pause`` is a cancellation point and may write to the caller's thread block, which is shared here, so
    the bare system call is taken where it takes no arguments.
    """
    bare = platform.machine() == "x86_64"
    function = LIBC.syscall if bare else LIBC.pause
    return ctypes.cast(function, ctypes.c_void_p).value, _PAUSE_ON_X86_64 if bare else 0


class InitProcess:
    """Process 1 of new user and pid namespaces, asleep in the kernel.

    It shares the memory of its maker and sleeps in C: no page table is copied. It shares the descriptors too:
    a copy of them would keep a stream open after its episode has ended.
    It blocks every signal, and the kernel keeps ``SIGKILL`` from inside away from it; orphans are reaped
    since its maker ignores ``SIGCHLD``. It keeps every capability of its own user namespace, which is what
    keeps an environment in there, with none, from tracing it or reading its memory (ptrace(2)).

    :raises ValueError: if the maker does not ignore ``SIGCHLD``: orphans would stay as zombies.
    :raises OSError: if the kernel refuses new namespaces.
    """

    def __init__(self) -> None:
        if signal.getsignal(signal.SIGCHLD) != signal.SIG_IGN:
            raise ValueError(
                "SIGCHLD is not ignored: orphans of a sandbox would stay as zombies; set it to SIG_IGN"
            )
        self._stack = mmap.mmap(-1, _STACK_BYTES)
        self.pid, self.pidfd = self._start()

    def _start(self) -> tuple[int, int]:
        function, argument = _sleeper()
        top = ctypes.addressof(ctypes.c_char.from_buffer(self._stack)) + _STACK_BYTES - _ABOVE_TOP
        flags = _CLONE_VM | _CLONE_FILES | _CLONE_PIDFD | Namespace.USER | Namespace.PID | signal.SIGCHLD
        pidfd = ctypes.c_int(-1)
        make_calls(_BLOCK_SIGNALS)  # inherited: no handler ever runs
        try:
            pid = checked(LIBC.clone, function, top, int(flags), argument, ctypes.byref(pidfd))
        finally:
            make_calls(_RESTORE_SIGNALS)
        return pid, pidfd.value

    def kill(self) -> None:
        """End it, and with it every process of its pid namespace. Harmless when repeated."""
        if self.pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        os.close(self.pidfd)
        self.pidfd = -1
