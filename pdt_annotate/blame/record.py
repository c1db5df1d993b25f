"""The calls that the example calls make of a target's parts, so that each part can be compared by itself.

A recorded call is named for the example call in which it happened.
"""

from __future__ import annotations

import contextlib
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.processes.child.prepared import Prepared, copy_built, run_call
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Owner
from pdt_annotate.verify.judges.clones import clone

CALLS = 4
"""Recorded calls of one part, the first: a part that keeps state must be replayed from its beginning."""

BYTES = 2**29
"""Of tensors in recorded calls, over all parts; what is beyond is not recorded."""


def record(prepared: Prepared, paths: Iterable[str]) -> dict[str, list[Call]]:
    """Run the example calls on a copy of the target, and note how the submodules of these paths are called."""
    recorder = _Recorder()
    built = copy_built(prepared)
    modules = dict(built.named_modules(remove_duplicate=False))
    for path in filter(None, paths):
        modules[path].register_forward_pre_hook(recorder.hook(path), with_kwargs=True)
    recorder.run_examples(prepared, built)
    return recorder.calls


def record_functions(prepared: Prepared, owners: Iterable[Owner]) -> dict[Owner, list[Call]]:
    """The same for functions, all of whose arguments are recorded by name."""
    recorder = _Recorder()
    wanted = frozenset(owners)
    sys.setprofile(recorder.profile(wanted))
    try:
        recorder.run_examples(prepared, copy_built(prepared))
    finally:
        sys.setprofile(None)
    return {owner: recorder.calls[owner] for owner in wanted}


class _Recorder:
    def __init__(self) -> None:
        self.example = ""
        self.calls: dict[Any, list[Call]] = defaultdict(list)
        self._left = BYTES

    def run_examples(self, prepared: Prepared, built: Any) -> None:
        for call in prepared.calls:
            self.example = call.name
            with contextlib.suppress(Exception):  # a call that is meant to raise
                run_call(prepared, built, call)

    def note(self, key: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if len(self.calls[key]) < CALLS and self._left > 0:
            self._left -= sum(size_of(args, kwargs))
            args, kwargs = clone((args, dict(kwargs)))
            self.calls[key].append(Call(args, kwargs, name=self.example))

    def hook(self, path: str) -> Any:
        def before(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            self.note(path, args, kwargs)

        return before

    def profile(self, wanted: frozenset[Owner]) -> Any:
        # Code objects are equal where two files have the same function at the same line.
        owners: dict[tuple[str, CodeType], Owner | None] = {}

        def notice(frame: FrameType, event: str, _: Any) -> None:
            code = frame.f_code
            key = (code.co_filename, code)
            if key not in owners:
                owner = Owner.of(code)
                owners[key] = owner if owner in wanted else None
            if event == "call" and owners[key] is not None:
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                self.note(owners[key], (), {name: frame.f_locals[name] for name in names if name in frame.f_locals})

        return notice


def size_of(*values: Any) -> Iterator[int]:
    """The bytes of each tensor in the values."""
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, torch.Tensor):
            yield leaf.element_size() * leaf.numel()
