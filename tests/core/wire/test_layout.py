"""What travels in frames arrives as Gymnasium's vector environments would give it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from hypothesis import given
from hypothesis import strategies as st
from rollout_sandbox.errors import UnsupportedSpaceError
from rollout_sandbox.wire.env_side import InvalidObservation, action_reader, observation_writer
from rollout_sandbox.wire.extensions import MOST_BYTES
from rollout_sandbox.wire.layout import FrameLayout

from .space_strategies import ALL_SPACES, NUMBER_SPACES

_SLOTS = 3
_TINY = spaces.Discrete(2)


def _exact(value: Any) -> Any:
    """Put a value into a form whose equality means the same numbers, bit for bit, in the same places."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return [_exact(part) for part in value]
    if isinstance(value, dict):
        return [(key, _exact(part)) for key, part in value.items()]
    return value


def _samples(space: gymnasium.Space[Any], count: int, seed: int) -> list[Any]:
    space.seed(seed)
    return [space.sample() for _ in range(count)]


def _replies(layout: FrameLayout, observations: list[Any]) -> np.ndarray[Any, Any]:
    replies = np.zeros(len(observations), layout.reply_dtype)
    for index, observation in enumerate(observations):
        observation_writer(layout.observation_space, replies[index : index + 1])(observation)
    return replies


@given(ALL_SPACES, st.integers(0, 2**31))
def test_a_batch_of_observations_is_gymnasium_s(space: gymnasium.Space[Any], seed: int) -> None:
    observations = _samples(space, _SLOTS, seed)
    layout = FrameLayout(space, _TINY)
    replies = _replies(layout, observations)
    expected = concatenate(space, observations, create_empty_array(space, _SLOTS))
    assert _exact(layout.batch_observation(replies)) == _exact(expected)
    assert layout.find_invalid(replies) is None


@given(ALL_SPACES, st.integers(0, 2**31))
def test_one_observation_is_the_environment_s_own(space: gymnasium.Space[Any], seed: int) -> None:
    observations = _samples(space, 2, seed)
    layout = FrameLayout(space, _TINY)
    replies = _replies(layout, observations)
    assert _exact(layout.observation(replies, 1)) == _exact(observations[1])


@given(NUMBER_SPACES, st.integers(0, 2**31))
def test_observations_are_new_and_writable(space: gymnasium.Space[Any], seed: int) -> None:
    layout = FrameLayout(space, _TINY)
    replies = _replies(layout, _samples(space, _SLOTS, seed))
    before = replies.tobytes()
    layout.batch_observation(replies)[...] = 0
    if space.shape:
        layout.observation(replies, 0)[...] = 0
    assert replies.tobytes() == before


def _actions_read(space: gymnasium.Space[Any], batch: Any) -> list[Any]:
    layout = FrameLayout(_TINY, space)
    commands = np.zeros(_SLOTS, layout.command_dtype)
    layout.write_actions(commands, batch)
    return [action_reader(space, commands[index : index + 1])() for index in range(_SLOTS)]


@given(ALL_SPACES, st.integers(0, 2**31))
def test_each_environment_reads_the_action_that_gymnasium_would_give_it(
    space: gymnasium.Space[Any], seed: int
) -> None:
    actions = _samples(space, _SLOTS, seed)
    batch = concatenate(space, actions, create_empty_array(space, _SLOTS))
    assert [_exact(read) for read in _actions_read(space, batch)] == [_exact(action) for action in actions]


@given(NUMBER_SPACES, st.integers(0, 2**31))
def test_the_batched_space_s_samples_are_read_as_gymnasium_iterates_them(
    space: gymnasium.Space[Any], seed: int
) -> None:
    (batch,) = _samples(batch_space(space, _SLOTS), 1, seed)
    expected = list(iterate(batch_space(space, _SLOTS), batch))
    read = _actions_read(space, batch)
    assert list(map(_exact, read)) == list(map(_exact, expected))
    assert list(map(type, read)) == list(map(type, expected))


def test_an_action_that_was_read_outlives_the_next_command() -> None:
    space = spaces.Box(0, 1, (2,))
    command = np.zeros(1, FrameLayout(_TINY, space).command_dtype)
    read = action_reader(space, command)
    command["a0"] = 1
    action = read()
    command["a0"] = 0
    assert action.tolist() == [1, 1]


_NESTED = spaces.Dict(a=spaces.Box(0, 1, (2,), np.float32), b=spaces.Tuple([spaces.Discrete(3)]))
_TEXT = spaces.Text(3, charset="abc")


