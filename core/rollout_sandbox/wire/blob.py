"""Whole messages of any size on a stream: the size, then the bytes."""

from __future__ import annotations

import socket
import struct

from rollout_sandbox.errors import ProtocolError

__all__ = ["receive_blob", "send_blob"]

_SIZE = struct.Struct("<I")
_MOST_BYTES = 1 << 28


def _receive(stream: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = stream.recv_into(view)
        if count == 0:
            raise ConnectionError("the other side closed the stream")
        view = view[count:]
    return data


def send_blob(stream: socket.socket, data: bytes) -> None:
    """Send one message."""
    stream.sendall(_SIZE.pack(len(data)))
    stream.sendall(data)


def receive_blob(stream: socket.socket) -> bytes:
    """Receive one message.

    :raises ProtocolError: if it is announced as larger than 256 MiB.
    :raises ConnectionError: if the stream ends before it is complete.
    """
    (size,) = _SIZE.unpack(_receive(stream, _SIZE.size))
    if size > _MOST_BYTES:
        raise ProtocolError(f"a message of {size} bytes was announced; at most {_MOST_BYTES} are taken")
    return bytes(_receive(stream, size))
