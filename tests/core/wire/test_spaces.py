"""A space that travels arrives as it left; a description that is none is refused."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from rollout_sandbox.errors import ProtocolError, UnsupportedSpaceError
from rollout_sandbox.wire.codec import decode, encode
from rollout_sandbox.wire.spaces import describe, rebuild

from .space_strategies import ALL_SPACES


def _travel(space: gymnasium.Space[Any]) -> gymnasium.Space[Any]:
    return rebuild(decode(encode(describe(space))))


@given(ALL_SPACES)
def test_a_space_arrives_as_it_left(space: gymnasium.Space[Any]) -> None:
    arrived = _travel(space)
    assert arrived == space
    assert type(arrived) is type(space)
    assert arrived.shape == space.shape
    assert arrived.dtype == space.dtype


@given(ALL_SPACES, st.integers(0, 2**31))
def test_a_space_that_arrived_samples_the_same(space: gymnasium.Space[Any], seed: int) -> None:
    arrived = _travel(space)
    space.seed(seed)
    arrived.seed(seed)
    for _ in range(3):
        assert repr(arrived.sample()) == repr(space.sample())


def test_keys_keep_an_order_that_is_not_the_alphabet_s() -> None:
    space = spaces.Dict([("b", spaces.Discrete(2)), ("a", spaces.Discrete(3))])
    assert list(_travel(space).spaces) == ["b", "a"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "space",
    [
        spaces.Sequence(spaces.Discrete(2)),
        spaces.Graph(spaces.Discrete(2), None),
        spaces.OneOf([spaces.Discrete(2)]),
        spaces.Dict(deep=spaces.Tuple([spaces.Sequence(spaces.Discrete(2))])),
    ],
)
def test_a_kind_that_cannot_travel_is_named(space: gymnasium.Space[Any]) -> None:
    with pytest.raises(UnsupportedSpaceError, match=r"(Sequence|Graph|OneOf) cannot travel: use Box"):
        describe(space)


_BOX = describe(spaces.Box(0, 1, (2,), np.float32))
_DISCRETE = describe(spaces.Discrete(3))
_MULTI_DISCRETE = describe(spaces.MultiDiscrete([2, 3]))
_TEXT = describe(spaces.Text(3))


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        "Box",
        {},
        {"kind": "Space"},
        {"kind": ["Box"]},
        {"kind": "Box"},
        _BOX | {"dtype": "O"},
        _BOX | {"dtype": "f8,f8"},
        _BOX | {"dtype": "U5"},
        _BOX | {"dtype": None},
        _BOX | {"low": np.zeros(3, np.float32)},
        _BOX | {"low": "import os"},
        _DISCRETE | {"n": 0},
        _DISCRETE | {"n": "3"},
        _DISCRETE | {"n": 10**30},
        _DISCRETE | {"dtype": "O"},
        _DISCRETE | {"dtype": [["f", "O"]]},
        _DISCRETE | {"dtype": "<f8"},
        _DISCRETE | {"dtype": "<m8"},
        _MULTI_DISCRETE | {"nvec": np.array([0, 1])},
        _MULTI_DISCRETE | {"dtype": "O"},
        _MULTI_DISCRETE | {"dtype": "<m8[s]"},
        _MULTI_DISCRETE | {"start": np.zeros(5, np.int64)},
        {"kind": "MultiBinary", "n": [-1]},
        {"kind": "MultiBinary", "n": None},
        _TEXT | {"most": -1},
        _TEXT | {"most": 1.5},
        _TEXT | {"characters": ["ab"]},
        {"kind": "Dict", "items": [["key"]]},
        {"kind": "Dict", "items": [["key", None]]},
        {"kind": "Dict", "items": [[["key"], _DISCRETE]]},
        {"kind": "Tuple", "items": 7},
    ],
    ids=repr,
)
def test_a_description_that_is_none_is_refused(plain: Any) -> None:
    with pytest.raises(ProtocolError, match="a space is described"):
        rebuild(plain)


_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.sampled_from(["Box", "O", "Tuple", "Dict", "Text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(ALL_SPACES.map(describe), st.data())
def test_a_changed_description_gives_an_error_or_a_space(plain: dict[str, Any], draw: st.DataObject) -> None:
    plain[draw.draw(st.sampled_from(sorted(plain)))] = draw.draw(_JSON)
    try:
        space = rebuild(plain)
    except ProtocolError:
        return
    assert space.dtype is None or not np.dtype(space.dtype).hasobject
