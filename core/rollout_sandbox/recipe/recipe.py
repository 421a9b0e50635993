"""How an environment is built, in a form that travels into a fresh process."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cloudpickle
import gymnasium

__all__ = ["Recipe"]


@dataclass(frozen=True)
class Recipe:
    """A callable, pickled when it was given: equal recipes build equal environments.

    :param label: for messages.
    :param content: the pickle; it is only read where the environment is built.
    """

    label: str
    content: bytes

    @classmethod
    def of(cls, label: str, make: Callable[[], Any]) -> Recipe:
        """Take a callable as it is now.

        :raises TypeError: if it cannot be pickled.
        """
        try:
            return cls(label, cloudpickle.dumps(make))
        except Exception as error:
            raise TypeError(
                f"{label} cannot be pickled ({error}), and so cannot travel into a sandbox: make what it "
                "refers to inside of it, or give 'module:function'"
            ) from error

    def build(self) -> gymnasium.Env[Any, Any]:
        """Build the environment in this process.

        :raises TypeError: if what comes is not a Gymnasium environment.
        """
        env = pickle.loads(self.content)()
        if not isinstance(env, gymnasium.Env):
            raise TypeError(
                f"{self.label} gave a {type(env).__module__}.{type(env).__qualname__}, "
                "but a gymnasium.Env is needed: a single environment, not a vectorised one"
            )
        return env
