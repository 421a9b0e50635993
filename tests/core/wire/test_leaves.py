"""Spaces as trees."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces
from rollout_sandbox.errors import UnsupportedSpaceError
from rollout_sandbox.wire.leaves import assemble, leaves_of, pick

_NESTED = spaces.Dict(
    [("b", spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1, (3,))])), ("a", spaces.Text(4))]
)


def test_leaves_come_depth_first_with_their_paths_and_names() -> None:
    leaves = list(leaves_of(_NESTED))
    assert [leaf.path for leaf in leaves] == [("b", 0), ("b", 1), ("a",)]
    assert [leaf.name for leaf in leaves] == ["['b'][0]", "['b'][1]", "['a']"]
    assert [leaf.shape for leaf in leaves] == [(), (3,), ()]
    assert [leaf.dtype for leaf in leaves] == [np.int64, np.float32, "<U4"]
    assert [leaf.size for leaf in leaves] == [8, 12, 16]


def test_a_space_of_one_array_is_its_own_leaf() -> None:
    (leaf,) = leaves_of(spaces.Discrete(2))
    assert (leaf.path, leaf.name) == ((), "the observation")


def test_truth_values_travel_as_bytes() -> None:
    (leaf,) = leaves_of(spaces.Box(0, 1, (2,), np.bool_))
    assert leaf.dtype == np.uint8


def test_what_was_taken_apart_is_put_together_again() -> None:
    value = _NESTED.sample()
    parts = (pick(value, leaf.path) for leaf in leaves_of(_NESTED))
    assert repr(assemble(_NESTED, parts)) == repr(value)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (spaces.Sequence(spaces.Discrete(2)), r"Sequence at space has no fixed size: use Box"),
        (
            spaces.Dict(a=spaces.Tuple([_NESTED, spaces.Graph(spaces.Discrete(2), None)])),
            r"space\['a'\]\[1\]",
        ),
        (spaces.Dict(a=spaces.Text(3, charset="a\0")), r"Text at space\['a'\] has the character '\\0'"),
    ],
)
def test_a_space_without_a_place_is_named_with_its_path(space: spaces.Space[object], message: str) -> None:
    with pytest.raises(UnsupportedSpaceError, match=message):
        list(leaves_of(space))
