"""Stable-Baselines3 on top of rollout_sandbox: every episode in its own fresh sandbox."""

from __future__ import annotations

from sb3_sandbox.vec_env import SandboxedVecEnv

__all__ = ["SandboxedVecEnv"]
