"""Signals that would end the process: held back while files change hands, and otherwise made an exception."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))
"""Those that ask a process to end, and that it may answer. SIGINT is last, so that it is the last to be given back."""


class Ended(KeyboardInterrupt):
    """A signal asks the process to end; as with Ctrl-C, all that is begun is cleared away on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def _raise(number: int, frame: FrameType | None) -> None:
    raise Ended(number)


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, which by default end the process where it stands, raise `Ended` instead."""
    with contextlib.ExitStack() as stack:
        for number in _ours(signal.SIG_DFL):
            stack.callback(signal.signal, number, signal.SIG_DFL)
            signal.signal(number, _raise)
        yield


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let what is done inside come to its end first; a signal that comes meanwhile is raised again afterwards.

    In another thread than the main one nothing is held, as Python runs no handler there.
    """
    heard: list[int] = []
    try:
        with contextlib.ExitStack() as stack:
            for number in _ours():
                stack.callback(signal.signal, number, signal.getsignal(number))
                signal.signal(number, lambda number, frame: heard.append(number))
            yield
    finally:
        for number in heard[:1]:
            signal.raise_signal(number)


def _ours(*handlers: object) -> list[int]:
    """The signals that are answered, by one of these handlers if any are named."""
    if threading.current_thread() is not threading.main_thread():
        return []
    found = {number: signal.getsignal(number) for number in ENDING}
    return [
        number
        for number, handler in found.items()
        if (handler in handlers if handlers else handler not in (None, signal.SIG_IGN))
    ]
