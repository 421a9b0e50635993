"""The trainer's end of a sandbox's stream."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
from rollout_sandbox.wire.channel import SocketChannel

Ends = tuple[SocketChannel, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """A channel, and the sandbox's end of it."""
    near, far = socket.socketpair()
    channel = SocketChannel(near)
    yield channel, far
    channel.close()
    far.close()


def _receive(channel: SocketChannel, size: int, timeout: float = 10) -> bytes:
    frame = bytearray(size)
    channel.receive_into(memoryview(frame), timeout)
    return bytes(frame)


def test_what_is_there_is_received_at_once(ends: Ends) -> None:
    channel, far = ends
    far.sendall(b"abcdef")
    assert _receive(channel, 3) == b"abc"
    assert _receive(channel, 3) == b"def"


def test_nothing_is_received_at_once_too(ends: Ends) -> None:
    channel, far = ends
    far.sendall(b"later")
    assert _receive(channel, 0) == b""
    assert _receive(channel, 5) == b"later"


def test_what_comes_late_and_in_parts_is_received_whole(ends: Ends) -> None:
    channel, far = ends

    def send_slowly() -> None:
        for part in (b"a", b"bc", b"def"):
            time.sleep(0.02)
            far.sendall(part)

    sender = threading.Thread(target=send_slowly)
    sender.start()
    assert _receive(channel, 6) == b"abcdef"
    sender.join()


def test_a_frame_larger_than_the_socket_s_buffer_is_received_whole(ends: Ends) -> None:
    channel, far = ends
    content = bytes(range(256)) * 20_000
    sender = threading.Thread(target=far.sendall, args=(content,))
    sender.start()
    assert _receive(channel, len(content)) == content
    sender.join()


@pytest.mark.parametrize("sent", [b"", b"ab"])
@pytest.mark.parametrize("timeout", [0.05, 1e-9])
def test_a_frame_that_does_not_come_in_time_is_a_timeout(ends: Ends, sent: bytes, timeout: float) -> None:
    channel, far = ends
    far.sendall(sent)
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match=f"no answer within {timeout:g} s"):
        _receive(channel, 3, timeout)
    assert timeout <= time.monotonic() - begun + 0.001
    assert time.monotonic() - begun < 5


def test_a_sender_that_dribbles_does_not_put_the_deadline_off(ends: Ends) -> None:
    channel, far = ends
    stop = threading.Event()

    def dribble() -> None:
        while not stop.wait(0.02):
            far.sendall(b"x")

    sender = threading.Thread(target=dribble)
    sender.start()
    begun = time.monotonic()
    try:
        with pytest.raises(TimeoutError):
            _receive(channel, 1000, 0.2)
    finally:
        stop.set()
        sender.join()
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("sent", [b"", b"ab"])
def test_a_sandbox_that_ends_before_its_frame_is_gone(ends: Ends, sent: bytes) -> None:
    channel, far = ends
    far.sendall(sent)
    far.close()
    with pytest.raises(ConnectionError, match="the sandbox is gone"):
        _receive(channel, 3)


def test_a_sandbox_that_ends_while_it_is_awaited_is_gone(ends: Ends) -> None:
    channel, far = ends
    closer = threading.Timer(0.05, far.close)
    closer.start()
    with pytest.raises(ConnectionError, match="the sandbox is gone"):
        _receive(channel, 3)
    closer.join()


def test_what_a_sandbox_sent_before_it_ended_is_received(ends: Ends) -> None:
    channel, far = ends
    far.sendall(b"abc")
    far.close()
    assert _receive(channel, 3) == b"abc"


def test_a_command_to_a_sandbox_that_is_gone_is_a_connection_error(ends: Ends) -> None:
    channel, far = ends
    far.close()
    with pytest.raises(ConnectionError):
        channel.send(b"command")


def test_a_command_arrives(ends: Ends) -> None:
    channel, far = ends
    channel.send(memoryview(b"command"))
    assert far.recv(100) == b"command"


def test_to_close_again_is_harmless(ends: Ends) -> None:
    channel, _ = ends
    channel.close()
    channel.close()
