"""Random spaces."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

__all__ = ["ALL_SPACES", "NUMBER_SPACES"]

_SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
_FULL_SHAPES = hnp.array_shapes(min_dims=1, max_dims=2, max_side=3)
_INTEGERS = st.sampled_from([np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64])


def _boxes() -> st.SearchStrategy[spaces.Box]:
    floats = st.builds(
        lambda shape, dtype, low: spaces.Box(low, np.inf, shape, dtype),
        _SHAPES,
        st.sampled_from([np.float16, np.float32, np.float64]),
        st.sampled_from([-1.0, 0.0, -np.inf]),
    )
    whole = st.builds(lambda shape, dtype: spaces.Box(0, 100, shape, dtype), _SHAPES, _INTEGERS)
    truths = st.builds(lambda shape: spaces.Box(0, 1, shape, np.bool_), _SHAPES)
    return floats | whole | truths


def _multi_discretes() -> st.SearchStrategy[spaces.MultiDiscrete[Any]]:
    return st.builds(
        lambda shape, most, start, dtype: spaces.MultiDiscrete(
            np.full(shape, most), dtype, start=np.full(shape, start)
        ),
        _FULL_SHAPES,
        st.integers(1, 100),
        st.integers(0, 5),
        _INTEGERS,
    )


NUMBER_SPACES: st.SearchStrategy[gymnasium.Space[Any]] = (
    _boxes()
    | _multi_discretes()
    | st.builds(
        lambda n, start, dtype: spaces.Discrete(n, start=start, dtype=dtype),
        st.integers(1, 100),
        st.integers(0, 5),
        _INTEGERS,
    )
    | st.builds(spaces.MultiBinary, st.integers(1, 5) | _FULL_SHAPES)
)
"""Spaces of one array."""

_TEXTS = st.builds(
    lambda least, more, charset: spaces.Text(least + more, min_length=least, charset=charset),
    st.integers(0, 3),
    st.integers(0, 5),
    st.sampled_from(["ab", "zyx", "é𝄞", " \n"]),
)

ALL_SPACES: st.SearchStrategy[gymnasium.Space[Any]] = st.recursive(
    NUMBER_SPACES | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3).map(spaces.Tuple)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3).map(
            lambda items: spaces.Dict(list(items.items()))
        )
    ),
    max_leaves=6,
)
"""Those, texts, and what is made of them; the keys of dictionaries are in any order."""
