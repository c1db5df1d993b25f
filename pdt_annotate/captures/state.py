"""What a call may change in Python: kept as it is, and put back in place, for another run to begin from the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import torch

from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.verify.judges.clones import SHARED

PutBack = Callable[[], None]
MODULE_TABLES = ("_parameters", "_buffers", "_modules")
"""Where a module keeps its members of torch's own; beside them its other attributes are the user's."""


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
    if id(value) in met or is_a(value, *(each for each in SHARED if each is not torch.nn.Module)):
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
        if tensor.shape == before.shape:
            tensor.data.copy_(before)
        if tensor.is_leaf:
            tensor.grad = grad

    yield put_back


def _keep_container(value: Any) -> Iterator[tuple[PutBack, list[Any]]]:
    """For each part of a value that holds others: what puts that back, and what is in it."""
    if is_a(value, list):
        items = list(value)
        yield lambda: value.__setitem__(slice(None), items), items
    elif is_a(value, tuple):
        yield lambda: None, list(value)
    elif is_a(value, dict, set, deque):
        yield from _keep_updated(value)
    state = state_of(value)
    if state:
        yield from _keep_updated(state)


def _keep_updated(value: Any) -> Iterator[tuple[PutBack, list[Any]]]:
    before = value.copy()

    def put_back() -> None:
        value.clear()
        (value.extend if is_a(value, deque) else value.update)(before)

    yield put_back, list(before.values()) if is_a(before, dict) else list(before)
