"""The trainer's end of a sandbox's stream, over a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import time

__all__ = ["SocketChannel"]

_AWAKE_SECONDS = 50e-6
_TIMEVAL = struct.Struct("@ll")


class SocketChannel:
    """A blocking stream with deadlines that the kernel keeps, so that one call receives one frame.

    :param stream: connected; owned from now on.
    """

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._timeout = 0.0
        self.send = stream.sendall

    def receive_into(self, view: memoryview, timeout: float, /) -> None:
        """Fill the view.

        :param timeout: seconds to wait for it.
        :raises TimeoutError: if not everything came in time.
        :raises ConnectionError: if the sandbox is gone.
        """
        count = self._receive_soon(view)
        if count != len(view):
            self._receive_rest(view[max(count, 0) :], count, timeout)

    def _receive_soon(self, view: memoryview) -> int:
        """Look again and again for a moment: to sleep and be woken costs more than most steps take.

        :return: how many bytes came, -1 if none did yet. Whoever else can run goes first meanwhile.
        """
        until = time.perf_counter() + _AWAKE_SECONDS
        while True:
            try:
                return self._stream.recv_into(view, 0, socket.MSG_DONTWAIT)
            except BlockingIOError:
                if time.perf_counter() > until:
                    return -1
                os.sched_yield()

    def _receive_rest(self, rest: memoryview, count: int, timeout: float) -> None:
        """Sleep until it comes; the kernel bounds each wait, the clock all of them together."""
        if timeout != self._timeout:
            self._set_timeout(timeout)
        until = time.perf_counter() + timeout
        while rest:
            if count == 0:
                raise ConnectionError("the sandbox is gone")
            if time.perf_counter() > until:
                raise TimeoutError(f"no answer within {timeout:g} s")
            try:
                count = self._stream.recv_into(rest, 0, socket.MSG_WAITALL)
            except BlockingIOError:
                count = -1
            rest = rest[max(count, 0) :]

    def _set_timeout(self, timeout: float) -> None:
        seconds = int(timeout)
        value = _TIMEVAL.pack(seconds, max(int((timeout - seconds) * 1e6), 0 if seconds else 1))
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)
        self._timeout = timeout

    def close(self) -> None:
        """Give the stream back; harmless when repeated."""
        self._stream.close()
