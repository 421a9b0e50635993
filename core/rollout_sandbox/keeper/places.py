"""Where things lie in a sandbox's file system."""

from __future__ import annotations

__all__ = ["ASIDE", "PRIVATE", "SCRATCH", "UPPER"]

SCRATCH, UPPER = "/scratch", "/upper"
"""Where every writable directory of a sandbox lies, and where its changes are kept, out of sight."""

PRIVATE = {"/tmp": "tmp", "/var/tmp": "tmp", "/run": "run", "/var/run": "run", "/dev/shm": "shm"}
"""Directories that are links into the scratch directory."""

ASIDE = "/.exposed"
"""Where exposed paths lie whose own place a private directory covers."""
