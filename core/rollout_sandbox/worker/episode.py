"""The environment's side of the protocol: one command in, one reply out, no sockets."""

from __future__ import annotations

import pickle
import traceback
from typing import Any

import gymnasium
import numpy as np

from rollout_sandbox.seeding import seed_everything
from rollout_sandbox.wire.codec import encode, encode_info
from rollout_sandbox.wire.commands import Op, Status
from rollout_sandbox.wire.env_side import InvalidObservation, action_reader, observation_writer
from rollout_sandbox.wire.layout import FrameLayout
from rollout_sandbox.wire.replies import DROPPED_KEY
from rollout_sandbox.worker.passive_checks import PassiveChecks

__all__ = ["EpisodeServer"]


class EpisodeServer:
    """Serves the commands of a trainer to one environment.

    :param env: already built.
    :param layout: of its frames.
    :param one_episode: whether a second reset is refused.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], layout: FrameLayout, *, one_episode: bool = True
    ) -> None:
        self.env = env
        self._checks = PassiveChecks(env)
        self.command = np.zeros(1, layout.command_dtype)
        self.reply = np.zeros(1, layout.reply_dtype)
        self._read_action = action_reader(layout.action_space, self.command)
        self._write_observation = observation_writer(layout.observation_space, self.reply)
        self._ops, self.payload_size = self.command["op"], self.command["size"]
        self._statuses, self._sizes, self._rewards = (
            self.reply[name] for name in ("status", "size", "reward")
        )
        self._terminated, self._truncated = self.reply["terminated"], self.reply["truncated"]
        self._one_episode, self._began = one_episode, False
        self._orders = {
            Op.RESET: self._reset,
            Op.CALL: self._call,
            Op.GET_ATTR: self._get,
            Op.SET_ATTR: self._set,
        }

    def handle(self, payload: bytes) -> bytes:
        """Carry out the command in :attr:`command`, and fill :attr:`reply`.

        :return: what follows the reply.
        """
        self._statuses[0] = Status.OK
        try:
            answer = self._orders[self._ops[0]](payload) if self._ops[0] else self._step()
        except InvalidObservation as error:
            answer = self._fail(Status.INVALID_OBSERVATION, [str(error)])
        except Exception as error:
            answer = self._fail(Status.ENV_RAISED, [_summary(error), traceback.format_exc()])
        self._sizes[0] = len(answer)
        return answer

    def _fail(self, status: Status, words: list[str]) -> bytes:
        self._statuses[0] = status
        return encode(words)

    def _step(self) -> bytes:
        observation, reward, terminated, truncated, info = self.env.step(self._read_action())
        self._write_observation(observation)
        self._rewards[0] = reward
        self._terminated[0], self._truncated[0] = bool(terminated), bool(truncated)
        return _pack_info(info) if info else b""

    def _reset(self, payload: bytes) -> bytes:
        if self._began and self._one_episode:
            return self._fail(
                Status.REFUSED, ["RuntimeError", "a sandbox runs one episode: it was reset before"]
            )
        self._began = True
        order: dict[str, Any] = pickle.loads(payload)
        if order["checked"]:
            self._checks.begin()
        for op, arguments in order["journal"]:
            self._set_attr(*arguments) if op == Op.SET_ATTR else self._call_method(*arguments)
        if order["seed"] is not None:
            seed_everything(self.env, order["seed"])
        observation, info = self.env.reset(seed=order["seed"], options=order["options"])
        self._write_observation(observation)
        self._rewards[0] = self._terminated[0] = self._truncated[0] = 0
        return _pack_info(info) if info else b""

    def _call(self, payload: bytes) -> bytes:
        name, args, kwargs = pickle.loads(payload)
        if not self.env.has_wrapper_attr(name):
            return self._fail(Status.REFUSED, ["AttributeError", f"the environment has no method {name!r}"])
        return self._give(name, self._call_method(name, args, kwargs))

    def _get(self, payload: bytes) -> bytes:
        name = pickle.loads(payload)
        if not self.env.has_wrapper_attr(name):
            return self._fail(
                Status.REFUSED, ["AttributeError", f"the environment has no attribute {name!r}"]
            )
        return self._give(name, self.env.get_wrapper_attr(name))

    def _set(self, payload: bytes) -> bytes:
        self._set_attr(*pickle.loads(payload))
        return encode([None])

    def _call_method(self, name: str, args: Any, kwargs: Any) -> Any:
        found = self.env.get_wrapper_attr(name)
        return found(*args, **kwargs) if callable(found) else found

    def _set_attr(self, name: str, value: Any) -> None:
        self.env.set_wrapper_attr(name, value)

    def _give(self, name: str, value: Any) -> bytes:
        try:
            return encode([value])
        except (TypeError, ValueError, RecursionError) as error:
            return self._fail(Status.REFUSED, ["TypeError", f"{name!r} cannot leave its sandbox: {error}"])


def _summary(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _pack_info(info: dict[str, Any]) -> bytes:
    packed, dropped = encode_info(info)
    if not dropped:
        return packed
    kept = {key: value for key, value in info.items() if str(key) not in dropped}
    return encode(kept | {DROPPED_KEY: dropped})
