"""Everything about a sandbox that is not its environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rollout_sandbox.errors import SpecError
from rollout_sandbox.spec.frozen import Frozen
from rollout_sandbox.spec.limits import Limits
from rollout_sandbox.spec.mount import Mount
from rollout_sandbox.spec.network import Network
from rollout_sandbox.spec.timeouts import Timeouts

__all__ = ["SandboxSpec"]

_SNAPSHOTS = ("env", "imports")


def _of_type(field: str, value: Any, wanted: type) -> Any:
    if not isinstance(value, wanted):
        raise SpecError(f"{field}={value!r} is a {type(value).__name__}: give a {wanted.__name__}")
    return value


def _variables(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    for name, value in _of_type("environment", environment, Mapping).items():
        if (
            not isinstance(name, str)
            or not isinstance(value, str)
            or not name
            or "=" in name
            or "\0" in name + value
        ):
            raise SpecError(f"environment has {name!r}: {value!r}, but names and values must be plain text")
    return tuple(environment.items())


class SandboxSpec(Frozen):
    """How each sandbox is made.

    :param image: a container image, for backends that use one.
    :param limits: how much of the machine it may use.
    :param timeouts: how long the trainer waits for it.
    :param network: what it can reach.
    :param mounts: further paths of this machine that it sees.
    :param environment: further environment variables.
    :param snapshot: ``"env"``: the environment is built once and copied for every episode; ``"imports"``:
        only its imports are, and it is built in every episode.
    :param limits_best_effort: whether written limits that this machine cannot enforce are let pass.
    :raises SpecError: if a value cannot be used; the message names it.
    """

    image: str | None
    limits: Limits
    timeouts: Timeouts
    network: Network
    mounts: tuple[Mount, ...]
    environment: tuple[tuple[str, str], ...]
    snapshot: str
    limits_best_effort: bool

    def __init__(
        self,
        image: str | None = None,
        limits: Limits | None = None,
        timeouts: Timeouts | None = None,
        network: Network | None = None,
        mounts: Iterable[Mount] = (),
        environment: Mapping[str, str] | None = None,
        snapshot: str = "env",
        limits_best_effort: bool = False,
    ) -> None:
        if snapshot not in _SNAPSHOTS:
            raise SpecError(f"snapshot={snapshot!r} is not known: use one of {', '.join(_SNAPSHOTS)}")
        self._set(
            image=None if image is None else _of_type("image", image, str),
            limits=_of_type("limits", Limits() if limits is None else limits, Limits),
            timeouts=_of_type("timeouts", Timeouts() if timeouts is None else timeouts, Timeouts),
            network=_of_type("network", Network() if network is None else network, Network),
            mounts=tuple(_of_type("mounts", mount, Mount) for mount in mounts),
            environment=_variables(environment or {}),
            snapshot=snapshot,
            limits_best_effort=bool(limits_best_effort),
        )
