"""Every episode of a reinforcement-learning environment in its own fresh container."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
