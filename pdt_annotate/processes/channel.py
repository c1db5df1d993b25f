"""Messages between two processes: each is its length, followed by its bytes."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

LENGTH = struct.Struct("!Q")
MOST = 2**36  # bytes of the longest message; memory is used only for received bytes, not for the announced length
CHUNK = 2**20


@dataclass(eq=False)
class Channel:
    """One end of a pair of connected sockets. Deadlines are by `time.monotonic`; past one, `TimeoutError` is raised."""

    _end: socket.socket

    def send(self, message: bytes, deadline: float | None = None) -> None:
        """Raises OSError if the other end is closed."""
        for part in framed(message):
            rest = memoryview(part)
            while rest:
                self._end.settimeout(_left(deadline))
                rest = rest[self._end.send(rest[:CHUNK]) :]

    def receive(self, deadline: float | None = None) -> bytes:
        """The next message; empty if the other end is closed."""
        try:
            return read_message(lambda most: self._receive_some(most, deadline))
        except TimeoutError:
            raise
        except OSError:
            return b""

    def _receive_some(self, most: int, deadline: float | None) -> bytes:
        self._end.settimeout(_left(deadline))
        return self._end.recv(most)

    def send_end(self, end: Channel) -> None:
        self._end.settimeout(None)
        socket.send_fds(self._end, [b"e"], [end.fileno()])

    def receive_end(self) -> Channel:
        """Raises OSError if the other end is closed."""
        self._end.settimeout(None)
        _, descriptors, _, _ = socket.recv_fds(self._end, 1, 1)
        if not descriptors:
            raise ConnectionResetError
        return Channel(socket.socket(fileno=descriptors[0]))

    def await_end(self, deadline: float) -> None:
        """Wait until the other end is closed, and drop further messages."""
        with contextlib.suppress(OSError):
            while self._receive_some(CHUNK, deadline):
                pass

    def fileno(self) -> int:
        return self._end.fileno()

    def close(self) -> None:
        self._end.close()

    def cut(self, how: int = socket.SHUT_RDWR) -> None:
        """Make any call that waits at either end fail at once; with `SHUT_WR`, show that nothing more will come."""
        with contextlib.suppress(OSError):
            self._end.shutdown(how)


def framed(message: bytes) -> tuple[bytes, memoryview]:
    """A message with its length, in two parts to send."""
    # The length goes with the first bytes, because a fork of the user's may answer too; the other bytes are not copied.
    return LENGTH.pack(len(message)) + message[:CHUNK], memoryview(message)[CHUNK:]


def write_message(file: IO[bytes], message: bytes) -> None:
    file.writelines(framed(message))
    file.flush()


def read_message(read: Callable[[int], bytes]) -> bytes:
    """The next message; empty if there is no whole one. `read` returns so many bytes at most."""
    head = _exactly(read, LENGTH.size)
    length = LENGTH.unpack(head)[0] if len(head) == LENGTH.size else MOST
    body = _exactly(read, length) if length < MOST else b""
    return body if len(body) == length else b""


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    got = bytearray()
    while len(got) < size and (part := read(min(CHUNK, size - len(got)))):
        got += part
    return bytes(got)


def wait_for(channels: Sequence[Channel], seconds: float) -> list[Channel]:
    """The channels that have a message or are closed; none when time is up."""
    poll = select.poll()
    for each in channels:
        poll.register(each.fileno(), select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll(max(0.0, seconds) * 1000)}
    return [each for each in channels if each.fileno() in ready]


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
