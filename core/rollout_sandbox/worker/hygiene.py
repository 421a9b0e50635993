"""What a constructed environment holds that a fork would share instead of copy."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

__all__ = ["shared_state"]

_STANDARD = (0, 1, 2)


def _shared_memory() -> Iterator[str]:
    with open("/proc/self/maps") as file:
        for line in file:
            fields = line.split(maxsplit=5)
            if fields[1].startswith("rw") and fields[1].endswith("s"):
                yield f"writable shared memory ({fields[5].strip() if len(fields) > 5 else 'anonymous'})"


def _open_files(known: Collection[int]) -> Iterator[str]:
    for name in os.listdir("/proc/self/fd"):
        if int(name) in known or int(name) in _STANDARD:
            continue
        try:
            yield f"open descriptor {name} ({os.readlink(f'/proc/self/fd/{name}')})"
        except FileNotFoundError:  # the listing's own
            continue


def _threads() -> Iterator[str]:
    count = len(os.listdir("/proc/self/task"))
    if count > 1:
        yield f"{count - 1} running thread{'s' if count > 2 else ''}"


def _children() -> Iterator[str]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        if count := len(file.read().split()):
            yield f"{count} child process{'es' if count > 1 else ''}"


def shared_state(known: Collection[int]) -> list[str]:
    """List what keeps this process from being copied faithfully.

    :param known: descriptors that belong to the sandbox itself.
    :return: one phrase for each thing, empty if a fork is a faithful copy.
    """
    return [*_shared_memory(), *_open_files(known), *_threads(), *_children()]
