"""The janitor: outside of every namespace, to remove what the kernel does not remove by itself."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket

from rollout_sandbox.keeper.control_groups import ControlGroups
from rollout_sandbox.keeper.packets import Op, Packet, receive_packet, send_packet

__all__ = ["Janitor"]

_CHUNK = 65536
_STANDARD_ERROR = 2


class Janitor:
    """Shows what sandboxes print, makes control groups, and ends the keeper when the trainer is gone.

    :param keeper: the connection to it; it closes with the keeper's end.
    :param builder: the process with which the keeper ends.
    :param trainer: a pidfd. A process that the trainer forked may hold its end of a connection open, so a
        closed connection alone does not tell its end.
    :param groups: of the run.
    """

    def __init__(self, keeper: socket.socket, builder: int, trainer: int, groups: ControlGroups) -> None:
        self._keeper, self._builder, self._trainer, self._groups = keeper, builder, trainer, groups
        self._poll = select.epoll()
        self._poll.register(keeper, select.EPOLLIN)
        self._poll.register(trainer, select.EPOLLIN)
        self._outputs: dict[int, socket.socket] = {}

    def run(self) -> None:
        """Work until the keeper and every sandbox are gone."""
        alive = True
        while alive or self._outputs:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._trainer:
                    self._poll.unregister(descriptor)
                    os.kill(self._builder, signal.SIGKILL)
                elif descriptor == self._keeper.fileno():
                    alive = self._serve(receive_packet(self._keeper))
                else:
                    self._show(descriptor)

    def _serve(self, packet: Packet | None) -> bool:
        if packet is None:
            self._poll.unregister(self._keeper)
            return False
        if packet.op is Op.OUTPUT:
            (descriptor,) = packet.descriptors
            self._outputs[descriptor] = socket.socket(fileno=descriptor)
            self._poll.register(descriptor, select.EPOLLIN)
        elif packet.op is Op.CONTROL_GROUP:
            self._hand_out_group()
        return True

    def _hand_out_group(self) -> None:
        """Answer in any case: the keeper waits."""
        descriptors: list[int] = []
        joins = 0
        with contextlib.suppress(OSError):
            descriptors, joins = self._groups.make()
        send_packet(self._keeper, Op.CONTROL_GROUP, value=joins, descriptors=descriptors)
        for descriptor in descriptors:
            os.close(descriptor)

    def _show(self, descriptor: int) -> None:
        """Pass on what a sandbox printed; its end frees the descriptor."""
        with contextlib.suppress(ConnectionError):
            text = self._outputs[descriptor].recv(_CHUNK)
            if text:
                with contextlib.suppress(OSError):
                    os.write(_STANDARD_ERROR, text)
                return
        self._poll.unregister(descriptor)
        self._outputs.pop(descriptor).close()
