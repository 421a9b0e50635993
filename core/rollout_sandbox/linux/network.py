"""The network of a sandbox: a namespace of its own, with nothing but itself in it."""

from __future__ import annotations

import fcntl
import socket
import struct

__all__ = ["bring_up_loopback"]

_SET_INTERFACE_FLAGS, _UP = 0x8914, 0x1


def bring_up_loopback() -> None:
    """Let programs in this network namespace reach each other at 127.0.0.1 and ::1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_INTERFACE_FLAGS, struct.pack("16sh22x", b"lo", _UP))
