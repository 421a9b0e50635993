"""The face that Gymnasium knows: a ``VectorEnv`` whose every episode has a sandbox of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rollout_sandbox.backends.base import Backend
from rollout_sandbox.group import open_group
from rollout_sandbox.recipe import EnvArgument
from rollout_sandbox.spec import SandboxSpec

__all__ = ["SandboxedVecEnv"]

_StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


def _root_of(seed: int | Sequence[int]) -> int:
    """Give one root seed; a list of seeds stands for one that no single number gives."""
    if isinstance(seed, int | np.integer):
        return int(seed)
    return int.from_bytes(np.random.SeedSequence(list(seed)).generate_state(4).tobytes(), "little")


class SandboxedVecEnv(VectorEnv[Any, Any, Any]):
    """Steps environments together; each of their episodes runs in a fresh sandbox.

    :param env: a Gymnasium id, ``"module:function"``, a callable, or one callable for each environment. A
        callable is called once, not once per episode.
    :param num_envs: how many environments step together.
    :param backend: ``"auto"``, ``"native"``, ``"inline"``, a backend class or a backend, which is closed with
        this environment.
    :param spec: what each sandbox may see and use.
    :param seed: the root seed from which every episode's seed is derived; ``reset(seed=)`` replaces it.
    :param spares: how many episodes each environment prepares ahead.
    :param autoreset_mode: when an ended episode is followed by the next one, as in Gymnasium.
    :param persistent_methods: calls of these are repeated in every later episode.
    :param fault_budget: how many faults in a row are borne.
    :param env_kwargs: for an environment that is given by name.
    :raises TemplateError: if the environment could not be built.
    :raises BackendUnavailableError: if this machine cannot isolate.
    """

    def __init__(
        self,
        env: EnvArgument,
        num_envs: int = 1,
        *,
        backend: str | Backend | type[Backend] = "auto",
        spec: SandboxSpec | None = None,
        seed: int | None = None,
        spares: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        persistent_methods: Sequence[str] = (),
        fault_budget: int = 10,
        env_kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.group, _ = open_group(
            env, num_envs, backend=backend, spec=spec, seed=seed, spares=spares,
            persistent_methods=persistent_methods, fault_budget=fault_budget, env_kwargs=env_kwargs,
        )  # fmt: skip
        description = self.group.description
        self.num_envs = num_envs
        self.metadata = {**description.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = description.render_mode
        self.single_observation_space = description.observation_space
        self.single_action_space = description.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin fresh episodes.

        :param seed: a new root seed, with which episodes are counted from 0 again.
        :param options: for the environments; ``options["reset_mask"]``, a bool array of shape (n,), chooses
            which of them begin anew.
        :return: observations, and infos with ``sandbox_id``, ``slot``, ``episode`` and ``seed``.
        """
        if seed is not None:
            self.group.reseed(_root_of(seed))
        chosen, options = self._take_mask(options)
        self.group.reset(chosen, [options] * len(chosen))
        self._ended[chosen] = False
        return self.group.observations(), self._vectorise(chosen)

    def _take_mask(self, options: dict[str, Any] | None) -> tuple[list[int], dict[str, Any] | None]:
        if options is None or "reset_mask" not in options:
            return list(range(self.num_envs)), options
        mask = options["reset_mask"]
        rest = {key: value for key, value in options.items() if key != "reset_mask"}
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(
                f"options['reset_mask']={mask!r} is not usable: give a bool array of shape ({self.num_envs},)"
            )
        if not mask.any():
            raise ValueError("options['reset_mask'] chooses no environment: set at least one element to True")
        return np.flatnonzero(mask).tolist(), rest or None

    def _vectorise(self, chosen: Sequence[int]) -> dict[str, Any]:
        vectorised: dict[str, Any] = {}
        for index in chosen:
            if info := self.group.infos[index]:
                vectorised = self._add_info(vectorised, info, index)
        return vectorised

    def step(self, actions: Any) -> _StepResult:
        """Step every environment.

        :param actions: a batch, of the batched action space.
        :return: observations, rewards, terminations, truncations, infos.
        """
        self.send(actions)
        return self.receive()

    def send(self, actions: Any) -> None:
        """Send the actions of a step without waiting for it; :meth:`receive` waits."""
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            raise ResetNeeded(
                f"episodes {np.flatnonzero(self._ended).tolist()} have ended: begin anew with "
                "reset(options={'reset_mask': mask}), or use another autoreset_mode"
            )
        self.group.send(actions)

    def receive(self) -> _StepResult:
        """Wait for the step that :meth:`send` began."""
        group = self.group
        group.receive()
        rewards, terminated, truncated = group.rewards, group.terminated, group.truncated
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and self._ended.any():
            group.reset(np.flatnonzero(self._ended).tolist())
        self._ended = terminated | truncated
        infos: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            infos = self._begin_anew(np.flatnonzero(self._ended).tolist())
        if any(group.infos):
            infos = self._merge(infos)
        return group.observations(), rewards, terminated, truncated, infos

    def _begin_anew(self, ended: list[int]) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for index in ended:
            final = {"final_obs": self.group.observation(index), "final_info": self.group.infos[index]}
            infos = self._add_info(infos, final, index)
        self.group.reset(ended)
        self._ended[:] = False
        return infos

    def _merge(self, infos: dict[str, Any]) -> dict[str, Any]:
        for index, info in enumerate(self.group.infos):
            if info:
                infos = self._add_info(infos, info, index)
        return infos

    def render(self) -> tuple[Any, ...] | None:
        """Let every environment render itself."""
        return None if self.render_mode is None else tuple(self.group.call("render"))

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method (or read an attribute) of every running episode."""
        return tuple(self.group.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Read an attribute of every running episode."""
        return tuple(self.group.get_attr(name))

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute, in the running episodes and in all later ones.

        :param values: one for all, or a list or tuple with one for each.
        """
        if not isinstance(values, list | tuple):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(
                f"{len(values)} values were given for {self.num_envs} environments: give one for each"
            )
        self.group.set_attr(name, values)

    def close_extras(self, **kwargs: Any) -> None:
        """End every sandbox."""
        self.group.close()

    def __enter__(self) -> SandboxedVecEnv:
        """Close it at the end of a ``with`` block."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close it."""
        self.close()

    def __del__(self) -> None:
        """Do nothing: closing is explicit, and the end of the process ends every sandbox."""
