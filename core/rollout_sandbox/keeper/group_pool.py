"""The keeper's control groups: used again by one sandbox after another, never by two at once."""

from __future__ import annotations

import os
import socket
from collections import deque
from dataclasses import dataclass

from rollout_sandbox.keeper.packets import Op, receive_packet, send_packet

__all__ = ["GroupLease", "GroupPool"]


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 4096, 0).decode()


@dataclass
class GroupLease:
    """One group, while one sandbox has it.

    :param joins: where a process writes ``0`` to join, one descriptor for each tree of groups.
    :param counters: where processes are counted, and where kills for memory are; those that exist.
    """

    joins: tuple[int, ...] = ()
    counters: tuple[int, ...] = ()
    kills_before: int = 0

    def is_empty(self) -> bool:
        """Whether every process that was in it has ended."""
        return not self.counters or int(_read(self.counters[0])) == 0

    def _count_kills(self) -> int:
        if len(self.counters) < 2:
            return 0
        lines = (line.split() for line in _read(self.counters[1]).splitlines())
        return sum(int(words[1]) for words in lines if words[0] == "oom_kill")

    def begin(self) -> None:
        """Note where the counters stand."""
        self.kills_before = self._count_kills()

    def memory_kills(self) -> int:
        """Give how many processes of this sandbox were killed for memory."""
        return self._count_kills() - self.kills_before


class GroupPool:
    """Hands out groups that no process is in.

    :param janitor: who makes new ones.
    """

    def __init__(self, janitor: socket.socket) -> None:
        self._janitor = janitor
        self._free: deque[GroupLease] = deque()

    def take(self) -> GroupLease:
        """Give an empty group; one without descriptors where this machine has none to give."""
        lease = self._free.popleft() if self._free and self._free[0].is_empty() else self._ask()
        lease.begin()
        return lease

    def _ask(self) -> GroupLease:
        send_packet(self._janitor, Op.CONTROL_GROUP)
        packet = receive_packet(self._janitor)
        if packet is None:
            return GroupLease()
        return GroupLease(packet.descriptors[: packet.value], packet.descriptors[packet.value :])

    def give_back(self, lease: GroupLease) -> None:
        """Take a group back, while its last processes may still be ending."""
        if lease.joins:
            self._free.append(lease)
