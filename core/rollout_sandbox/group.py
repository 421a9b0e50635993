"""Opens a group of slots from what a user gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollout_sandbox.backends.base import Backend, Template
from rollout_sandbox.backends.registry import choose
from rollout_sandbox.recipe import EnvArgument, Recipe, Resolved, resolve
from rollout_sandbox.slots import SlotGroup
from rollout_sandbox.spec import SandboxSpec

__all__ = ["open_group"]


def open_group(
    env: EnvArgument,
    num_envs: int,
    *,
    backend: str | Backend | type[Backend] = "auto",
    spec: SandboxSpec | None = None,
    seed: int | None = None,
    spares: int = 1,
    persistent_methods: Sequence[str] = (),
    fault_budget: int = 10,
    env_kwargs: dict[str, Any] | None = None,
) -> tuple[SlotGroup, list[Resolved]]:
    """Build each distinct environment once, and a slot for each position.

    :return: the group, which closes the backend with itself, and what each slot runs.
    :raises TemplateError: if an environment could not be built.
    """
    resolved = resolve(env, num_envs, env_kwargs)
    spec = SandboxSpec() if spec is None else spec
    chosen = choose(backend)
    try:
        recipes = dict.fromkeys(one.recipe for one in resolved)
        templates: dict[Recipe, Template] = {recipe: chosen.prepare(spec, recipe) for recipe in recipes}
        group = SlotGroup(
            [templates[one.recipe] for one in resolved],
            timeouts=spec.timeouts,
            seed=seed,
            spares=spares,
            persistent_methods=persistent_methods,
            fault_budget=fault_budget,
            on_close=chosen.close,
        )
    except BaseException:
        chosen.close()
        raise
    return group, resolved
