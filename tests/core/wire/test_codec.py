"""Values travel exactly, and hostile bytes give an error or a value, nothing else."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rollout_sandbox.errors import ProtocolError
from rollout_sandbox.wire.codec import decode, encode, encode_info
from rollout_sandbox.wire.extensions import MOST_BYTES, MOST_DEPTH, MOST_INT_BYTES, Extension

_DTYPES = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.floating_dtypes(),
    hnp.complex_number_dtypes(),
    hnp.unicode_string_dtypes(),
    hnp.byte_string_dtypes(),
    hnp.datetime64_dtypes(),
    hnp.timedelta64_dtypes(),
)
_ARRAYS = _DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0)))
_SCALARS = _DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, 1)).map(lambda array: array[0])
_HASHABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.binary(max_size=20)
    | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
_VALUES = st.recursive(
    _HASHABLE | _ARRAYS | _SCALARS | st.floats(allow_nan=True) | st.sets(_HASHABLE, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(_HASHABLE, inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=10,
)


def _shown(value: Any) -> Any:
    """Put a value into a form whose equality means the same types, the same order and the same bits."""
    if isinstance(value, np.ndarray | np.generic):
        return type(value), value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return type(value), [_shown(item) for item in value]
    if isinstance(value, dict):
        return type(value), [_shown(item) for item in value.items()]
    if isinstance(value, set | frozenset):
        return type(value), sorted(map(repr, map(_shown, value)))
    return type(value), repr(value)


@given(_VALUES)
def test_a_value_comes_back_exactly(value: Any) -> None:
    assert _shown(decode(encode(value))) == _shown(value)


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        -(2**63) - 1,
        2**64,
        10**4090,
        -(10**4090),
        "\ud800",
        "a\nb\0",
        {"a\n": 1},
        {1: 2, (3, frozenset({4})): [5]},
        np.str_(""),
        np.str_("ab"),
        np.bytes_(b""),
        np.array("x"),
        np.array(["é", "𝄞x"], ">U3"),
        np.zeros((0, 3), ">f4"),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(10)[::-2],
        np.datetime64("NaT"),
        np.datetime64(3, "25s"),
        np.timedelta64(-1, "ns"),
        float("nan"),
        -0.0,
        complex("nan-0j"),
    ],
    ids=lambda value: f"{type(value).__name__}-{str(value)[:20]!a}",
)
def test_an_edge_comes_back_exactly(value: Any) -> None:
    assert _shown(decode(encode(value))) == _shown(value)


def test_an_extended_float_comes_back_exactly() -> None:
    value = np.longdouble("0.1")
    assert decode(encode(value)) == value != np.longdouble(0.1)


def test_arrays_that_come_back_are_new_and_writable() -> None:
    array = decode(encode(np.zeros(3)))
    array[0] = 1


class _Subclass(dict):  # type: ignore[type-arg]
    pass


@pytest.mark.parametrize(
    "value",
    [
        object(),
        print,
        _Subclass(),
        bytearray(b"x"),
        np.array([None]),
        np.zeros(1, [("x", "f8")]),
        np.void(b"x"),
        np.ma.masked_array([1.0]),
        2 ** (8 * MOST_INT_BYTES),
        [1, [2, {"deep": object()}]],
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_travel_exactly_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot leave a sandbox"):
        encode(value)


def _nest(depth: int, wrap: Any) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


_WRAPS = [
    lambda inner: [inner],
    lambda inner: (inner,),
    lambda inner: {"key": inner},
    lambda inner: {0: inner},
    lambda inner: frozenset({inner}),
]


@pytest.mark.parametrize("wrap", _WRAPS, ids=["list", "tuple", "dict", "keyed-dict", "frozenset"])
def test_the_depth_that_may_be_written_may_be_read(wrap: Any) -> None:
    value = _nest(MOST_DEPTH, wrap)
    assert decode(encode(value)) == value
    with pytest.raises(TypeError, match="deep"):
        encode(wrap(value))


@contextmanager
def _at_most(allowed: int) -> Iterator[None]:
    """Fail if more memory than that is taken at once."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < allowed
    finally:
        tracemalloc.stop()


def _nested_bytes(depth: int, wrap: Any) -> bytes:
    data: bytes = msgpack.packb(1)
    for _ in range(depth):
        data = wrap(data)
    return data


@pytest.mark.parametrize("depth", [MOST_DEPTH + 1, 500, 3000])
@pytest.mark.parametrize(
    "wrap",
    [lambda data: b"\x91" + data, lambda data: b"\x81\xa1k" + data],
    ids=["list", "map"],
)
def test_a_deeper_message_is_refused(depth: int, wrap: Any) -> None:
    with pytest.raises(ProtocolError):
        decode(_nested_bytes(depth, wrap))


def test_deeper_extensions_are_refused() -> None:
    def wrap(data: bytes) -> bytes:
        return msgpack.packb(msgpack.ExtType(Extension.TUPLE, b"\x91" + data))  # type: ignore[no-any-return]

    assert decode(_nested_bytes(MOST_DEPTH, wrap)) == _nest(MOST_DEPTH, lambda inner: (inner,))
    with pytest.raises(ProtocolError, match="deep"):
        decode(_nested_bytes(MOST_DEPTH + 1, wrap))


