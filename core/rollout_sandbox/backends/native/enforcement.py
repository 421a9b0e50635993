"""Which limits this machine can enforce on native sandboxes."""

from __future__ import annotations

import warnings

from rollout_sandbox.errors import LimitsNotEnforceableError, LimitsNotEnforcedWarning
from rollout_sandbox.linux.control_groups import find_hierarchies
from rollout_sandbox.spec import SandboxSpec

__all__ = ["check_limits", "enforced_limits"]

_CONTROLLERS = {"memory": "memory", "cpus": "cpu"}


def enforced_limits() -> dict[str, bool]:
    """Say for each limit whether it is enforced here.

    Disk and processes need nothing of the machine; memory and processors need control groups that this
    process can make.
    """
    controllers = {name for tree in find_hierarchies() for name in tree.controllers}
    counted = "pids" in controllers  # without it no group is used, see keeper/control_groups.py
    found = {limit: counted and name in controllers for limit, name in _CONTROLLERS.items()}
    return {"disk": True, "processes": True, **found}


def check_limits(spec: SandboxSpec) -> None:
    """Refuse limits that were written and cannot be enforced; warn of defaults that are not.

    :raises LimitsNotEnforceableError: unless the spec says ``limits_best_effort``.
    """
    enforced = enforced_limits()
    missing = [name for name in _CONTROLLERS if getattr(spec.limits, name) is not None and not enforced[name]]
    written = [name for name in missing if name in spec.limits.explicit]
    if written and not spec.limits_best_effort:
        raise LimitsNotEnforceableError(
            f"limits.{', limits.'.join(written)} cannot be enforced here: this process cannot make control "
            "groups. Run as root or have a group delegated, leave it out, or write limits_best_effort=True"
        )
    if missing:
        warnings.warn(
            f"not enforced here, since this process cannot make control groups: {', '.join(missing)}",
            LimitsNotEnforcedWarning,
            stacklevel=5,
        )
