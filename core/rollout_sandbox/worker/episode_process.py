"""The process of one episode: from a fork of its template to a confined copy in its own cell."""

from __future__ import annotations

import os
import socket
import sys
import traceback
from typing import NoReturn

from rollout_sandbox.seeding import renew_hidden_randomness
from rollout_sandbox.worker.blueprint import Blueprint
from rollout_sandbox.worker.entrance import Entrance
from rollout_sandbox.worker.serve import serve

__all__ = ["EpisodeProcess"]


def _silence_input() -> None:
    silent = os.open("/dev/null", os.O_RDONLY)
    os.dup2(silent, 0)
    os.close(silent)


class EpisodeProcess:
    """What a fork of a template does; made before the fork, and used once in each.

    :param blueprint: already prepared.
    :param narrowing: the last system call filter.
    :param processes: how many an episode may have.
    """

    def __init__(self, blueprint: Blueprint, narrowing: bytes, processes: int | None) -> None:
        self._blueprint = blueprint
        _silence_input()
        self._channel, other = socket.socketpair()  # holds the place of the stream to come
        other.close()
        self._entrance = Entrance(narrowing, processes, self._channel.fileno())

    def run(self, descriptors: tuple[int, ...]) -> NoReturn:
        """Enter the cell, serve one episode, end. Never returns.

        :param descriptors: as in a ``CELL`` packet.
        """
        status = 1
        try:
            self._entrance.enter(descriptors)
            renew_hidden_randomness()
            serve(self._channel, self._blueprint.serve_episode())
            status = 0
        except ProcessLookupError:  # the cell was ended before it was used
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
