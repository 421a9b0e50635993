"""What a sandbox can reach."""

from __future__ import annotations

from rollout_sandbox.errors import SpecError
from rollout_sandbox.spec.frozen import Frozen

__all__ = ["Network"]


class Network(Frozen):
    """The network of a sandbox.

    :param mode: ``"none"``, a loopback of its own and nothing else; or ``"host"``, this machine's.
    :raises SpecError: for any other mode.
    """

    mode: str

    def __init__(self, mode: str = "none") -> None:
        if mode not in ("none", "host"):
            raise SpecError(f"network.mode={mode!r} is not known: use Network.none() or Network.host()")
        self._set(mode=mode)

    @classmethod
    def none(cls) -> Network:
        """Give every sandbox a loopback of its own, and nothing else."""
        return cls("none")

    @classmethod
    def host(cls) -> Network:
        """Share this machine's network: episodes can then meet through it."""
        return cls("host")