@pytest.mark.parametrize(
    ("space", "observation", "message"),
    [
        (spaces.Box(0, 1, (2,)), np.zeros(3), r"observation has shape \(3,\), .* declares \(2,\): correct"),
        (spaces.Box(0, 1, (2,)), 0.5, r"shape \(\)"),
        (spaces.Box(0, 1, (2,)), None, r"shape \(\)"),
        (spaces.Box(0, 1, (2,)), [[1], [2, 3]], "is no array"),
        (spaces.Box(0, 1, (2,)), np.zeros(2, np.complex128), "dtype complex128, .* declared float32"),
        (spaces.Box(0, 1, (2,)), ["a", "b"], "dtype <U1"),
        (spaces.Box(0, 1, (2,)), [object(), None], "dtype object"),
        (spaces.Box(0, 9, (2,), np.uint8), np.zeros(2), "dtype float64"),
        (spaces.Box(0, 1, (2,), np.bool_), np.full(2, 7), "dtype int64"),
        (spaces.Discrete(3), 1.5, "dtype float64"),
        (spaces.Discrete(3), [1], r"shape \(1,\)"),
        (_NESTED, {"a": np.zeros(2)}, r"nothing at \['b', 0\]"),
        (_NESTED, {"a": np.zeros(2), "b": ()}, r"nothing at \['b', 0\]"),
        (_NESTED, None, r"nothing at \['a'\]"),
        (_NESTED, {"a": np.zeros(1), "b": (1,)}, r"\['a'\] has shape \(1,\)"),
        (_TEXT, "abcd", "is 'abcd', which is not in Text"),
        (_TEXT, "d", "not in"),
        (_TEXT, 7, "not in"),
    ],
)  # fmt: skip
def test_an_observation_that_does_not_fit_is_refused(
    space: gymnasium.Space[Any], observation: Any, message: str
) -> None:
    reply = np.zeros(1, FrameLayout(space, _TINY).reply_dtype)
    with pytest.raises(InvalidObservation, match=message):
        observation_writer(space, reply)(observation)


@pytest.mark.parametrize(
    ("space", "observation"),
    [
        (spaces.Box(0, 1, (2,)), [0.5, 1]),
        (spaces.Box(0, 1, (2,)), np.array([True, False])),
        (spaces.Box(0, 1, (2,)), np.array([0.5, 1])),
        (spaces.Discrete(3), 2),
        (spaces.Discrete(3), np.uint8(2)),
        (spaces.Discrete(3), np.array(2)),
        (spaces.MultiBinary(2), [True, False]),
    ],
)
def test_an_observation_that_can_be_cast_as_numpy_does_is_taken(
    space: gymnasium.Space[Any], observation: Any
) -> None:
    layout = FrameLayout(space, _TINY)
    reply = _replies(layout, [observation])
    assert np.array_equal(layout.observation(reply, 0), np.asarray(observation, space.dtype))


_HOSTILE_SPACE = spaces.Dict([("truth", spaces.Box(0, 1, (2, 2), np.bool_)), ("text", _TEXT)])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("terminated", 2),
        ("truncated", 255),
        ("status", 4),
        ("status", 255),
        ("size", MOST_BYTES + 1),
        ("size", 2**32 - 1),
        ("o0", 2),
        ("o1", "d"),
        ("o1", ""),
    ],
)
def test_a_hostile_reply_is_found_among_good_ones(field: str, value: Any) -> None:
    layout = FrameLayout(_HOSTILE_SPACE, _TINY)
    replies = _replies(layout, _samples(_HOSTILE_SPACE, _SLOTS, 0))
    assert layout.find_invalid(replies) is None
    replies[field][1] = value
    invalid = layout.find_invalid(replies)
    assert invalid is not None
    assert invalid.tolist() == [False, True, False]


@given(st.data())
def test_arbitrary_bytes_are_either_found_or_can_be_read(draw: st.DataObject) -> None:
    layout = FrameLayout(_HOSTILE_SPACE, _TINY)
    size = layout.reply_dtype.itemsize
    content = draw.draw(st.binary(min_size=size, max_size=size))
    replies = np.frombuffer(bytearray(content), layout.reply_dtype)
    if layout.find_invalid(replies) is None:
        observation = layout.observation(replies, 0)
        assert observation["text"] in _TEXT
        assert observation["truth"].view(np.uint8).max() <= 1


def test_a_number_that_is_no_character_is_found() -> None:
    layout = FrameLayout(_TEXT, _TINY)
    replies = _replies(layout, ["abc"])
    replies["o0"].view(np.uint32)[...] = 0x110000
    assert layout.find_invalid(replies) is not None


def test_only_spaces_whose_values_could_lie_are_checked_by_value() -> None:
    assert FrameLayout(_HOSTILE_SPACE, _TINY).checks_values
    assert not FrameLayout(spaces.Box(0, 1, (2,)), _TINY).checks_values


def test_heads_are_zero_while_nothing_but_observations_and_rewards_comes() -> None:
    layout = FrameLayout(spaces.Discrete(9), _TINY)
    replies = _replies(layout, [8, 8])
    replies["reward"] = -1.5
    heads = layout.heads(replies)
    assert not heads.any()
    for name in ("status", "terminated", "truncated", "size"):
        replies[name][1] = 1
        assert heads.any(axis=1).tolist() == [False, True]
        replies[name][1] = 0


@pytest.mark.parametrize("space", [spaces.MultiBinary([1 << 20, 1 << 20]), spaces.Text(10**12)])
def test_a_space_that_fills_the_memory_is_refused(space: gymnasium.Space[Any]) -> None:
    for pair in ((space, _TINY), (_TINY, space)):
        with pytest.raises(UnsupportedSpaceError, match="give less"):
            FrameLayout(*pair)
