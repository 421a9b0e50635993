"""The file system and the environment variables that a template builds its environment in."""

from __future__ import annotations

import os

from rollout_sandbox.keeper.cell import apart, prepare_scratch
from rollout_sandbox.keeper.places import PRIVATE, SCRATCH
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import mounts, namespaces, network
from rollout_sandbox.linux.namespaces import Namespace

__all__ = ["HOME", "WORK", "settle"]

HOME, WORK = f"{SCRATCH}/home", f"{SCRATCH}/work"
_OPEN_TO_ALL = 0o1777


def _make_private_directories() -> None:
    for name in ("home", "work", *PRIVATE.values()):
        os.makedirs(f"{SCRATCH}/{name}", exist_ok=True)
        os.chmod(f"{SCRATCH}/{name}", _OPEN_TO_ALL & 0o777)


def _link(place: str, target: str) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if not os.path.lexists(place):
        os.symlink(target, place)


def _link_working_directory(directory: str) -> None:
    """Let relative paths be read where the trainer's directory is exposed; what is written stays private."""
    if not os.path.isdir(directory):
        return
    for name in os.listdir(directory):
        _link(f"{WORK}/{name}", os.path.join(directory, name))


def settle(settings: KeeperSettings) -> None:
    """Move this process into namespaces of its own, with an empty, writable scratch directory."""
    namespaces.unshare(apart(settings.network))
    if Namespace.NETWORK in apart(settings.network):
        network.bring_up_loopback()
    mounts.mount_proc("/proc")
    prepare_scratch(SCRATCH, settings.disk)
    os.chmod(SCRATCH, 0o755)
    _make_private_directories()
    for place, target in settings.private_links.items():
        _link(place, target)
    _link_working_directory(settings.working_directory)
    os.environ.update(HOME=HOME, PWD=WORK, USER="sandbox", LOGNAME="sandbox")
    os.chdir(WORK)
