"""The keeper: process 1 of a run. It makes and ends sandboxes, and runs no code of an environment."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys

from rollout_sandbox.keeper.cell import Cell, CellMaker
from rollout_sandbox.keeper.group_pool import GroupPool
from rollout_sandbox.keeper.packets import Op, Packet, packet_pair, receive_packet, send_packet
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.keeper.template_record import TemplateRecord
from rollout_sandbox.linux import mounts, process

__all__ = ["Keeper"]


class Keeper:
    """Serves the trainer until that is gone; its end is the end of every process of the run.

    :param settings: of the run.
    :param trainer: whose orders it takes.
    :param janitor: who makes control groups, and shows what sandboxes print.
    :param privileged: whether root started the run.
    """

    def __init__(
        self, settings: KeeperSettings, trainer: socket.socket, janitor: socket.socket, *, privileged: bool
    ) -> None:
        process.set_name("rs-keeper")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
        mounts.mount_proc("/proc", writable=True)
        self._settings, self._trainer, self._janitor = settings, trainer, janitor
        self._zygote = self._start_zygote()
        self._groups = GroupPool(janitor)
        self._maker = CellMaker(settings, privileged=privileged)
        self._templates: dict[int, TemplateRecord] = {}
        self._cells: dict[int, Cell] = {}
        self._orders = {
            Op.PREPARE: self._prepare,
            Op.SPAWN: self._spawn,
            Op.KILL: self._kill,
            Op.INQUIRE: self._inquire,
            Op.RETIRE: self._retire,
        }

    def _start_zygote(self) -> socket.socket:
        ours, theirs = packet_pair()
        if os.fork() == 0:
            for connection in (ours, self._trainer, self._janitor):
                connection.close()
            from rollout_sandbox.worker.zygote import run_zygote

            run_zygote(theirs, self._settings)
        theirs.close()
        return ours

    def run(self) -> None:
        """Take orders until the trainer or the janitor is gone."""
        poll = select.poll()
        poll.register(self._trainer, select.POLLIN)
        poll.register(self._janitor, select.POLLHUP)
        while True:
            ready = dict(poll.poll())
            if self._janitor.fileno() in ready:
                return
            packet = receive_packet(self._trainer)
            if packet is None:
                return
            self._obey(packet)

    def _obey(self, packet: Packet) -> None:
        """Carry out one order; what fails is seen by the trainer as an end of the stream."""
        try:
            self._orders[packet.op](packet)
        except OSError as error:
            print(f"rollout-sandbox: {packet.op.name} failed: {error}", file=sys.stderr, flush=True)
        finally:
            packet.close()

    def _prepare(self, packet: Packet) -> None:
        ours, theirs = packet_pair()
        self._templates[packet.template] = TemplateRecord(ours)
        with theirs:
            descriptors = (*packet.descriptors, theirs.fileno())
            send_packet(self._zygote, Op.PREPARE, packet.template, descriptors=descriptors)

    def _spawn(self, packet: Packet) -> None:
        template = self._templates[packet.template]
        if not template.is_ready(self._maker.home):
            return
        cell = self._maker.make(packet.template, template.mount_namespace, template.files)
        self._cells[packet.number] = cell
        cell.group = self._groups.take()
        output, episodes_output = socket.socketpair()
        with output, episodes_output:
            send_packet(self._janitor, Op.OUTPUT, number=packet.number, descriptors=[output.fileno()])
            descriptors = (cell.init.pidfd, *packet.descriptors, episodes_output.fileno(), *cell.group.joins)
            send_packet(template.connection, Op.CELL, number=packet.number, descriptors=descriptors)

    def _kill(self, packet: Packet) -> None:
        cell = self._cells.pop(packet.number, None)
        if cell is not None:
            self._end(cell)

    def _end(self, cell: Cell) -> None:
        cell.kill()
        if cell.group is not None:
            self._groups.give_back(cell.group)

    def _inquire(self, packet: Packet) -> None:
        cell = self._cells.get(packet.number)
        if cell is None:
            return
        with socket.socket(fileno=os.dup(packet.descriptors[0])) as answer:
            kills = cell.group.memory_kills() if cell.group else 0
            send_packet(answer, Op.INIT, number=packet.number, value=kills, descriptors=[cell.init.pidfd])
        connection = self._templates[cell.template].connection
        send_packet(connection, Op.INQUIRE, number=packet.number, descriptors=packet.descriptors)

    def _retire(self, packet: Packet) -> None:
        for number in [number for number, cell in self._cells.items() if cell.template == packet.template]:
            self._end(self._cells.pop(number))
        template = self._templates.pop(packet.template, None)
        if template is not None:
            template.close()
