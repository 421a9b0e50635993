"""The allow-list of system calls, tried from a confined process."""

from __future__ import annotations

import errno
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rollout_sandbox.linux
from rollout_sandbox.linux import seccomp
from rollout_sandbox.linux.syscall_numbers import ALLOWED, FILTERED

_PROGRAM = Path(__file__).with_name("seccomp_program.py")
_ROOM = Path(rollout_sandbox.linux.__file__).parent
_only_x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the attempts use x86-64 numbers")


@pytest.fixture(scope="module")
def attempts() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(_PROGRAM)],
        check=False, capture_output=True, text=True, timeout=60, env={"PYTHONPATH": str(_ROOM.parent.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@_only_x86_64
def test_dangerous_calls_are_refused(attempts: dict[str, Any]) -> None:
    calls = dict(attempts["calls"])
    assert calls.pop("getpid") == 0
    assert calls.pop("clone3") == errno.ENOSYS
    assert {name: number for name, number in calls.items() if number != errno.EPERM} == {}


@_only_x86_64
def test_only_socket_families_that_respect_network_namespaces_are_allowed(attempts: dict[str, Any]) -> None:
    refused = {name for name, number in attempts["families"].items() if number == errno.EAFNOSUPPORT}
    assert refused == {"audit", "packet", "alg", "vsock"}
    assert {name for name, number in attempts["families"].items() if number == 0} >= {"unix", "inet", "route"}


@_only_x86_64
def test_ordinary_work_goes_on(attempts: dict[str, Any]) -> None:
    assert attempts["work"] == ["thread", "subprocess", "fork"]


@pytest.mark.parametrize("machine", sorted(ALLOWED))
def test_a_filter_fits_the_kernel_and_allows_nothing_twice(machine: str) -> None:
    instructions = seccomp.environment_filter(machine)
    assert len(instructions) % 8 == 0
    assert len(instructions) // 8 < 4096
    numbers = list(ALLOWED[machine].values())
    assert len(set(numbers)) == len(numbers)
    assert not set(numbers) & set(FILTERED[machine].values())


def test_an_unknown_processor_is_named() -> None:
    with pytest.raises(OSError, match="'riscv64'"):
        seccomp.environment_filter("riscv64")
