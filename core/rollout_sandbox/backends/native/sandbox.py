"""One native sandbox, as the trainer sees it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rollout_sandbox.backends.base import Sandbox
from rollout_sandbox.backends.native.keeper_client import KeeperClient
from rollout_sandbox.errors import ClosedError
from rollout_sandbox.keeper.packets import Op, packet_pair, receive_packet
from rollout_sandbox.outcomes import Fault, FaultKind
from rollout_sandbox.wire.channel import SocketChannel

__all__ = ["NativeSandbox"]

_ANSWER_SECONDS = 0.2
_RETRY_SECONDS = 0.01
_STILL_RUNNING = -1


def _start_time(pid: int) -> float:
    """Read when a process started, in clock ticks since boot (proc(5), field 22)."""
    return float(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def _pid_of(pidfd: int) -> int:
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    return -1


class NativeSandbox(Sandbox):
    """A cell with an episode in it.

    :param keeper: which made it.
    :param number: by which the keeper knows it.
    :param channel: to the episode.
    """

    def __init__(self, keeper: KeeperClient, number: int, channel: SocketChannel) -> None:
        self.id = f"native-{os.getpid()}-{number}"
        self.channel = channel
        self._keeper, self._number, self._killed = keeper, number, False

    def _inquire(self) -> tuple[int | None, int]:
        """Ask keeper and template.

        :return: a pidfd of its init, owned by the caller, or ``None``; and its wait status.
        """
        pidfd, status = None, _STILL_RUNNING
        ours, theirs = packet_pair()
        with ours:
            with theirs:
                self._keeper.order(Op.INQUIRE, number=self._number, descriptors=[theirs.fileno()])
            ours.settimeout(_ANSWER_SECONDS)
            while (packet := receive_packet(ours)) is not None:
                if packet.op is Op.INIT and pidfd is None and packet.descriptors:
                    pidfd = packet.descriptors[0]
                elif packet.op is Op.EXIT:
                    status = packet.value
                    break
        return pidfd, status

    def process(self) -> tuple[int, float] | None:
        """Give pid and start time of its init, the process whose end is the end of all inside."""
        pidfd, _ = self._inquire()
        if pidfd is None:
            return None
        try:
            pid = _pid_of(pidfd)
            return (pid, _start_time(pid)) if pid > 0 else None
        finally:
            os.close(pidfd)

    def _wait_status(self) -> int:
        """Wait a moment for the end of the episode's process."""
        until = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                pidfd, status = self._inquire()
            except (OSError, ClosedError):
                return _STILL_RUNNING
            if pidfd is not None:
                os.close(pidfd)
            if status != _STILL_RUNNING or time.monotonic() > until:
                return status
            time.sleep(_RETRY_SECONDS)

    def fault(self, kind: FaultKind, detail: str) -> Fault:
        """Say what is known about its end; a sandbox that was killed for a timeout is not asked."""
        status = _STILL_RUNNING if kind in ("step_timeout", "reset_timeout") else self._wait_status()
        if status == _STILL_RUNNING:
            return Fault(kind, detail, sandbox_id=self.id)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            return Fault(kind, detail, signal=-code, sandbox_id=self.id)
        return Fault(kind, detail, exit_code=code, sandbox_id=self.id)

    def kill(self) -> None:
        """End every process inside; never blocks, harmless when repeated."""
        if self._killed:
            return
        self._killed = True
        self.channel.close()
        try:
            self._keeper.order(Op.KILL, number=self._number)
        except (OSError, ClosedError):
            return  # the keeper is gone, and with it every sandbox
