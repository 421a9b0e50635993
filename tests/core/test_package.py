"""The package as a whole."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import rollout_sandbox


def test_the_version_is_the_distribution_s() -> None:
    assert rollout_sandbox.__version__ == importlib.metadata.version("rollout-sandbox")


_PUBLIC = """
BackendUnavailableError ClosedError EnvironmentRaisedError Fault FaultBudgetError InfoDroppedWarning
InlineBackend Limits LimitsNotEnforceableError LimitsNotEnforcedWarning LostMethodCallWarning Mount
NativeBackend Network PluginError ProtocolError RemoteTraceback SandboxCrashedError SandboxError SandboxSpec
SandboxStartError SandboxTimeoutError SandboxWarning SandboxedVecEnv SnapshotFallbackWarning SpecError
TemplateError Timeouts UnsupportedSpaceError __version__ make_vec
"""


def test_what_is_public_is_decided_and_exists() -> None:
    assert sorted(rollout_sandbox.__all__) == sorted(_PUBLIC.split())
    assert all(hasattr(rollout_sandbox, name) for name in rollout_sandbox.__all__)
    assert dir(rollout_sandbox) == rollout_sandbox.__all__


def test_the_core_imports_no_training_library() -> None:
    wanted = "{'torch', 'stable_baselines3', 'torchrl'}"
    program = (
        "import sys, rollout_sandbox\n"
        "for name in rollout_sandbox.__all__: getattr(rollout_sandbox, name)\n"
        f"print(sorted({wanted} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
