"""Work aside, inside a task: what comes after it sees nothing of what it compiled, changed or spoiled.

In a fork where the platform has one. Elsewhere in this process, from which then is taken back what work in a task may
change: what the compiler remembers, and what the target holds. A crash there is one of the whole task.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch

from pdt_annotate.processes.child.compiler_state import remembering_nothing
from pdt_annotate.processes.fork import CAN_FORK, in_fork
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.verify.judges.clones import SHARED

A = TypeVar("A")
T = TypeVar("T")

PutBack = Callable[[], None]
APART = tuple(cls for cls in SHARED if cls is not torch.nn.Module)  # what is everybody's, and no call's to change


def aside(work: Callable[[A], T], argument: A, held: Any = None) -> T | None:
    """Do some work; None where it did not return.

    Args:
        held: the module that the work runs, if it runs one.
    """
    if CAN_FORK:
        return in_fork(work, argument)
    put_back = keep(held)
    try:
        with contextlib.suppress(Exception, SystemExit), remembering_nothing():
            return work(argument)
        return None
    finally:
        put_back()


def keep(callee: Any) -> PutBack:
    """Keep what the module behind a callee holds now: parameters, buffers, and what its attributes hold.

    Returns:
        what puts all of it back into the same objects: whatever else refers to them sees it as well.
    """
    holder = callee if isinstance(callee, torch.nn.Module) else getattr(callee, "__self__", None)
    kept = tuple(_keep_all(holder, set()))

    def put_back() -> None:
        for each in kept:
            each()

    return put_back


def _keep_all(value: Any, met: set[int]) -> Iterator[PutBack]:
    """What puts back a value and all that it holds, each object once; what it holds comes after it."""
    if id(value) in met or is_a(value, *APART):
        return
    met.add(id(value))
    if is_a(value, torch.Tensor):
        yield from _keep_tensor(value)
        return
    for put_back, inner in _keep_container(value):
        yield put_back
        for each in inner:
            yield from _keep_all(each, met)


def _keep_tensor(tensor: torch.Tensor) -> Iterator[PutBack]:
    if tensor.is_meta or tensor.layout is not torch.strided:
        return
    before, grad = tensor.detach().clone(), tensor.grad if tensor.is_leaf else None

    def put_back() -> None:
        if tensor.shape == before.shape and not torch.equal(tensor, before):
            tensor.data.copy_(before)
        if tensor.is_leaf:
            tensor.grad = grad

    yield put_back


def _keep_container(value: Any) -> Iterator[tuple[PutBack, list[Any]]]:
    """For each part of a value that holds others: what puts that back, and what is in it."""
    if is_a(value, tuple):
        yield lambda: None, list(value)
    elif is_a(value, dict):
        yield _keep_items(value), list(value.values())
    elif is_a(value, list, set, deque):
        yield _keep_elements(value), list(value)
    state = state_of(value)
    if state:
        yield _keep_items(state), list(state.values())


def _keep_items(value: dict[Any, Any]) -> PutBack:
    before = dict(value)

    def put_back() -> None:  # only where that is needed: dynamo compiles anew for a dict that was written to
        if len(value) != len(before) or any(value.get(key) is not item for key, item in before.items()):
            value.clear()
            value.update(before)

    return put_back


def _keep_elements(value: Any) -> PutBack:
    before = list(value)

    def put_back() -> None:
        if len(value) != len(before) or any(one is not other for one, other in zip(value, before, strict=True)):
            value.clear()
            (value.update if is_a(value, set) else value.extend)(before)

    return put_back
