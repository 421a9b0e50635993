"""A path of this machine that sandboxes see."""

from __future__ import annotations

import os
from typing import Any

from rollout_sandbox.errors import SpecError
from rollout_sandbox.spec.frozen import Frozen

__all__ = ["Mount"]


def _absolute(field: str, value: Any) -> str:
    path = os.fspath(value)
    if not isinstance(path, str) or not os.path.isabs(path):
        raise SpecError(f"{field}={value!r} is not an absolute path: write it from '/' on")
    return os.path.normpath(path)


class Mount(Frozen):
    """One file or directory that every sandbox sees.

    A writable one is a channel between episodes, by the user's own choice.

    :param source: absolute path on this machine; must exist.
    :param target: absolute path in the sandbox; default: the same.
    :param read_only: whether sandboxes can only read it.
    :raises SpecError: if a path is not absolute or does not exist.
    """

    source: str
    target: str
    read_only: bool

    def __init__(self, source: Any, target: Any = None, read_only: bool = True) -> None:
        source = _absolute("mount.source", source)
        if not os.path.exists(source):
            raise SpecError(f"mount.source={source!r} does not exist: make it first, or correct the path")
        target = source if target is None else _absolute("mount.target", target)
        self._set(source=source, target=target, read_only=bool(read_only))
