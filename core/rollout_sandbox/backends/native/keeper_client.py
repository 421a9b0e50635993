"""The trainer's side of a keeper."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import rollout_sandbox
from rollout_sandbox.errors import BackendUnavailableError, ClosedError
from rollout_sandbox.keeper.exposure import exposed_paths, place
from rollout_sandbox.keeper.packets import Op, packet_pair, send_packet
from rollout_sandbox.keeper.run_name import RUN_VARIABLE, run_name
from rollout_sandbox.keeper.settings import KeeperSettings
from rollout_sandbox.keeper.start import READY
from rollout_sandbox.spec import SandboxSpec

__all__ = ["KeeperClient"]

_SOURCE_ROOT = str(Path(rollout_sandbox.__file__).parent.parent)
_START = (
    "import sys; sys.path.append(sys.argv[1])\n"
    "from rollout_sandbox.keeper.settings import KeeperSettings\n"
    "from rollout_sandbox.keeper.start import main\n"
    "main(int(sys.argv[2]), KeeperSettings.from_json(sys.argv[3]))\n"
)
_FLAGS = ("-s", "-S", "-P")  # no site, no user site, no current directory: nothing but the standard library
_PASSED = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "MUJOCO_GL", "PYOPENGL_PLATFORM")
_PASSED_PREFIX = "LC_"
_SET = {
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_CLOSE_SECONDS = 10.0


def _hash_seed() -> str:
    """Give the hash seed of every sandbox: the trainer's, if that is a fixed one."""
    own = os.environ.get("PYTHONHASHSEED", "")
    return own if own.isdigit() else "0"


def _environment() -> dict[str, str]:
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED or name.startswith(_PASSED_PREFIX)
    }
    return passed | _SET | {"PYTHONHASHSEED": _hash_seed(), RUN_VARIABLE: run_name()}


def _settings(spec: SandboxSpec) -> KeeperSettings:
    python_path = tuple(os.path.abspath(entry) for entry in sys.path)
    exposure = place(exposed_paths([*python_path, _SOURCE_ROOT]))
    limits = spec.limits
    return KeeperSettings(
        places=exposure.places,
        links=exposure.links,
        private_links=exposure.private_links,
        mounts=tuple((mount.source, mount.target, mount.read_only) for mount in spec.mounts),
        python_path=(*python_path, _SOURCE_ROOT),
        working_directory=os.getcwd(),
        network=spec.network.mode,
        disk=limits.disk,
        memory=limits.memory,
        cpus=limits.cpus,
        processes=limits.processes,
        trainer=os.getpid(),
    )


class KeeperClient:
    """Starts the processes of a run, and gives them orders.

    :raises BackendUnavailableError: if this machine refuses what they need.
    """

    def __init__(self, spec: SandboxSpec) -> None:
        self._orders, theirs = packet_pair()
        with theirs:
            command = [sys.executable, *_FLAGS, "-c", _START, _SOURCE_ROOT, str(theirs.fileno())]
            self._process = subprocess.Popen(
                [*command, _settings(spec).to_json()],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_environment(),
                start_new_session=True,
            )
        self._await_start(spec.timeouts.start)

    def _await_start(self, timeout: float) -> None:
        self._orders.settimeout(timeout)
        try:
            answer = self._orders.recv(4096)
        except TimeoutError:
            answer = f"it did not come up within {timeout:g} s".encode()
        if answer == READY:
            self._orders.settimeout(None)
            return
        self.close()
        reason = answer.decode(errors="replace") or "it ended without a word"
        raise BackendUnavailableError(
            f"the native backend cannot start here: {reason}. "
            "Run `rollout-sandbox doctor` to see what is missing"
        )

    def order(
        self, op: Op, template: int = 0, number: int = 0, value: int = 0, descriptors: Iterable[int] = ()
    ) -> None:
        """Send one order; the descriptors stay open here.

        :raises ConnectionError: if the keeper is gone.
        :raises ClosedError: after :meth:`close`.
        """
        if self._orders.fileno() < 0:
            raise ClosedError("the backend was closed: make a new one")
        send_packet(self._orders, op, template, number, value, descriptors)

    def connect(self, op: Op, template: int, number: int = 0, value: int = 0) -> socket.socket:
        """Send an order with one end of a new stream, and give the other end."""
        ours, theirs = socket.socketpair()
        with theirs:
            self.order(op, template, number, value, [theirs.fileno()])
        return ours

    def close(self) -> None:
        """End every process of the run and wait for it; harmless when repeated."""
        self._orders.close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
