"""How much of the machine one sandbox may use."""

from __future__ import annotations

from typing import Any

from rollout_sandbox.spec.frozen import Frozen
from rollout_sandbox.spec.quantities import check_count, check_positive, parse_size

__all__ = ["Limits"]

_DEFAULTS: dict[str, Any] = {"memory": "512M", "cpus": 1.0, "processes": 64, "disk": "64M"}
_SMALLEST_MEMORY, _SMALLEST_DISK = 16 << 20, 1 << 20


class Limits(Frozen):
    """The limits of one sandbox.

    A limit that is written down is enforced or refused; one that is left at its default is enforced where the
    machine can do it.

    :param memory: bytes, or text such as ``"512M"``; at least 16 MiB; ``None`` for no limit.
    :param cpus: processors, also parts of one; ``None`` for no limit.
    :param processes: processes and threads together; ``None`` for no limit.
    :param disk: bytes of files that it can write, which lie in memory; at least 1 MiB.
    :raises SpecError: if a value cannot be used; the message names it.
    """

    memory: int | None
    cpus: float | None
    processes: int | None
    disk: int
    explicit: frozenset[str]

    def __init__(self, **limits: Any) -> None:
        self._reject_unknown(limits, _DEFAULTS)
        values = _DEFAULTS | limits
        memory, cpus, processes = values["memory"], values["cpus"], values["processes"]
        self._set(
            memory=None if memory is None else parse_size("limits.memory", memory, _SMALLEST_MEMORY),
            cpus=None if cpus is None else check_positive("limits.cpus", cpus),
            processes=None if processes is None else check_count("limits.processes", processes),
            disk=parse_size("limits.disk", values["disk"], _SMALLEST_DISK),
            explicit=frozenset(name for name in limits if limits[name] is not None),
        )
