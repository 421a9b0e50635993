"""The engine under every face: a group of slots that step together."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollout_sandbox.backends.base import Template
from rollout_sandbox.errors import (
    ClosedError,
    FaultBudgetError,
    InfoDroppedWarning,
    LostMethodCallWarning,
    SandboxCrashedError,
    SandboxTimeoutError,
)
from rollout_sandbox.frames import Frames
from rollout_sandbox.outcomes import Fault, FaultKind
from rollout_sandbox.seeding import root_seed
from rollout_sandbox.slot import Episode, Slot
from rollout_sandbox.spec import Timeouts
from rollout_sandbox.wire.codec import decode
from rollout_sandbox.wire.commands import Op, Status
from rollout_sandbox.wire.order import as_bytes, pack_arguments, pack_order
from rollout_sandbox.wire.replies import DROPPED_KEY, environment_error, refusal

__all__ = ["SlotGroup"]

_HARMLESS_CALLS = frozenset({"render", "action_masks", "get_wrapper_attr", "has_wrapper_attr"})
_KEPT_LATENCIES = 100_000


class SlotGroup:
    """Slots that step together, without the conventions of any library.

    :param templates: one for each slot; slots that run the same share one.
    :param timeouts: how long to wait.
    :param seed: the root seed; ``None`` draws one.
    :param spares: how many episodes each slot prepares ahead.
    :param persistent_methods: calls of these are repeated in every later sandbox of a slot.
    :param fault_budget: how many faults in a row, without a good step between them, are borne.
    :param on_close: run at the end.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        *,
        timeouts: Timeouts,
        seed: int | None = None,
        spares: int = 1,
        persistent_methods: Sequence[str] = (),
        fault_budget: int = 10,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        if isinstance(spares, bool) or not isinstance(spares, int) or spares < 0:
            raise ValueError(f"spares={spares!r} is not usable: give a whole number of at least 0")
        self.num_slots = len(templates)
        self.description, self.layout = templates[0].description, templates[0].layout
        self.infos: list[dict[str, Any]] = [{} for _ in templates]
        self.sandboxes_used = self.episodes_begun = 0
        self.reset_seconds: deque[float] = deque(maxlen=_KEPT_LATENCIES)
        self._slots = [Slot(index, template, spares) for index, template in enumerate(templates)]
        self._timeouts = timeouts
        self._frames = Frames(self.layout, self.num_slots)
        self._commands = np.zeros(self.num_slots, self.layout.command_dtype)
        self._command_rows = [
            self._commands[index : index + 1].view(np.uint8) for index in range(self.num_slots)
        ]
        self._persistent_methods = frozenset(persistent_methods)
        self._fault_budget, self._faults_in_a_row = fault_budget, 0
        self._warned: set[str] = set()
        self._on_close: Callable[[], None] | None = on_close
        self.reseed(seed)

    # what the last answers said

    @property
    def rewards(self) -> NDArray[np.float64]:
        """A new array of shape (n,)."""
        return self._frames.replies["reward"].copy()

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """A new array of shape (n,)."""
        return self._frames.replies["terminated"].astype(bool)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """A new array of shape (n,)."""
        return self._frames.replies["truncated"].astype(bool)

    def observations(self) -> Any:
        """Give the batch of last valid observations, as new arrays."""
        return self.layout.batch_observation(self._frames.replies)

    def observation(self, slot: int) -> Any:
        """Give the last valid observation of one slot, as a new value."""
        return self.layout.observation(self._frames.replies, slot)

    # episodes

    def reseed(self, seed: int | None) -> None:
        """Set the root seed, and count every slot's episodes from 0 again."""
        self.root_seed = root_seed(seed)
        for slot in self._slots:
            slot.reseed(self.root_seed)

    def begin_at(self, position: int, episode: int) -> None:
        """Let the first slot begin as another position would, at a later episode."""
        self._slots[0].seed_as(position, episode)

    def _of(self, slots: Sequence[int] | None) -> list[Slot]:
        if self._on_close is None:
            raise ClosedError("the environment was closed: make a new one")
        return self._slots if slots is None else [self._slots[index] for index in slots]

    def reset(
        self, slots: Sequence[int] | None = None, options: Sequence[dict[str, Any] | None] | None = None
    ) -> None:
        """Begin a fresh episode in each of these slots; a start that fails is tried again.

        :param slots: positions; ``None``: all.
        :param options: for each of them, as ``reset(options=)`` of the environment takes it.
        :raises FaultBudgetError: if too many starts fail in a row.
        :raises EnvironmentRaisedError: if the environment raises.
        """
        chosen = self._of(slots)
        started = time.perf_counter()
        wanted = list(options) if options is not None else [None] * len(chosen)
        self.episodes_begun += len(chosen)
        for slot, one in zip(chosen, wanted, strict=True):
            slot.begin(one)
        for slot, one in zip(chosen, wanted, strict=True):
            self._await_reset(slot, one)
        self.reset_seconds.append(time.perf_counter() - started)
        for slot in chosen:
            slot.refill()

    def _await_reset(self, slot: Slot, options: dict[str, Any] | None) -> None:
        row, index = self._frames.rows[slot.index], slot.index
        while (fault := self._receive_row(slot, row, self._timeouts.reset, "reset_timeout")) is not None:
            self._count_fault(fault)
            slot.begin_again(options)
        episode = slot.episode
        assert episode is not None
        info = self._read_payload(slot, episode)
        info |= {
            "sandbox_id": episode.sandbox.id,
            "slot": index,
            "episode": episode.number,
            "seed": episode.seed,
        }
        self.infos[index] = info
        slot.running = True
        self.sandboxes_used += 1

    def _receive_row(self, slot: Slot, row: memoryview, timeout: float, kind: FaultKind) -> Fault | None:
        """Receive one reply and check it; give the fault that came in its place."""
        assert slot.episode is not None
        try:
            slot.episode.sandbox.channel.receive_into(row, timeout)
        except TimeoutError as error:
            return self._fault(slot, kind, str(error))
        except ConnectionError as error:
            return self._fault(slot, "crashed", str(error))
        if self.layout.find_invalid(self._frames.replies[slot.index : slot.index + 1]) is not None:
            return self._fault(slot, "protocol_error", "the reply is not what was agreed")
        return None

    def send(self, actions: Any) -> None:
        """Send each running slot its action.

        :param actions: a batch, as Gymnasium's vector environments take it; those of other slots are ignored.
        """
        if self._on_close is None:
            raise ClosedError("the environment was closed: make a new one")
        self.layout.write_actions(self._commands, actions)
        for slot, row in zip(self._slots, self._command_rows, strict=True):
            if slot.running:
                try:
                    slot.episode.sandbox.channel.send(row)  # type: ignore[union-attr]
                except (ConnectionError, TimeoutError):
                    continue  # it is found when the answer is awaited

    def receive(self) -> None:
        """Wait for the answers to :meth:`send`.

        A fault ends its episode: truncated, with reward 0, the last valid observation and ``sandbox_fault``
        in its info.

        :raises EnvironmentRaisedError: if an environment raised, after all others were received.
        :raises FaultBudgetError: if too many episodes in a row end by faults.
        """
        self._frames.flip()
        self.infos = [{} for _ in self._slots]
        faults = self._receive_all()
        if faults or not self._frames.are_plain():
            self._digest(faults)
        if not faults:
            self._faults_in_a_row = 0

    def _digest(self, faults: list[Fault]) -> None:
        """Look at replies that hold more than observations and rewards."""
        replies = self._frames.replies
        invalid = self.layout.find_invalid(replies)
        if invalid is not None:
            for index in np.flatnonzero(invalid):
                faults.append(
                    self._fault(self._slots[index], "protocol_error", "the reply is not what was agreed")
                )
        for fault in faults:
            self._end_by_fault(fault)
        if replies["size"].any():
            self._read_payloads(replies)
        if (replies["terminated"] | replies["truncated"]).any():
            self._note_ends(replies)

    def _receive_all(self) -> list[Fault]:
        faults: list[Fault] = []
        timeout = self._timeouts.step
        for slot, row in zip(self._slots, self._frames.rows, strict=True):
            if not slot.running:
                self._frames.restore(slot.index)
                continue
            episode = slot.episode
            try:
                episode.sandbox.channel.receive_into(row, timeout)  # type: ignore[union-attr]
                episode.steps += 1  # type: ignore[union-attr]
            except TimeoutError as error:
                faults.append(self._fault(slot, "step_timeout", str(error)))
            except ConnectionError as error:
                faults.append(self._fault(slot, "crashed", str(error)))
        return faults

    def _note_ends(self, replies: NDArray[Any]) -> None:
        for index in np.flatnonzero(replies["terminated"] | replies["truncated"]):
            self._slots[index].running = False

    # faults

    def _fault(self, slot: Slot, kind: FaultKind, detail: str) -> Fault:
        episode = slot.episode
        assert episode is not None
        known = episode.sandbox.fault(kind, detail)
        episode.sandbox.kill()
        values = known.as_info() | {
            "slot": slot.index, "episode": episode.number, "seed": episode.seed, "step": episode.steps
        }  # fmt: skip
        return Fault(**values)

    def _end_by_fault(self, fault: Fault) -> None:
        assert fault.slot is not None
        self._frames.restore(fault.slot)
        self._frames.replies["truncated"][fault.slot] = 1
        self.infos[fault.slot] = {"sandbox_fault": fault.as_info()}
        self._count_fault(fault)

    def _count_fault(self, fault: Fault) -> None:
        self._faults_in_a_row += 1
        if self._faults_in_a_row > self._fault_budget:
            raise FaultBudgetError(
                f"{self._faults_in_a_row} faults in a row, the last: {fault.kind}, {fault.detail}. Look at "
                "the environment's own words on standard error, or allow more with fault_budget",
                sandbox_id=fault.sandbox_id,
                slot=fault.slot,
                episode=fault.episode,
                seed=fault.seed,
            )

    # payloads

    def _read_payloads(self, replies: NDArray[Any]) -> None:
        """Read what follows the replies; all of it, before an error of one is raised."""
        errors: list[Exception] = []
        for index in np.flatnonzero(replies["size"]):
            slot = self._slots[index]
            if slot.episode is None or not slot.running:
                continue
            try:
                self.infos[index] = self._read_payload(slot, slot.episode)
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _read_payload(self, slot: Slot, episode: Episode) -> dict[str, Any]:
        reply = self._frames.replies[slot.index]
        value = self._receive_value(episode, int(reply["size"]), self._timeouts.step) if reply["size"] else {}
        if reply["status"] != Status.OK:
            slot.running = False
            raise environment_error(Status(reply["status"]), value, slot.index, episode)
        self._warn_of_dropped(value.pop(DROPPED_KEY, ()))
        return value

    def _receive_value(self, episode: Episode, size: int, timeout: float) -> Any:
        payload = memoryview(bytearray(size))
        episode.sandbox.channel.receive_into(payload, timeout)
        return decode(payload)

    def _warn_of_dropped(self, keys: Sequence[str]) -> None:
        for key in keys:
            if self._is_new(f"info {key}"):
                warnings.warn(
                    f"info[{key!r}] cannot leave its sandbox and is left out: give numbers, text or arrays",
                    InfoDroppedWarning,
                    stacklevel=5,
                )

    def _is_new(self, topic: str) -> bool:
        new = topic not in self._warned
        self._warned.add(topic)
        return new

    # attributes and methods

    def _ask(self, slot: Slot, op: Op, arguments: Any) -> Any:
        """Send one order to a slot's sandbox and give its answer."""
        episode = slot.begin_idle()
        reply = np.zeros(1, self.layout.reply_dtype)
        where = {"sandbox_id": episode.sandbox.id, "slot": slot.index, "episode": episode.number}
        try:
            episode.sandbox.channel.send(pack_order(self.layout, op, pack_arguments(arguments)))
            episode.sandbox.channel.receive_into(as_bytes(reply), self._timeouts.step)
            value = self._receive_value(episode, int(reply["size"][0]), self._timeouts.step)
        except TimeoutError as error:
            raise SandboxTimeoutError(f"{op.name} {arguments!r}: {error}", **where) from error  # type: ignore[arg-type]
        except ConnectionError as error:
            raise SandboxCrashedError(f"{op.name} {arguments!r}: {error}", **where) from error  # type: ignore[arg-type]
        status = Status(reply["status"][0])
        if status == Status.REFUSED:
            raise refusal(value)
        if status != Status.OK:
            raise environment_error(status, value, slot.index, episode)
        return value[0]

    def call(
        self, name: str, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None,
        slots: Sequence[int] | None = None,
    ) -> list[Any]:  # fmt: skip
        """Call a method (or read an attribute) of each environment; give what came back.

        What a call changes ends with its episode, unless it is one of the persistent methods.
        """
        arguments = (name, tuple(args), kwargs or {})
        chosen = self._of(slots)
        answers = [self._ask(slot, Op.CALL, arguments) for slot in chosen]
        if name in self._persistent_methods:
            for slot in chosen:
                slot.record(Op.CALL, arguments)
        elif name not in _HARMLESS_CALLS and self._is_new(f"call {name}"):
            warnings.warn(
                f"what {name}() changes ends with its episode: name it in persistent_methods to have it "
                "repeated in every later episode, or ignore this if it changes nothing",
                LostMethodCallWarning,
                stacklevel=3,
            )
        return answers

    def get_attr(self, name: str, slots: Sequence[int] | None = None) -> list[Any]:
        """Read an attribute of each environment."""
        return [self._ask(slot, Op.GET_ATTR, name) for slot in self._of(slots)]

    def set_attr(self, name: str, values: Sequence[Any], slots: Sequence[int] | None = None) -> None:
        """Set an attribute of each environment, in this episode and in all later ones.

        :param values: one for each slot.
        """
        for slot, value in zip(self._of(slots), values, strict=True):
            if slot.episode is not None:
                self._ask(slot, Op.SET_ATTR, (name, value))
            slot.record(Op.SET_ATTR, (name, value))

    def is_wrapped(self, wrapper: type | str, slots: Sequence[int] | None = None) -> list[bool]:
        """Say whether each environment is, or is wrapped in, a class (or ``"module:qualname"``)."""
        name = wrapper if isinstance(wrapper, str) else f"{wrapper.__module__}:{wrapper.__qualname__}"
        return [name in slot.template.description.wrappers for slot in self._of(slots)]

    def steps(self, slot: int) -> int:
        """Give how many steps a slot's current episode has had."""
        episode = self._slots[slot].episode
        return 0 if episode is None else episode.steps

    def process(self, slot: int) -> tuple[int, float] | None:
        """Give pid and start time of a slot's sandbox, as this process sees them."""
        episode = self._slots[slot].episode
        return None if episode is None else episode.sandbox.process()

    def close(self) -> None:
        """End every sandbox and give everything back. Harmless when repeated."""
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            for slot in self._slots:
                slot.close()
            on_close()
