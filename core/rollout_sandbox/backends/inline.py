"""No isolation at all: for debugging, and to show what isolation changes."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium

from rollout_sandbox.backends.base import Backend, EnvDescription, Probe, Sandbox, Template
from rollout_sandbox.backends.description import read_description
from rollout_sandbox.errors import TemplateError
from rollout_sandbox.outcomes import Fault, FaultKind
from rollout_sandbox.recipe import Recipe
from rollout_sandbox.spec import SandboxSpec
from rollout_sandbox.wire.order import as_bytes
from rollout_sandbox.worker.describe import describe
from rollout_sandbox.worker.episode import EpisodeServer

__all__ = ["InlineBackend"]


class InlineChannel:
    """Answers each command while it is sent.

    :param server: in this process.
    """

    def __init__(self, server: EpisodeServer) -> None:
        self._server = server
        self._command = as_bytes(server.command)
        self._reply = as_bytes(server.reply)
        self._answers = bytearray()

    def send(self, data: Any, /) -> None:
        """Carry out a whole command."""
        data = memoryview(data).cast("B")
        size = len(self._command)
        self._command[:] = data[:size]
        answer = self._server.handle(bytes(data[size:]))
        self._answers += bytes(self._reply) + answer

    def receive_into(self, view: memoryview, timeout: float, /) -> None:
        """Fill the view; nothing has to be waited for."""
        view[:] = self._answers[: len(view)]
        del self._answers[: len(view)]

    def close(self) -> None:
        """Let unread answers go."""
        self._answers.clear()


class InlineSandbox(Sandbox):
    """The slot's one environment, with all that earlier episodes left in it."""

    def __init__(self, number: int, server: EpisodeServer) -> None:
        self.id = f"inline-{number}"
        self.channel = InlineChannel(server)

    def process(self) -> tuple[int, float] | None:
        """Give nothing: there is no process of its own."""
        return None

    def fault(self, kind: FaultKind, detail: str) -> Fault:
        """Say what was seen."""
        return Fault(kind, detail, sandbox_id=self.id)

    def kill(self) -> None:
        """Leave the environment for the next episode, as stock vector environments do."""
        self.channel.close()


class InlineTemplate(Template):
    """One environment for each slot, built in this process and used again for every episode."""

    prepares = False

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._servers: dict[int, EpisodeServer] = {}
        self._spawned = 0
        self._first: gymnasium.Env[Any, Any] | None = recipe.build()
        self.description: EnvDescription = read_description(describe(self._first))

    def _server(self, slot: int) -> EpisodeServer:
        if slot not in self._servers:
            env, self._first = self._first or self._recipe.build(), None
            self._servers[slot] = EpisodeServer(env, self.layout, one_episode=False)
        return self._servers[slot]

    def spawn(self, slot: int = 0) -> InlineSandbox:
        """Give the slot's environment again."""
        self._spawned += 1
        return InlineSandbox(self._spawned, self._server(slot))

    def close(self) -> None:
        """Close every environment; harmless when repeated."""
        for env in [server.env for server in self._servers.values()] + ([self._first] if self._first else []):
            env.close()
        self._servers.clear()
        self._first = None


class InlineBackend(Backend):
    """Episodes in this process, one after another in the same environment."""

    name: ClassVar[str] = "inline"
    isolates: ClassVar[bool] = False

    def __init__(self) -> None:
        self._templates: list[InlineTemplate] = []

    @classmethod
    def probe(cls) -> Probe:
        """Say that it works everywhere."""
        return Probe(True, "none: episodes share a process, for debugging and as a control")

    def prepare(self, spec: SandboxSpec, recipe: Recipe) -> InlineTemplate:
        """Build the environment here."""
        try:
            template = InlineTemplate(recipe)
        except Exception as error:
            raise TemplateError(f"the environment could not be built: {error!r}") from error
        self._templates.append(template)
        return template

    def close(self) -> None:
        """Close every environment; harmless when repeated."""
        for template in self._templates:
            template.close()
