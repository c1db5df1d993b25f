"""Which results are an argument itself, or another result, or share memory with one: eager, and when scripted.

TorchScript takes and gives lists and dicts as copies; tensors stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.done import Done, leaves_of
from pdt_annotate.verify.judges.values import SEEN

Links = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""By the name of a result, the arguments and earlier results that it is, and those that it shares memory with."""

RESULT = "the result"


def compare_identity(eager: Done, scripted: Done) -> Iterator[Failure]:
    """Remarks on results of one call whose identity differs."""
    found = _links(scripted)
    for where, (is_, shares) in _links(eager).items():
        is_scripted, shares_scripted = found.get(where, (is_, shares))
        if is_ != is_scripted:
            yield _remark(where, "is", is_, is_scripted, " itself")
        elif shares != shares_scripted:
            yield _remark(where, "shares its memory with", shares, shares_scripted)


def _remark(where: str, what: str, eager: tuple[str, ...], scripted: tuple[str, ...], itself: str = "") -> Failure:
    first = next(name for name in (*eager, *scripted) if (name in eager) is not (name in scripted))
    ways = ("in eager mode", "when scripted") if first in eager else ("when scripted", "in eager mode")
    return Failure(f"{where} {what} {first}{itself} {ways[0]}, and not {ways[1]}", code=SEEN)


def _links(done: Done) -> Links:
    objects: dict[int, list[str]] = {}
    memories: dict[int, list[str]] = {}
    found: Links = {}
    for where, value in _passed(done):
        objects.setdefault(id(value), []).append(where)
        memories.setdefault(_memory_of(value), []).append(where)
    for where, value in _walk(done.answer, RESULT):
        same, sharing = objects.setdefault(id(value), []), memories.setdefault(_memory_of(value), [])
        found[where] = (tuple(same), tuple(sharing) if _memory_of(value) else ())
        same.append(where)
        sharing.append(where)
    return found


def _memory_of(value: Any) -> int:
    """Where the memory of a tensor is; 0 where that is not told, or there is none."""
    is_plain = type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout is torch.strided
    return value.untyped_storage().data_ptr() if is_plain and not value.is_nested and not value.is_meta else 0


def _passed(done: Done) -> Iterator[tuple[str, Any]]:
    """The arguments, and the tensors that were in them; what the call has put into them is no caller's."""
    yield from done.passed.items()
    yield from ((where, leaf) for where, leaf in leaves_of(done.before) if where not in done.passed)


def _walk(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The tensors, lists and dicts in a value, itself included, each with where it is."""
    if type(value) in (list, dict) or isinstance(value, torch.Tensor):
        yield where, value
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _walk(item, f"{where}[{i}]")
    elif type(value) is dict:
        for key, item in value.items():
            yield from _walk(item, f"{where}[{key!r:.60}]")
