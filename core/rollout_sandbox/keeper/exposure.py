"""Which paths of this machine a sandbox can read: the interpreter, its packages, the system's libraries."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

__all__ = ["exposed_paths", "links_on", "without_nested"]

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types",
    "os-release", "protocols", "services", "ssl", "terminfo", "timezone",
)  # fmt: skip


def _too_wide(path: str) -> bool:
    """Whether exposing this would show a whole home, or the whole machine."""
    return os.path.realpath(path) in ("/", os.path.realpath(os.path.expanduser("~")))


def exposed_paths(python_path: Iterable[str]) -> tuple[str, ...]:
    """Give what every sandbox of this interpreter needs to read.

    :param python_path: where modules are looked for; entries that are a whole home, or ``/``, are left out.
    """
    interpreter = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    wanted = [*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS), *interpreter, *python_path]
    return tuple(path for path in dict.fromkeys(wanted) if os.path.exists(path) and not _too_wide(path))


def links_on(path: str) -> tuple[list[tuple[str, str]], str]:
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


def without_nested(paths: Iterable[str]) -> list[str]:
    """Leave out every path that lies below another one."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path == above or path.startswith(above.rstrip("/") + "/") for above in kept):
            kept.append(path)
    return kept
