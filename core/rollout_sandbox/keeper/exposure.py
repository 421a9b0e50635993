"""Which paths of this machine a sandbox can read: the interpreter, its packages, the system's libraries."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from rollout_sandbox.keeper.places import ASIDE, PRIVATE, SCRATCH

__all__ = ["Exposure", "exposed_paths", "place"]

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types",
    "os-release", "protocols", "services", "ssl", "terminfo", "timezone",
)  # fmt: skip
_TOO_WIDE = ("/", "/dev", "/dev/shm", "/etc", "/home", "/mnt", "/run", "/tmp", "/var", "/var/run", "/var/tmp")


def _too_wide(path: str) -> bool:
    """Whether exposing this would show a whole home, what others left in /tmp, or the whole machine."""
    return os.path.realpath(path) in (*_TOO_WIDE, os.path.realpath(os.path.expanduser("~")))


def exposed_paths(python_path: Iterable[str]) -> tuple[str, ...]:
    """Give what every sandbox of this interpreter needs to read.

    :param python_path: where modules are looked for; entries that would show a
        whole home, ``/tmp`` and the like are left out.
    """
    interpreter = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    wanted = [*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS), *interpreter, *python_path]
    return tuple(path for path in dict.fromkeys(wanted) if os.path.exists(path) and not _too_wide(path))


def _links_on(path: str) -> tuple[list[tuple[str, str]], str]:
    """Walk a path as the kernel does.

    :return: every symbolic link on the way as (place, target), and the place where the walk ends.
    """
    links: list[tuple[str, str]] = []
    here, rest = "/", [part for part in os.path.abspath(path).split("/") if part]
    while rest:
        step = os.path.join(here, rest.pop(0))
        if not os.path.islink(step):
            here = os.path.normpath(step)
            continue
        target = os.readlink(step)
        links.append((step, target))
        rest = [part for part in target.split("/") if part] + rest
        here = "/" if target.startswith("/") else here
        if len(links) > 40:
            raise OSError(f"too many symbolic links on {path}")
    return links, here


def _without_nested(paths: Iterable[str]) -> list[str]:
    """Leave out every path that lies below another one."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path == above or path.startswith(above.rstrip("/") + "/") for above in kept):
            kept.append(path)
    return kept


def _is_private(path: str) -> bool:
    return any(path == private or path.startswith(private + "/") for private in (*PRIVATE, SCRATCH))


@dataclass(frozen=True)
class Exposure:
    """What a sandbox sees of this machine.

    :param places: real paths, and where those lie in a sandbox.
    :param links: symbolic links, as place to target.
    :param private_links: links in private directories, seen from the scratch directory.
    """

    places: dict[str, str]
    links: dict[str, str]
    private_links: dict[str, str]


def place(paths: Iterable[str]) -> Exposure:
    """Decide where paths go: at their own place, or aside where a private directory covers that."""
    links: dict[str, str] = {}
    ends: list[str] = []
    for path in paths:
        found, end = _links_on(path)
        links.update(found)
        ends.append(end)
    places = {end: end for end in _without_nested(ends)}
    for number, end in enumerate(end for end in places if _is_private(end)):
        places[end] = links[end] = f"{ASIDE}/{number}"
    shown = {
        link: target
        for link, target in links.items()
        if not any(link.startswith(end + "/") for end in places)
    }
    public = {link: target for link, target in shown.items() if not _is_private(link)}
    return Exposure(places, public, _seen_from_scratch(shown))


def _seen_from_scratch(links: dict[str, str]) -> dict[str, str]:
    return {
        f"{SCRATCH}/{name}{link.removeprefix(private)}": target
        for link, target in links.items()
        for private, name in PRIVATE.items()
        if link.startswith(private + "/")
    }
