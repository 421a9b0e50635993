"""What a sandbox is: limits, timeouts, network, mounts."""

from rollout_sandbox.spec.limits import Limits
from rollout_sandbox.spec.mount import Mount
from rollout_sandbox.spec.network import Network
from rollout_sandbox.spec.sandbox_spec import SandboxSpec
from rollout_sandbox.spec.timeouts import Timeouts

__all__ = ["Limits", "Mount", "Network", "SandboxSpec", "Timeouts"]
