"""Signals that would end the process are held back while files change hands."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

ENDING = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))
"""Those that ask a process to end, and that it may answer. SIGINT is last, so that it is the last to be given back."""


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let what is done inside come to its end first; a signal that comes meanwhile is raised again afterwards.

    In another thread than the main one nothing is held, as Python runs no handler there.
    """
    heard: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING if in_main_thread()}
    ours = {number: handler for number, handler in handlers.items() if handler not in (None, signal.SIG_IGN)}
    try:
        for number in ours:
            signal.signal(number, lambda number, frame: heard.append(number))
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        for number in heard[:1]:
            signal.raise_signal(number)


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
