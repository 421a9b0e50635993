"""A native template, as the trainer sees it."""

from __future__ import annotations

import itertools
import socket

from rollout_sandbox.backends.base import EnvDescription, Template
from rollout_sandbox.backends.native.keeper_client import KeeperClient
from rollout_sandbox.backends.native.sandbox import NativeSandbox
from rollout_sandbox.errors import ClosedError
from rollout_sandbox.keeper.packets import Op
from rollout_sandbox.wire.channel import SocketChannel

__all__ = ["NativeTemplate"]


class NativeTemplate(Template):
    """A process with the environment built in it.

    :param keeper: of the run.
    :param number: by which the keeper knows it.
    :param sandbox_numbers: the run's next numbers.
    """

    def __init__(
        self,
        keeper: KeeperClient,
        number: int,
        description: EnvDescription,
        sandbox_numbers: itertools.count[int],
    ) -> None:
        self.description = description
        self._keeper, self._number, self._sandbox_numbers = keeper, number, sandbox_numbers

    def spawn(self, slot: int = 0) -> NativeSandbox:
        """Give a fresh copy at once; it comes up behind its channel.

        :param slot: not needed here: every sandbox is new.
        """
        number = next(self._sandbox_numbers)
        try:
            stream = self._keeper.connect(Op.SPAWN, self._number, number)
        except ConnectionError:
            stream, _ = socket.socketpair()  # a keeper that is gone shows as any failed start does
        return NativeSandbox(self._keeper, number, SocketChannel(stream))

    def close(self) -> None:
        """End the template and every sandbox of it; harmless when repeated."""
        try:
            self._keeper.order(Op.RETIRE, self._number)
        except (OSError, ClosedError):
            return  # the keeper is gone, and with it every template
