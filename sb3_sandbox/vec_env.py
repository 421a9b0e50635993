"""The face that Stable-Baselines3 knows: a ``VecEnv`` whose every episode has a sandbox of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from rollout_sandbox.backends.base import Backend
from rollout_sandbox.group import open_group
from rollout_sandbox.spec import SandboxSpec
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvObs, VecEnvStepReturn

from sb3_sandbox.monitoring import Monitoring

__all__ = ["SandboxedVecEnv"]


class SandboxedVecEnv(VecEnv):
    """Use it where ``SubprocVecEnv`` is used: ``make_vec_env(..., vec_env_cls=SandboxedVecEnv)``.

    :param env_fns: one callable for each environment; each is called once, not once per episode.
    :param start_method: taken and ignored, so that code for ``SubprocVecEnv`` runs unchanged.
    :param backend: ``"auto"``, ``"native"``, ``"inline"``, or a backend.
    :param spec: what each sandbox may see and use.
    :param seed: the root seed from which every episode's seed is derived; :meth:`seed` replaces it.
    :param spares: how many episodes each environment prepares ahead.
    :param persistent_methods: calls of these are repeated in every later episode.
    :param fault_budget: how many faults in a row are borne.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], gym.Env[Any, Any]]],
        start_method: str | None = None,
        *,
        backend: str | Backend | type[Backend] = "auto",
        spec: SandboxSpec | None = None,
        seed: int | None = None,
        spares: int = 1,
        persistent_methods: Sequence[str] = (),
        fault_budget: int = 10,
    ) -> None:
        self.group, resolved = open_group(
            env_fns, len(env_fns), backend=backend, spec=spec, seed=seed, spares=spares,
            persistent_methods=persistent_methods, fault_budget=fault_budget,
        )  # fmt: skip
        description = self.group.description
        self._render_mode = description.render_mode
        self._keeps_own_seed = seed is not None
        try:
            self._monitoring = Monitoring([one.monitor for one in resolved], description.spec_id)
        except BaseException:
            self.group.close()
            raise
        super().__init__(len(env_fns), description.observation_space, description.action_space)
        self.metadata = {**description.metadata, **self.metadata}

    def reset(self) -> VecEnvObs:
        """Begin a fresh episode everywhere; options that were set are used once."""
        self._monitoring.begin_all()
        self.group.reset(options=[options or None for options in self._options])
        self.reset_infos = list(self.group.infos)
        self._reset_seeds()
        self._reset_options()
        observations: VecEnvObs = self.group.observations()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Send every environment its action."""
        self.group.send(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Wait for every environment; where an episode ended, begin a fresh one."""
        group = self.group
        group.receive()
        rewards, terminated, truncated = group.rewards, group.terminated, group.truncated
        infos, dones = list(group.infos), terminated | truncated
        self._monitoring.count(rewards)
        for info, cut in zip(infos, (truncated & ~terminated).tolist(), strict=True):
            info["TimeLimit.truncated"] = cut
        if dones.any():
            self._begin_anew(np.flatnonzero(dones).tolist(), infos)
        return group.observations(), rewards, dones, infos

    def _begin_anew(self, ended: list[int], infos: list[dict[str, Any]]) -> None:
        for index in ended:
            self._monitoring.finish(index, infos[index])
            infos[index]["terminal_observation"] = self.group.observation(index)
        self.group.reset(ended)
        for index in ended:
            self.reset_infos[index] = self.group.infos[index]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the root seed, and count episodes from 0 again.

        :param seed: ``None`` keeps the one that was given at construction, or draws one.
        """
        seeds = super().seed(seed)
        if seed is not None or not self._keeps_own_seed:
            self.group.reseed(seeds[0])
        return seeds

    def _chosen(self, indices: VecEnvIndices) -> list[int]:
        return [range(self.num_envs)[index] for index in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Say whether every environment has an attribute."""
        if self._monitoring.find(attr_name, range(self.num_envs)) is not None:
            return True
        return all(self.group.call("has_wrapper_attr", (attr_name,)))

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Read an attribute of the running episodes."""
        chosen = self._chosen(indices)
        if attr_name == "render_mode":
            return [self._render_mode] * len(chosen)
        kept = self._monitoring.find(attr_name, chosen)
        return self.group.get_attr(attr_name, chosen) if kept is None else kept

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute in the running episodes and in all later ones."""
        chosen = self._chosen(indices)
        self.group.set_attr(attr_name, [value] * len(chosen), chosen)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the running episodes; what it changes ends with them, if it is not persistent."""
        chosen = self._chosen(indices)
        kept = self._monitoring.find(method_name, chosen)
        if kept is not None:
            return [method(*method_args, **method_kwargs) for method in kept]
        return self.group.call(method_name, method_args, method_kwargs, chosen)

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Say whether environments are in a wrapper; a monitor counts wherever it is."""
        chosen = self._chosen(indices)
        wrapped = self.group.is_wrapped(wrapper_class, chosen)
        if issubclass(Monitor, wrapper_class):
            return [
                found or self._monitoring.has(index) for found, index in zip(wrapped, chosen, strict=True)
            ]
        return wrapped

    def get_images(self) -> Sequence[NDArray[Any] | None]:
        """Let every environment render itself."""
        if self.render_mode != "rgb_array":
            warnings.warn(
                f"the render mode is {self.render_mode}, so there are no images: make the environments with "
                "render_mode='rgb_array'",
                stacklevel=2,
            )
            return [None] * self.num_envs
        return self.group.call("render")

    def close(self) -> None:
        """End every sandbox. Harmless when repeated."""
        self._monitoring.close()
        self.group.close()
