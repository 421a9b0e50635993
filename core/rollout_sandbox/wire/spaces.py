"""Spaces in plain values, so that a trainer learns of them without running a sandbox's code."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rollout_sandbox.errors import ProtocolError, UnsupportedSpaceError

__all__ = ["describe", "rebuild"]


def describe(space: spaces.Space[Any]) -> dict[str, Any]:
    """Put a space into plain values.

    :raises UnsupportedSpaceError: for a kind that cannot travel.
    """
    match space:
        case spaces.Box():
            return {"kind": "Box", "low": space.low, "high": space.high, "dtype": space.dtype.str}
        case spaces.Discrete():
            dtype = np.dtype(space.dtype).str
            return {"kind": "Discrete", "n": int(space.n), "start": int(space.start), "dtype": dtype}
        case spaces.MultiDiscrete():
            return {
                "kind": "MultiDiscrete",
                "nvec": space.nvec,
                "start": space.start,
                "dtype": space.dtype.str,
            }
        case spaces.MultiBinary():
            return {"kind": "MultiBinary", "n": space.n if isinstance(space.n, int) else list(space.shape)}
        case spaces.Text():
            return {
                "kind": "Text",
                "most": space.max_length,
                "least": space.min_length,
                "characters": space.characters,
            }
        case spaces.Dict():
            return {"kind": "Dict", "items": [[key, describe(inner)] for key, inner in space.spaces.items()]}
        case spaces.Tuple():
            return {"kind": "Tuple", "items": [describe(inner) for inner in space.spaces]}
    raise UnsupportedSpaceError(
        f"{type(space).__name__} cannot travel: use Box, Discrete, MultiDiscrete, MultiBinary, Text, "
        "Dict or Tuple"
    )


def _build(plain: dict[str, Any]) -> spaces.Space[Any]:
    match plain["kind"]:
        case "Box":
            return spaces.Box(plain["low"], plain["high"], dtype=np.dtype(plain["dtype"]).type)
        case "Discrete":
            return spaces.Discrete(plain["n"], start=plain["start"], dtype=np.dtype(plain["dtype"]).type)
        case "MultiDiscrete":
            return spaces.MultiDiscrete(plain["nvec"], np.dtype(plain["dtype"]).type, start=plain["start"])
        case "MultiBinary":
            return spaces.MultiBinary(plain["n"])
        case "Text":
            return spaces.Text(plain["most"], min_length=plain["least"], charset=plain["characters"])
        case "Dict":
            return spaces.Dict({key: _build(inner) for key, inner in plain["items"]})
        case "Tuple":
            return spaces.Tuple([_build(inner) for inner in plain["items"]])
    raise ValueError(f"unknown kind {plain['kind']!r}")


def rebuild(plain: dict[str, Any]) -> spaces.Space[Any]:
    """Make a space from what :func:`describe` gave; nothing in it is evaluated.

    :raises ProtocolError: if it is anything else.
    """
    try:
        return _build(plain)
    except Exception as error:
        raise ProtocolError(f"a space is described in a way that is not understood: {error!r}") from error
