"""The file system that a run's sandboxes share, read-only: what is listed, and nothing else."""

from __future__ import annotations

import contextlib
import os

from rollout_sandbox.keeper.places import PRIVATE, SCRATCH, UPPER
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import mounts

__all__ = ["pivot_into_root_tree"]

_DEVICES = ("null", "zero", "full", "random", "urandom")
_PLACE = "/sys"  # exists everywhere, holds nothing a sandbox may see, and hides nothing that is needed
_FILES = {
    "passwd": "root:x:0:0::/nonexistent:/bin/false\nsandbox:x:1000:1000::/scratch/home:/bin/sh\n",
    "group": "root:x:0:\nsandbox:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "machine-id": "00000000000000000000000000000000\n",
}


def _make_place(root: str, place: str, source: str) -> str:
    target = root + place
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    return target


def _make_links(root: str, links: dict[str, str]) -> None:
    for place, target in links.items():
        os.makedirs(os.path.dirname(root + place), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.symlink(target, root + place)


def _make_devices(root: str) -> None:
    for name in _DEVICES:
        mounts.bind_read_only(f"/dev/{name}", _make_place(root, f"/dev/{name}", f"/dev/{name}"), devices=True)
    descriptors = "/proc/self/fd"
    standard = {"stdin": 0, "stdout": 1, "stderr": 2}
    _make_links(root, {f"/dev/{name}": f"{descriptors}/{number}" for name, number in standard.items()})
    _make_links(root, {"/dev/fd": descriptors})


def _make_settings(root: str) -> None:
    os.makedirs(f"{root}/etc", exist_ok=True)
    for name, content in _FILES.items():
        with open(f"{root}/etc/{name}", "w") as file:
            file.write(content)


def _fill(root: str, settings: KeeperSettings) -> None:
    for source, place in settings.places.items():
        mounts.bind_read_only(source, _make_place(root, place, source))
    _make_links(root, {place: f"{SCRATCH}/{name}" for place, name in PRIVATE.items()})
    _make_links(root, settings.links)
    _make_links(root, settings.private_links)  # for imports, before a template has its own scratch directory
    for name in (SCRATCH, UPPER, "/proc", "/dev", "/etc"):
        os.makedirs(root + name, exist_ok=True)


def _add_mounts(root: str, settings: KeeperSettings) -> None:
    for source, place, read_only in settings.mounts:
        target = _make_place(root, place, source)
        (mounts.bind_read_only if read_only else mounts.bind)(source, target)


def pivot_into_root_tree(settings: KeeperSettings) -> None:
    """Leave this machine's file system for one that holds only what is listed.

    The process must be in a mount namespace of its own. The machine's ``/proc`` stays mounted, since the
    kernel allows a new one in a user namespace only beside a visible one; it is covered right after.
    """
    mounts.make_private()
    mounts.mount_tmpfs(_PLACE, 4 << 20, 4096)
    os.chmod(_PLACE, 0o755)
    _fill(_PLACE, settings)
    _make_devices(_PLACE)
    _make_settings(_PLACE)
    _add_mounts(_PLACE, settings)
    mounts.bind("/proc", f"{_PLACE}/proc")
    mounts.pivot_root(_PLACE)
    mounts.make_read_only("/", recursive=False, devices=True)
