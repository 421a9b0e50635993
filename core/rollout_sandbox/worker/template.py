"""The template: builds the environment once, then is forked into a cell for every episode."""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

from rollout_sandbox.keeper.packets import Op, Packet, receive_packet, send_packet
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import namespaces, process, seccomp
from rollout_sandbox.linux.namespaces import Namespace
from rollout_sandbox.linux.prepared_calls import fork_quietly
from rollout_sandbox.wire.blob import receive_blob, send_blob
from rollout_sandbox.wire.codec import encode
from rollout_sandbox.worker import fork_hooks
from rollout_sandbox.worker.blueprint import Blueprint
from rollout_sandbox.worker.describe import describe
from rollout_sandbox.worker.episode_process import EpisodeProcess
from rollout_sandbox.worker.hygiene import shared_state
from rollout_sandbox.worker.surroundings import settle

__all__ = ["TemplateProcess"]

_REAP_EVERY_MS = 1000
_MOST_STATUSES = 1024


class TemplateProcess:
    """A process that holds one built environment and never runs an episode itself.

    :param trainer: the stream on which the blueprint comes and the description goes.
    :param keeper: from whom cells come.
    """

    def __init__(self, trainer: socket.socket, keeper: socket.socket, settings: KeeperSettings) -> None:
        process.set_name("rs-template")
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        self._trainer, self._keeper, self._settings = trainer, keeper, settings
        self._episodes: dict[int, int] = {}
        self._statuses: dict[int, int] = {}

    def run(self) -> NoReturn:
        """Build the environment, describe it to the trainer, then serve the keeper until it is gone."""
        mount_namespace = -1
        try:
            settle(self._settings)
            mount_namespace = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
            seccomp.apply_filter(seccomp.template_filter())
            answer = self._build()
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        if "error" not in answer:
            self._fork = os.fork if fork_hooks.are_needed() else fork_quietly
            self._freeze()
            send_packet(self._keeper, Op.TEMPLATE_READY, descriptors=[mount_namespace])
            os.close(mount_namespace)
        send_blob(self._trainer, encode(answer))
        self._trainer.close()
        self._serve()

    def _build(self) -> dict[str, Any]:
        own = {int(name) for name in os.listdir("/proc/self/fd")}
        blueprint: Blueprint = pickle.loads(receive_blob(self._trainer))
        blueprint.prepare()
        shared = shared_state(own)
        self._episode = EpisodeProcess(blueprint, seccomp.narrowing_filter(), self._settings.processes)
        if blueprint.server is None:
            return {}
        modules = [name for name in sys.modules if not name.startswith("rollout_sandbox")]
        return describe(blueprint.server.env) | {"shared": shared, "modules": modules}

    @staticmethod
    def _freeze() -> None:
        """Keep the collector from touching, and so copying, what every episode shares."""
        gc.collect()
        gc.freeze()

    def _serve(self) -> NoReturn:
        poll = select.poll()
        poll.register(self._keeper, select.POLLIN)
        while True:
            if poll.poll(_REAP_EVERY_MS if self._episodes else None):
                packet = receive_packet(self._keeper)
                if packet is None:
                    os._exit(0)
                self._obey(packet)
            self._reap()

    def _obey(self, packet: Packet) -> None:
        try:
            if packet.op is Op.CELL:
                self._fork_into(packet)
            elif packet.op is Op.INQUIRE:
                self._report(packet)
        finally:
            packet.close()

    def _fork_into(self, packet: Packet) -> None:
        try:
            namespaces.join(packet.descriptors[0], Namespace.PID)
            pid = self._fork()
        except ProcessLookupError:  # the cell was ended before it was used
            return
        except OSError as error:
            print(f"rollout-sandbox: an episode could not start: {error}", file=sys.stderr, flush=True)
            return
        if pid == 0:
            self._episode.run(packet.descriptors)
        self._episodes[pid] = packet.number

    def _reap(self) -> None:
        while self._episodes:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._statuses[self._episodes.pop(pid)] = status
            if len(self._statuses) > _MOST_STATUSES:
                del self._statuses[next(iter(self._statuses))]

    def _report(self, packet: Packet) -> None:
        self._reap()
        with socket.socket(fileno=os.dup(packet.descriptors[0])) as answer:
            send_packet(answer, Op.EXIT, number=packet.number, value=self._statuses.get(packet.number, -1))
