"""How a run's processes start."""

from __future__ import annotations

import os
import signal
import socket

from rollout_sandbox.keeper.cell import INSIDE_ID
from rollout_sandbox.keeper.control_groups import ControlGroups
from rollout_sandbox.keeper.janitor import Janitor
from rollout_sandbox.keeper.keeper import Keeper
from rollout_sandbox.keeper.packets import packet_pair
from rollout_sandbox.keeper.root_tree import pivot_into_root_tree
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import namespaces, privileges, process
from rollout_sandbox.linux.namespaces import Namespace

__all__ = ["READY", "main"]

READY = b"ready"
"""What the trainer receives when the keeper takes orders; anything else says why it cannot."""

_RANGE = 60_000
_FIRST_ID = 1_000_000
_PROCESS_GROUPS = 4000


def _enter_as_root(settings: KeeperSettings) -> None:
    """Build the tree with real privileges (packages may lie below a closed home), then give them up.

    The user namespace comes last, which locks every mount as it is. Runs at the same time get different ids.
    """
    namespaces.unshare(Namespace.MOUNT)
    pivot_into_root_tree(settings)
    first = _FIRST_ID + os.getpid() % _PROCESS_GROUPS * (_RANGE + INSIDE_ID)
    ids = (INSIDE_ID, first, _RANGE)
    namespaces.enter_user_namespace(ids, ids, Namespace.MOUNT | Namespace.PID)
    os.setgroups([])


def _enter_as_user(settings: KeeperSettings) -> None:
    """Build the tree in a first user namespace; a second one locks every mount as it is."""
    uids, gids = (INSIDE_ID, os.geteuid(), 1), (INSIDE_ID, os.getegid(), 1)
    namespaces.enter_user_namespace(uids, gids, Namespace.MOUNT)
    pivot_into_root_tree(settings)
    ids = (INSIDE_ID, INSIDE_ID, 1)
    namespaces.enter_user_namespace(ids, ids, Namespace.MOUNT | Namespace.PID)


def _build(settings: KeeperSettings, trainer: socket.socket, janitor: socket.socket) -> None:
    """Leave the machine's name spaces, and start the keeper as process 1 of the run's own."""
    process.set_name("rs-builder")
    privileged = os.geteuid() == 0
    (_enter_as_root if privileged else _enter_as_user)(settings)
    privileges.become_with_capabilities(INSIDE_ID, INSIDE_ID)
    keeper = os.fork()
    if keeper == 0:
        process.die_with_parent()
        started = Keeper(settings, trainer, janitor, privileged=privileged)
        trainer.send(READY)
        started.run()
        os._exit(0)
    trainer.close()
    janitor.close()
    os.waitpid(keeper, 0)


def _report_failure(trainer: socket.socket, error: BaseException) -> None:
    trainer.send(f"{type(error).__name__}: {error}".encode())


def main(descriptor: int, settings: KeeperSettings) -> None:
    """Run the janitor in this process, and all else below it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    process.set_name("rs-janitor")
    trainer = socket.socket(fileno=descriptor)
    trainer_process = os.pidfd_open(settings.trainer)
    ours, theirs = packet_pair()
    builder = os.fork()
    if builder == 0:
        ours.close()
        try:
            _build(settings, trainer, theirs)
        except BaseException as error:
            _report_failure(trainer, error)
            os._exit(1)
        os._exit(0)
    trainer.close()
    theirs.close()
    groups = ControlGroups(settings)
    Janitor(ours, builder, trainer_process, groups).run()
    os.waitpid(builder, 0)
    groups.close()
