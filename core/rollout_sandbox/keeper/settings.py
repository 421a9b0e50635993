"""What a run's keeper is told at its start."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

__all__ = ["KeeperSettings"]


@dataclass(frozen=True)
class KeeperSettings:
    """Everything that is the same for every sandbox of a run.

    :param places: paths of this machine that sandboxes can read, and where those lie for them.
    :param links: symbolic links on the way to them, as place to target.
    :param private_links: those of them that lie in private directories, seen from the scratch directory.
    :param mounts: further ones, as (source, target, whether read-only).
    :param python_path: ``sys.path`` of the templates.
    :param working_directory: whose entries, where exposed, are linked in a sandbox's working directory.
    :param network: ``"none"`` or ``"host"``.
    :param disk: bytes of files that a sandbox can write.
    :param memory: bytes, or ``None`` for no limit; so are ``cpus`` (processors) and ``processes``.
    :param trainer: its pid; the run ends with it.
    """

    places: dict[str, str]
    links: dict[str, str]
    private_links: dict[str, str]
    mounts: tuple[tuple[str, str, bool], ...]
    python_path: tuple[str, ...]
    working_directory: str
    network: str
    disk: int
    memory: int | None
    cpus: float | None
    processes: int | None
    trainer: int

    def to_json(self) -> str:
        """Write it down for another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> KeeperSettings:
        """Read what :meth:`to_json` wrote."""
        values = json.loads(text)
        values["python_path"] = tuple(values["python_path"])
        values["mounts"] = tuple(tuple(mount) for mount in values["mounts"])
        return cls(**values)
