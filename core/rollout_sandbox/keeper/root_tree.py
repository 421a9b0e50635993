"""The file system that a run's sandboxes share, read-only: what is listed, and nothing else."""

from __future__ import annotations

import contextlib
import os

from rollout_sandbox.keeper.exposure import links_on, without_nested
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.linux import mounts

__all__ = ["PRIVATE", "SCRATCH", "UPPER", "pivot_into_root_tree", "private_links"]

SCRATCH, UPPER = "/scratch", "/upper"
"""Where every writable directory of a sandbox lies, and where its changes are kept, out of sight."""

PRIVATE = {"/tmp": "tmp", "/var/tmp": "tmp", "/run": "run", "/var/run": "run", "/dev/shm": "shm"}
"""Directories that are links into the scratch directory."""

_ASIDE = "/.exposed"
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


def _is_private(path: str) -> bool:
    return any(path == private or path.startswith(private + "/") for private in (*PRIVATE, SCRATCH))


def _placement(settings: KeeperSettings) -> tuple[dict[str, str], dict[str, str]]:
    """Decide where each exposed path goes: at its own place, or aside where a private directory covers that.

    :return: mounts (real path to place), and symbolic links (place to target).
    """
    links: dict[str, str] = {}
    ends: list[str] = []
    for path in settings.exposed:
        found, end = links_on(path)
        links.update(found)
        ends.append(end)
    places = {end: end for end in without_nested(ends)}
    for number, end in enumerate(path for path in places if _is_private(path)):
        places[end] = links[end] = f"{_ASIDE}/{number}"
    covered = [link for link in links if any(link.startswith(end + "/") for end in places)]
    return places, {link: target for link, target in links.items() if link not in covered}


def private_links(settings: KeeperSettings) -> dict[str, str]:
    """Give the links that belong below private directories, as place in the scratch directory to target."""
    inside = {}
    for link, target in _placement(settings)[1].items():
        for private, name in PRIVATE.items():
            if link.startswith(private + "/"):
                inside[f"{SCRATCH}/{name}{link.removeprefix(private)}"] = target
    return inside


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
    places, links = _placement(settings)
    for source, place in places.items():
        mounts.bind_read_only(source, _make_place(root, place, source))
    private = {place: f"{SCRATCH}/{name}" for place, name in PRIVATE.items()}
    _make_links(root, private | {link: target for link, target in links.items() if not _is_private(link)})
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