def test_each_level_of_a_large_message_is_not_a_copy_without_end() -> None:
    data = b"\x91" + msgpack.packb(bytes(20 << 20))
    for _ in range(MOST_DEPTH - 1):
        data = b"\x91" + msgpack.packb(msgpack.ExtType(Extension.TUPLE, data))
    with _at_most(8 * MOST_BYTES), pytest.raises(ProtocolError, match="large"):
        decode(data)


def _read_and_write_again(data: bytes) -> None:
    with suppress(ProtocolError):
        encode(decode(data))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_an_error_or_a_value(data: bytes) -> None:
    _read_and_write_again(data)


@given(_VALUES, st.data())
def test_a_changed_message_gives_an_error_or_a_value(value: Any, draw: st.DataObject) -> None:
    message = bytearray(encode(value))
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(message) - 1))
        message[place] = draw.draw(st.integers(0, 255))
    _read_and_write_again(bytes(message))


@given(_VALUES, st.data())
def test_a_shortened_message_is_refused(value: Any, draw: st.DataObject) -> None:
    message = encode(value)
    with pytest.raises(ProtocolError):
        decode(message[: draw.draw(st.integers(0, len(message) - 1))])


@given(st.sampled_from(list(Extension)), st.binary(max_size=60))
def test_arbitrary_content_of_an_extension_gives_an_error_or_a_value(code: Extension, content: bytes) -> None:
    _read_and_write_again(msgpack.packb(msgpack.ExtType(code, content)))


def _array_message(dtype: Any, shape: Any, content: bytes = b"") -> bytes:
    header = msgpack.packb([dtype, shape])
    content = struct.pack("<H", len(header)) + header + content
    return msgpack.packb(msgpack.ExtType(Extension.ARRAY, content))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("dtype", "shape", "content"),
    [
        ("<f8", [1 << 40], b""),
        ("<f8", [1 << 31, 1 << 31], bytes(16)),
        ("<f8", [0, 1 << 62], b""),
        ("<f8", [3], bytes(16)),
        ("<f8", [-3], bytes(16)),
        ("<f8", 2, bytes(16)),
        ("<f8", "2", bytes(16)),
        ("<f8", None, bytes(16)),
        ("|O", [1], b"\1" * 8),
        ("f8,f8", [1], bytes(16)),
        ("(1000000,)f8", [0], b""),
        ("|V8", [1], bytes(8)),
        ("(" * 5000, [1], b""),
        (7, [1], bytes(8)),
        ("<f3", [1], bytes(3)),
        ("<U0", [1 << 40], b""),
        ("<U99999999999999999999", [0], b""),
        ("<U1", [1], b"\xff" * 4),
        (">U1", [1], b"\xff" * 4),
        ("|b1", [1], b"\2"),
    ],
)
def test_a_hostile_array_is_refused_and_costs_nothing(dtype: Any, shape: Any, content: bytes) -> None:
    message = _array_message(dtype, shape, content)
    with _at_most(1 << 20), pytest.raises(ProtocolError):
        decode(message)


def test_an_empty_array_of_enormous_elements_costs_nothing() -> None:
    with _at_most(1 << 20):
        assert decode(_array_message("<U400000000", [0])).size == 0


def test_a_container_that_announces_more_than_the_message_holds_is_refused() -> None:
    for header in (b"\xdd", b"\xdf", b"\xc6", b"\xdb", b"\xc9"):
        with pytest.raises(ProtocolError):
            decode(header + b"\xff" * 8)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        encode(1) + encode(2),
        b"\x81\x01\x02",
        msgpack.packb(msgpack.ExtType(99, b"")),
        msgpack.packb(msgpack.ExtType(Extension.DICT, msgpack.packb([1]))),
        msgpack.packb(msgpack.ExtType(Extension.DICT, msgpack.packb([[], 1]))),
        msgpack.packb(msgpack.ExtType(Extension.SET, msgpack.packb([[]]))),
        msgpack.packb(msgpack.ExtType(Extension.TUPLE, msgpack.packb("ab"))),
        msgpack.packb(msgpack.ExtType(Extension.COMPLEX, bytes(15))),
        msgpack.packb(msgpack.ExtType(Extension.BIG_INT, bytes(MOST_INT_BYTES + 1))),
        msgpack.packb(msgpack.ExtType(Extension.TEXT, b"\xff")),
        msgpack.packb(msgpack.ExtType(Extension.ARRAY, b"")),
    ],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(data)


def test_a_message_beyond_the_largest_is_refused_unread_both_ways() -> None:
    with pytest.raises(ProtocolError, match="at most"):
        decode(bytes(MOST_BYTES + 1))
    with pytest.raises(TypeError, match="at most"):
        encode(bytes(MOST_BYTES))


def test_an_info_keeps_what_can_travel_and_names_the_rest() -> None:
    packed, dropped = encode_info({"kept": 1, "function": print, 7: object(), "also": (2,)})
    assert decode(packed) == {"kept": 1, "also": (2,)}
    assert dropped == ["function", "7"]


def test_an_info_that_is_too_large_as_a_whole_keeps_what_fits() -> None:
    large = bytes(MOST_BYTES // 2)
    packed, dropped = encode_info({"first": large, "second": large, "small": 1})
    assert dropped == ["second"]
    assert decode(packed).keys() == {"first", "small"}
