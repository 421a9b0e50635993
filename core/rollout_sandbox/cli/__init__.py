"""The command line: ``rollout-sandbox``."""

from rollout_sandbox.cli.app import app

__all__ = ["app"]
