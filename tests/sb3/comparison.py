"""Compares values with all that a training library may see of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from envs.metronome import MetronomeEnv

OWN_KEYS = {"sandbox_id", "slot", "episode", "seed"}


def metronomes(count: int = 2, **options: Any) -> list[Callable[[], Any]]:
    """Give factories whose episodes have 2, 3, ... steps."""
    return [partial(MetronomeEnv, beats=2 + index, **options) for index in range(count)]


def assert_same(found: Any, expected: Any) -> None:
    """Compare types, dtypes, shapes and values, at every depth."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert type(found) is type(expected)
        if isinstance(expected, np.ndarray):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert np.array_equal(found, expected)


def without_own_keys(infos: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what only a sandbox tells of a reset."""
    assert all(info.keys() >= OWN_KEYS for info in infos)
    return [{key: value for key, value in info.items() if key not in OWN_KEYS} for info in infos]
