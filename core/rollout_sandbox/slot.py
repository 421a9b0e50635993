"""One position of a vectorised environment: its running episode, and those prepared to follow."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from rollout_sandbox.backends.base import Sandbox, Template
from rollout_sandbox.seeding import episode_seed
from rollout_sandbox.wire.commands import Op
from rollout_sandbox.wire.order import pack_arguments, pack_order

__all__ = ["Episode", "Slot"]

_OLDEST_SPARE_SECONDS = 300.0


@dataclass
class Episode:
    """One episode and the sandbox it has for itself.

    :param number: in its slot, from 0.
    :param steps: answered so far.
    """

    sandbox: Sandbox
    number: int
    seed: int
    steps: int = 0
    spawned: float = field(default_factory=time.monotonic)

    def is_stale(self) -> bool:
        """Whether it waited so long that a new one is better."""
        return time.monotonic() - self.spawned > _OLDEST_SPARE_SECONDS


class Slot:
    """Starts the episodes of one position, one after another, each in a sandbox of its own.

    :param index: the position.
    :param template: from which its sandboxes are copied.
    :param spares: how many episodes are prepared ahead: started, and reset, before they are needed.
    """

    def __init__(self, index: int, template: Template, spares: int) -> None:
        self.index, self.template = index, template
        self.episode: Episode | None = None
        self.running = False
        self._spares: deque[Episode] = deque()
        self._wanted_spares = spares if template.prepares else 0
        self._journal: list[tuple[Op, tuple[Any, ...]]] = []
        self._root_seed, self._next_number = 0, 0
        self._seeded_as = index

    def reseed(self, root_seed: int) -> None:
        """Count episodes from 0 again, with other seeds."""
        self.discard_spares()
        self._root_seed, self._next_number = root_seed, 0

    def seed_as(self, position: int, episode: int) -> None:
        """Derive seeds as another position does, from a later episode on."""
        self.discard_spares()
        self._seeded_as, self._next_number = position, episode

    def record(self, op: Op, arguments: tuple[Any, ...]) -> None:
        """Remember what every later sandbox of this slot is given before its reset."""
        self._journal.append((op, arguments))
        self.discard_spares()

    def _launch(self, number: int, options: dict[str, Any] | None) -> Episode:
        """Start an episode; neither its sandbox nor its reset is waited for."""
        seed = episode_seed(self._root_seed, self._seeded_as, number)
        episode = Episode(self.template.spawn(self.index), number, seed)
        order = {"seed": seed, "options": options, "journal": self._journal, "checked": number == 0}
        with contextlib.suppress(ConnectionError):  # it is found when the answer is awaited
            episode.sandbox.channel.send(pack_order(self.template.layout, Op.RESET, pack_arguments(order)))
        return episode

    def begin(self, options: dict[str, Any] | None) -> None:
        """End the episode, if there is one, and start the next; its first answer is still to be received."""
        spare = self._spares.popleft() if self._spares else None
        if spare is not None and (options is not None or spare.is_stale()):
            spare.sandbox.kill()
            spare = None
        self.end()
        self.episode = spare or self._launch(self._next_number, options)
        self._next_number = self.episode.number + 1

    def begin_again(self, options: dict[str, Any] | None) -> None:
        """Start the current episode once more, in another sandbox, after its start failed."""
        assert self.episode is not None
        number = self.episode.number
        self.end()
        self.episode = self._launch(number, options)

    def begin_idle(self) -> Episode:
        """Give the current episode; one that is never reset if none has begun, to be asked for attributes."""
        if self.episode is None:
            self.episode = Episode(self.template.spawn(self.index), self._next_number, 0)
        return self.episode

    def refill(self) -> None:
        """Prepare the episodes to come."""
        while len(self._spares) < self._wanted_spares:
            self._spares.append(self._launch(self._next_number + len(self._spares), None))

    def discard_spares(self) -> None:
        """Throw prepared episodes away: what they were given is out of date."""
        while self._spares:
            self._spares.popleft().sandbox.kill()

    def end(self) -> None:
        """End the current episode's sandbox. Harmless when repeated."""
        self.running = False
        if self.episode is not None:
            self.episode.sandbox.kill()
            self.episode = None

    def close(self) -> None:
        """End everything. Harmless when repeated."""
        self.discard_spares()
        self.end()
