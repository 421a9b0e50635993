"""The zygote: does the imports that every template needs, once, and is forked into each of them."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import site
import socket
import sys
import traceback
from typing import NoReturn

from rollout_sandbox.keeper.packets import Packet, receive_packet
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import process
from rollout_sandbox.worker import fork_hooks

__all__ = ["run_zygote"]


def _close_others(keep: int) -> None:
    os.closerange(3, keep)
    os.closerange(keep + 1, 1 << 20)


def _take_python_path(settings: KeeperSettings) -> None:
    """Find modules where the trainer finds them; ``.pth`` files may install importers of their own."""
    before = sys.stdout, sys.stderr
    site.main()
    sys.stdout, sys.stderr = before
    sys.path[:] = settings.python_path


def run_zygote(keeper: socket.socket, settings: KeeperSettings) -> NoReturn:
    """Wait for orders of the keeper and make templates.

    :param keeper: from whom descriptors come: the template's stream to the trainer, and its own connection.
    """
    process.set_name("rs-zygote")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        _close_others(keeper.fileno())
        _take_python_path(settings)
        fork_hooks.watch()
        with contextlib.suppress(ImportError):  # each template tries again, and says why it cannot
            importlib.import_module("rollout_sandbox.worker.template")
        gc.freeze()
        while (packet := receive_packet(keeper)) is not None:
            if os.fork() == 0:
                keeper.close()
                _become_template(packet, settings)
            packet.close()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _become_template(packet: Packet, settings: KeeperSettings) -> NoReturn:
    from rollout_sandbox.worker.template import TemplateProcess

    trainer, keeper = (socket.socket(fileno=descriptor) for descriptor in packet.descriptors)
    TemplateProcess(trainer, keeper, settings).run()
