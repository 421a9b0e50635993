"""Whole messages on a stream."""

from __future__ import annotations

import socket
import struct
import threading
import tracemalloc
from collections.abc import Iterator

import pytest
from rollout_sandbox.errors import ProtocolError
from rollout_sandbox.wire.blob import receive_blob, send_blob

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two ends of a stream."""
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(10)
        yield near, far


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 10_000])
def test_a_message_arrives_whole(pair: Pair, data: bytes) -> None:
    near, far = pair
    sender = threading.Thread(target=send_blob, args=(far, data))
    sender.start()
    assert receive_blob(near) == data
    sender.join()


def test_messages_stay_apart(pair: Pair) -> None:
    near, far = pair
    for data in (b"one", b"", b"three"):
        send_blob(far, data)
    assert [receive_blob(near) for _ in range(3)] == [b"one", b"", b"three"]


@pytest.mark.parametrize("sent", [b"", b"\x03", struct.pack("<I", 3), struct.pack("<I", 3) + b"ab"])
def test_a_stream_that_ends_early_is_an_error(pair: Pair, sent: bytes) -> None:
    near, far = pair
    far.sendall(sent)
    far.close()
    with pytest.raises(ConnectionError, match="closed the stream"):
        receive_blob(near)


def test_an_announcement_that_is_too_large_is_refused_before_memory_is_taken(pair: Pair) -> None:
    near, far = pair
    far.sendall(struct.pack("<I", (1 << 28) + 1))
    tracemalloc.start()
    with pytest.raises(ProtocolError, match="268435457 bytes was announced; at most 268435456"):
        receive_blob(near)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_sender_that_pauses_meets_the_deadline_of_the_stream(pair: Pair) -> None:
    near, far = pair
    near.settimeout(0.05)
    far.sendall(struct.pack("<I", 100) + b"only this")
    with pytest.raises(TimeoutError):
        receive_blob(near)
