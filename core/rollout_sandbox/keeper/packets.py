"""What the processes of a run tell each other: one packet, with descriptors where a thing is handed over."""

from __future__ import annotations

import array
import enum
import os
import socket
import struct
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Op", "Packet", "packet_pair", "receive_packet", "send_packet"]

_HEADER = struct.Struct("<BIQq")
_MOST_DESCRIPTORS = 8


class Op(enum.IntEnum):
    """What a packet asks for or reports."""

    PREPARE = 1
    """Make a template; descriptor: its stream to the trainer."""
    TEMPLATE_READY = 2
    """A template will run no more user code of its own; descriptor: its mount namespace."""
    SPAWN = 3
    """Make a sandbox; descriptor: its stream to the trainer."""
    KILL = 4
    """End a sandbox."""
    INQUIRE = 5
    """Report on a sandbox; descriptor: where to answer."""
    RETIRE = 6
    """End a template and every sandbox of it."""
    CELL = 7
    """Fork into a cell; descriptors: init, stream, output, then control groups."""
    INIT = 8
    """Answer to INQUIRE by the keeper; descriptor: a pidfd of the init. Value: kills for memory."""
    EXIT = 9
    """Answer to INQUIRE by the template. Value: the wait status, or -1 while it runs."""
    CONTROL_GROUP = 10
    """Ask for a control group; the answer carries its descriptors. Value: how many are for joining."""
    OUTPUT = 11
    """Read what a sandbox prints; descriptor: where it comes from."""


class Packet(NamedTuple):
    """One message.

    :param template: the number of the template it is about.
    :param number: the number of the sandbox it is about.
    :param value: what is reported.
    :param descriptors: owned by the receiver.
    """

    op: Op
    template: int = 0
    number: int = 0
    value: int = 0
    descriptors: tuple[int, ...] = ()

    def close(self) -> None:
        """Give the descriptors back."""
        for descriptor in self.descriptors:
            os.close(descriptor)


def packet_pair() -> tuple[socket.socket, socket.socket]:
    """Make a connection that keeps packets whole."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send_packet(
    connection: socket.socket,
    op: Op,
    template: int = 0,
    number: int = 0,
    value: int = 0,
    descriptors: Iterable[int] = (),
) -> None:
    """Send one packet; the descriptors stay open here.

    :raises OSError: if the other side is gone.
    """
    passed = array.array("i", descriptors)
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)] if passed else []
    connection.sendmsg([_HEADER.pack(op, template, number, value)], ancillary, socket.MSG_NOSIGNAL)


def receive_packet(connection: socket.socket) -> Packet | None:
    """Receive one packet; ``None`` when the other side is gone."""
    passed = array.array("i")
    room = socket.CMSG_SPACE(_MOST_DESCRIPTORS * passed.itemsize)
    data, ancillary, _, _ = connection.recvmsg(_HEADER.size, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            passed.frombytes(content[: len(content) - len(content) % passed.itemsize])
    if len(data) != _HEADER.size:
        Packet(Op.KILL, descriptors=tuple(passed)).close()
        return None
    op, template, number, value = _HEADER.unpack(data)
    return Packet(Op(op), template, number, value, tuple(passed))
