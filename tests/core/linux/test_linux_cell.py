"""One sandbox after another, made from the pieces of the Linux room, as root and as an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rollout_sandbox.linux

_PROGRAM = Path(__file__).with_name("cell_program.py")
_UNPRIVILEGED = 23456
_SYSTEM_PYTHON = "/usr/bin/python3"


def _mounts() -> str:
    return Path("/proc/self/mounts").read_text()


def _run(interpreter: str, program: Path, package: Path, **identity: Any) -> list[dict[str, Any]]:
    directory = tempfile.mkdtemp(dir="/tmp")
    if "user" in identity:
        os.chown(directory, identity["user"], identity["group"])
    environment = {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [interpreter, str(program), directory],
            check=False, capture_output=True, text=True, timeout=60, env=environment, cwd="/", **identity,
        )  # fmt: skip
    finally:
        os.rmdir(directory)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module", params=["root", "ordinary user"])
def episodes(request: pytest.FixtureRequest) -> Iterator[list[dict[str, Any]]]:
    package = Path(rollout_sandbox.linux.__file__).parent.parent
    before = _mounts()
    if request.param == "root":
        if os.geteuid() != 0:
            pytest.skip("needs root")
        yield _run(sys.executable, _PROGRAM, package.parent)
    else:
        with tempfile.TemporaryDirectory(dir="/tmp") as shared:
            os.chmod(shared, 0o755)
            shutil.copytree(
                package, f"{shared}/rollout_sandbox", ignore=shutil.ignore_patterns("__pycache__")
            )
            program = Path(shutil.copy(_PROGRAM, shared))
            identity: dict[str, Any] = {}
            if os.geteuid() == 0:
                identity = {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []}
            yield _run(_SYSTEM_PYTHON, program, Path(shared), **identity)
    assert _mounts() == before


def test_each_sandbox_sees_what_the_template_wrote_and_nothing_else(episodes: list[dict[str, Any]]) -> None:
    assert [facts["found"] for facts in episodes] == [["pristine"]] * 3


def test_only_the_init_and_the_environment_are_visible(episodes: list[dict[str, Any]]) -> None:
    assert [(facts["pid"], facts["visible"]) for facts in episodes] == [(2, [1, 2])] * 3


def test_the_identity_is_the_same_everywhere_and_without_capabilities(episodes: list[dict[str, Any]]) -> None:
    for facts in episodes:
        assert facts["uid"] == 1000
        assert {int(value, 16) for value in facts["capabilities"]} == {0}


def test_the_init_cannot_be_read_or_killed_from_inside(episodes: list[dict[str, Any]]) -> None:
    for facts in episodes:
        assert facts["init_memory"] == "PermissionError"
        assert facts["survived"]


def test_nothing_below_proc_can_be_written(episodes: list[dict[str, Any]]) -> None:
    for facts in episodes:
        assert facts["core_pattern"] == facts["own_status_writable"] == "OSError"


def test_the_network_is_a_new_one(episodes: list[dict[str, Any]]) -> None:
    for facts in episodes:
        assert "lo" in facts["interfaces"]
        assert not [name for name in facts["interfaces"] if name.startswith(("eth", "en", "wl"))]


def test_a_daemon_that_ignores_signals_dies_with_its_sandbox(episodes: list[dict[str, Any]]) -> None:
    assert all(facts["death_seconds"] < 5 for facts in episodes)
