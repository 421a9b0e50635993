"""What the commands need of Stable-Baselines3, imported when it is used."""

from __future__ import annotations

from typing import Any

import typer
from gymnasium import spaces

__all__ = ["algorithm_class", "make_sandboxed", "policy_name"]


def _missing(error: ImportError) -> typer.BadParameter:
    return typer.BadParameter(
        f"this needs Stable-Baselines3 ({error}): pip install 'rollout-sandbox[sb3]'", param_hint="--algo"
    )


def algorithm_class(name: str) -> Any:
    """Give an algorithm by its short name."""
    try:
        import stable_baselines3
    except ImportError as error:
        raise _missing(error) from error
    return getattr(stable_baselines3, name.upper())


def make_sandboxed(env_id: str, num_envs: int, seed: int | None, **options: Any) -> Any:
    """Make the vectorised environment as user code would: only ``vec_env_cls`` is another."""
    try:
        from stable_baselines3.common.env_util import make_vec_env

        import sb3_sandbox
    except ImportError as error:
        raise _missing(error) from error
    face: Any = sb3_sandbox.SandboxedVecEnv
    return make_vec_env(env_id, num_envs, seed=seed, vec_env_cls=face, vec_env_kwargs=options, env_kwargs={})


def policy_name(observation_space: spaces.Space[Any]) -> str:
    """Give the policy that fits the observations."""
    if isinstance(observation_space, spaces.Dict):
        return "MultiInputPolicy"
    is_image = len(observation_space.shape or ()) == 3
    return "CnnPolicy" if is_image and min(observation_space.shape or ()) in (1, 3, 4) else "MlpPolicy"
