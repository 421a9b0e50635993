"""The loop of an episode's process."""

from __future__ import annotations

import contextlib
import socket

from rollout_sandbox.wire.order import as_bytes
from rollout_sandbox.worker.episode import EpisodeServer

__all__ = ["serve"]


def _receive(stream: socket.socket, size: int) -> bytes:
    parts = bytearray(size)
    view = memoryview(parts)
    while view:
        count = stream.recv_into(view, 0, socket.MSG_WAITALL)
        if count == 0:
            return b""
        view = view[count:]
    return bytes(parts)


def serve(stream: socket.socket, server: EpisodeServer) -> None:
    """Answer commands until the trainer closes the stream.

    :param stream: blocking.
    """
    with contextlib.suppress(ConnectionError):  # a trainer that goes without reading an answer
        _serve(stream, server)


def _serve(stream: socket.socket, server: EpisodeServer) -> None:
    command = as_bytes(server.command)
    reply = as_bytes(server.reply)
    size, waits = len(command), socket.MSG_WAITALL
    while stream.recv_into(command, 0, waits) == size:
        payload = _receive(stream, int(server.payload_size[0])) if server.payload_size[0] else b""
        answer = server.handle(payload)
        stream.sendall(b"".join((reply, answer)) if answer else reply)
