"""Opens a group of slots from what a user gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollout_sandbox.backends.base import Backend, Template
from rollout_sandbox.backends.registry import choose
from rollout_sandbox.errors import UnsupportedSpaceError
from rollout_sandbox.recipe import EnvArgument, Recipe, Resolved, resolve
from rollout_sandbox.slots import SlotGroup
from rollout_sandbox.spec import SandboxSpec

__all__ = ["open_group"]


def _check_spaces(templates: Sequence[Template]) -> None:
    """Refuse environments that cannot step together.

    :raises UnsupportedSpaceError: if one has other spaces than the first.
    """
    first = templates[0].description
    for index, template in enumerate(templates):
        for kind in ("observation_space", "action_space"):
            found, expected = getattr(template.description, kind), getattr(first, kind)
            if found != expected:
                raise UnsupportedSpaceError(
                    f"environment {index} has the {kind} {found}, but environment 0 has {expected}: "
                    "environments that step together need equal spaces",
                    slot=index,
                )


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
    :raises UnsupportedSpaceError: if a space cannot travel, or differs between environments.
    """
    resolved = resolve(env, num_envs, env_kwargs)
    spec = SandboxSpec() if spec is None else spec
    chosen = choose(backend)
    try:
        recipes = dict.fromkeys(one.recipe for one in resolved)
        templates: dict[Recipe, Template] = {recipe: chosen.prepare(spec, recipe) for recipe in recipes}
        by_slot = [templates[one.recipe] for one in resolved]
        _check_spaces(by_slot)
        group = SlotGroup(
            by_slot,
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
