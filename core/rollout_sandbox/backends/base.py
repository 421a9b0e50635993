"""The seam: a backend prepares templates, a template spawns sandboxes, a sandbox runs one episode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol

import gymnasium

from rollout_sandbox.outcomes import Fault, FaultKind
from rollout_sandbox.recipe import Recipe
from rollout_sandbox.spec import SandboxSpec
from rollout_sandbox.wire.layout import FrameLayout

__all__ = ["Backend", "Channel", "EnvDescription", "Probe", "Sandbox", "Template"]


@dataclass(frozen=True)
class EnvDescription:
    """What a trainer must know of an environment that it never holds itself.

    :param wrappers: ``"module:qualname"`` of every class that the environment and its wrappers are.
    """

    observation_space: gymnasium.Space[Any]
    action_space: gymnasium.Space[Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    render_mode: str | None = None
    spec_id: str | None = None
    wrappers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probe:
    """Whether a backend can work on this machine.

    :param strength: what stands between an episode and the machine, in words.
    :param reason: why it cannot work; empty if it can.
    :param fix: what to do about that.
    :param enforced: which limits it enforces here.
    """

    available: bool
    strength: str
    reason: str = ""
    fix: str = ""
    enforced: Mapping[str, bool] = field(default_factory=dict)


class Channel(Protocol):
    """The trainer's end of one sandbox's stream."""

    def send(self, data: Any, /) -> None:
        """Send a whole command.

        :param data: any contiguous buffer.
        :raises ConnectionError: if the sandbox is gone.
        """

    def receive_into(self, view: memoryview, timeout: float, /) -> None:
        """Fill the view.

        :param timeout: seconds to wait for it.
        :raises TimeoutError: if not everything came in time.
        :raises ConnectionError: if the sandbox is gone.
        """

    def close(self) -> None:
        """Give the stream back; harmless when repeated."""


class Sandbox(ABC):
    """One fresh, isolated copy of a template, used for exactly one episode."""

    id: str
    channel: Channel

    @abstractmethod
    def process(self) -> tuple[int, float] | None:
        """Give pid, as the trainer sees it, and start time in clock ticks; ``None`` if it has none."""

    @abstractmethod
    def fault(self, kind: FaultKind, detail: str) -> Fault:
        """Say what is known about its end; may wait a moment for its exit status."""

    @abstractmethod
    def kill(self) -> None:
        """End every process inside and release everything; never blocks, harmless when repeated."""


class Template(ABC):
    """An environment built once, from which every episode's sandbox is copied."""

    description: EnvDescription
    prepares: ClassVar[bool] = True
    """Whether a sandbox can be reset while another one of its slot still runs."""

    @cached_property
    def layout(self) -> FrameLayout:
        """How this environment's observations and actions lie in a frame."""
        return FrameLayout(self.description.observation_space, self.description.action_space)

    @abstractmethod
    def spawn(self, slot: int = 0) -> Sandbox:
        """Give a fresh copy.

        Never blocks: the channel exists at once and takes commands while the sandbox comes up behind it. A
        failed start shows as ``ConnectionError`` on the channel.

        :param slot: for which it is.
        """

    @abstractmethod
    def close(self) -> None:
        """End the template and every sandbox of it; harmless when repeated."""


class Backend(ABC):
    """One way to isolate episodes."""

    name: ClassVar[str]
    isolates: ClassVar[bool]

    @classmethod
    @abstractmethod
    def probe(cls) -> Probe:
        """Say whether it can work here, at which strength, and how to fix it if not."""

    @abstractmethod
    def prepare(self, spec: SandboxSpec, recipe: Recipe) -> Template:
        """Do everything that is the same for every episode.

        :raises TemplateError: if the environment could not be built.
        :raises BackendUnavailableError: if the backend cannot work here.
        """

    @abstractmethod
    def close(self) -> None:
        """End every template and sandbox; harmless when repeated. Nothing is left behind."""
