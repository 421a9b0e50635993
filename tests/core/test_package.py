"""The package as a whole."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import rollout_sandbox


def test_the_version_is_the_distribution_s() -> None:
    assert rollout_sandbox.__version__ == importlib.metadata.version("rollout-sandbox")


def test_exported_names_exist() -> None:
    assert rollout_sandbox.__all__ == ["__version__"]
    assert all(hasattr(rollout_sandbox, name) for name in rollout_sandbox.__all__)


def test_the_core_imports_no_training_library() -> None:
    wanted = "{'torch', 'stable_baselines3', 'torchrl'}"
    program = f"import sys, rollout_sandbox; print(sorted({wanted} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
