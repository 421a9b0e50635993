"""The description of an environment, as it came out of a sandbox."""

from __future__ import annotations

from typing import Any

from rollout_sandbox.backends.base import EnvDescription
from rollout_sandbox.errors import ProtocolError
from rollout_sandbox.wire.spaces import rebuild

__all__ = ["read_description"]


def read_description(answer: dict[str, Any]) -> EnvDescription:
    """Turn plain values into a description.

    :param answer: what ``worker.describe.describe`` gave, decoded; not trusted.
    :raises ProtocolError: if it is anything else.
    """
    try:
        return EnvDescription(
            observation_space=rebuild(answer["observation_space"]),
            action_space=rebuild(answer["action_space"]),
            metadata=dict(answer["metadata"]),
            render_mode=answer["render_mode"],
            spec_id=answer["spec_id"],
            wrappers=tuple(map(str, answer["wrappers"])),
        )
    except (KeyError, TypeError) as error:
        raise ProtocolError(
            f"a template's description of its environment is not understood: {error!r}"
        ) from error
