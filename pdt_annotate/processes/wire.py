"""Messages between the tool and its children: tasks, which the tool pickles, and replies, which are data.

On the way, a message is its length, followed by its bytes.

A reply is JSON, except if its value is bytes, which may be a whole model: these follow a mark unchanged. The child
writes with the standard library only, because the model's environment may have an old attrs or cattrs, or none. The
tool reads with cattrs by the declared type of the task: it unpickles nothing, and makes only classes that the type
names.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import importlib
import json
import socket
import struct
import sys
import time
import traceback
import typing
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from typing import IO, TYPE_CHECKING, Any

from pdt_annotate.values import errors
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.user_code import describe_error, frames_of

if TYPE_CHECKING:
    from cattrs import Converter

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
            self._end.settimeout(_left(deadline))
            self._end.sendall(part)

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


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


ERRORS: Mapping[str, type[errors.UserError]] = {
    cls.__name__: cls
    for cls in (errors.UserError, errors.TargetError, errors.SpecError, errors.UserCodeError, errors.TraceError)
}
LOST_HINT = (
    "your code may have changed Python, torch or its own classes so that they cannot be inspected; "
    "if not, this is a bug in pdt-annotate: please report it, with the traceback that -v "
    "shows"
)
GARBLED = "invalid reply from the process that runs your code"
GARBLED_HINT = "does your code write to files that it did not open, or replace parts of pdt-annotate?"
TOO_DEEP = "a value of your code is nested too deeply"
RAW = b"\0"  # the beginning of a reply whose value is bytes; JSON never begins so


@dataclass(frozen=True)
class Task:
    """A function that is imported and called in a child."""

    name: str  # "package.module:function"
    args: tuple[Any, ...]  # its arguments, after the state of its session
    flags: Mapping[str, Any]  # its keyword arguments
    heard: bool = False  # its output goes to our stderr; otherwise it is dropped, since the same code runs many times

    @property
    def module(self) -> str:
        return self.name.partition(":")[0]

    def __call__(self, *state: Any) -> Any:
        function = getattr(importlib.import_module(self.module), self.name.rpartition(":")[2])
        if not sys.pycache_prefix:  # with a prefix, Python keeps bytecode away from the sources
            sys.dont_write_bytecode = True
        return function(*state, *self.args, **self.flags)


# An error of our tree: its class, message, place and hint, and the traceback of an unexpected exception.
ERROR_SENT: Any = tuple[str, str, Place, str, str]


def unexpected(error: BaseException) -> errors.UserCodeError:
    """The error for an exception outside our tree. If the user's code has run, that code may be the cause."""
    try:
        text = "".join(traceback.format_exception(error))
    except BaseException:  # its class may be the user's, and any access may raise
        text = "".join(frames_of(error).format())
    found = errors.UserCodeError(f"your code could not be observed: {describe_error(error)}", hint=LOST_HINT)
    found.__cause__ = errors.FailedInChild(text)
    return found


@dataclass(frozen=True)
class Reply:
    value: Any = None
    error: errors.PdtError | None = None

    def unwrap(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value

    def encoded(self) -> bytes:
        if type(self.value) is bytes:
            return RAW + self.value
        error = self.error
        try:
            if error is None:
                return encode({"value": self.value})
        except RecursionError:
            error = errors.UserCodeError(TOO_DEEP)
        except (TypeError, AttributeError, ValueError) as failed:
            error = unexpected(failed)
        place, hint = getattr(error, "place", NO_PLACE), getattr(error, "hint", "")
        cause = str(error.__cause__) if isinstance(error.__cause__, errors.FailedInChild) else ""
        return encode({"error": (type(error).__name__, str(error), place, hint, cause)})

    @classmethod
    def read(cls, message: bytes, type_: Any = Any) -> Reply:
        """Read a reply with a value of a type. If the bytes are not a reply, the user's code gets the blame."""
        if type_ is bytes and message.startswith(RAW):
            return cls(message[len(RAW) :])
        with contextlib.suppress(ValueError, TypeError, LookupError, AttributeError, RecursionError):
            ((kind, data),) = json.loads(message)
            if kind == "error":
                name, text, place, hint, cause = converter().structure(data, ERROR_SENT)
                if name == errors.VerificationError.__name__:
                    return cls(error=errors.VerificationError(text))
                error = ERRORS[name](text, place=place, hint=hint)
                error.__cause__ = errors.FailedInChild(cause) if cause else None
                return cls(error=error)
            if type_ is not bytes:
                return cls(converter().structure(data, type_))
        return cls(error=errors.UserCodeError(GARBLED, hint=GARBLED_HINT))


def encode(value: object) -> bytes:
    """A value as JSON; raises `TypeError` if it holds anything but plain values, containers, Enums and dataclasses."""
    return json.dumps(_plain(value)).encode("ascii")


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (str, int, float, bool):
        return value
    if kind in (tuple, list) or isinstance(value, Set):
        return [_plain(each) for each in value]
    if is_dataclass(kind):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return [[_plain(key), _plain(item)] for key, item in value.items()]
    if isinstance(value, str | int | float):  # the user's subclass, which JSON writes as the plain value
        return value
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} is no data")


@functools.cache
def converter() -> Converter:
    from cattrs import Converter, cols  # noqa: PLC0415 - slow to import, and only the tool needs it

    made = Converter(detailed_validation=False)
    made.register_structure_hook(str | int, lambda value, _: value if isinstance(value, int) else str(value))

    @made.register_structure_hook_factory(cols.is_mapping)
    def read_mapping(type_: Any, made: Converter) -> Any:
        pairs: Any = list[tuple[typing.get_args(type_)]]  # type: ignore[misc]
        read = made.get_structure_hook(pairs)
        return lambda data, _: dict(read(data, pairs))

    return made


READY = Reply().encoded()
UNFORKABLE = "unforkable"  # the result of a setup whose state no fork can use

MARK = b"pdt-annotate answers:\n"
"""The line after which a spawned interpreter answers: code that starts with Python may have printed before."""
