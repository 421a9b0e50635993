"""What every part of a specification has in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rollout_sandbox.errors import SpecError

__all__ = ["Frozen"]


class Frozen:
    """A value that is validated once and never changes; equal values are one key of a dictionary."""

    def _reject_unknown(self, given: Iterable[str], known: Iterable[str]) -> None:
        for name in given:
            if name not in known:
                raise SpecError(
                    f"{type(self).__name__} has no field {name!r}: it has {', '.join(sorted(known))}"
                )

    def _set(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} never changes: make a new one with {name}={value!r}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"
