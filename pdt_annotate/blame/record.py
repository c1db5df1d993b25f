"""The calls that the example calls make of a target's parts, so that each part can be compared by itself."""

from __future__ import annotations

import contextlib
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.findings.messages import code_of
from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import Prepared, copy_built, run_call
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Answers, Fault, Part, Verdict
from pdt_annotate.verify.judges.answers import RUNS, clone, judge_call


def with_answers(part: Part, verdicts: Sequence[Verdict]) -> Part:
    """The part with one verdict a call, and of each judge that says no the first fault.

    Answers that differ in the class of a container alone are alike.
    """
    bad = [v for v in verdicts if not v.ok and not (v.failure and v.failure.alike)]
    if not bad:
        return replace(part, answers=Answers.ALIKE if verdicts else Answers.NOT_CALLED, calls=len(verdicts))
    kind = Answers.RAISE if any(verdict.judge == RUNS for verdict in bad) else Answers.DIFFER
    first = {verdict.judge: Fault(code_of(verdict), verdict.failure) for verdict in reversed(bad) if verdict.failure}
    return replace(part, answers=kind, calls=len(verdicts), faults=tuple(first[judge] for judge in reversed(first)))


CALLS = 4
"""Recorded calls of one part, the first: a part that keeps state must be replayed from its beginning."""

BYTES = 2**29
"""Of tensors in recorded calls, over all parts; what is beyond is not recorded."""


@dataclass(frozen=True)
class Recorded:
    """One call of a part: its arguments, and the example call in which it happened."""

    example: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def record(prepared: Prepared, paths: Iterable[str]) -> dict[str, list[Recorded]]:
    """Run the example calls on a copy of a module, and note how its submodules are called.

    Args:
        prepared: the target, which is left as it is.
        paths: the paths of the submodules.
    """
    recorder = _Recorder()
    built = copy_built(prepared)
    modules = dict(built.named_modules(remove_duplicate=False))
    for path in filter(None, paths):
        modules[path].register_forward_pre_hook(recorder.hook(path), with_kwargs=True)
    recorder.run_examples(prepared, built)
    return recorder.calls


def record_functions(prepared: Prepared, owners: Iterable[Owner]) -> dict[Owner, list[Recorded]]:
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
        self.calls: dict[Any, list[Recorded]] = defaultdict(list)
        self._left = BYTES

    def run_examples(self, prepared: Prepared, built: Any) -> None:
        for name, call in prepared.calls:
            self.example = name
            with contextlib.suppress(Exception):  # a call that is meant to raise
                run_call(prepared, built, call)

    def note(self, key: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if len(self.calls[key]) < CALLS and self._left > 0:
            self._left -= sum(size_of(args, kwargs))
            copied = clone((args, dict(kwargs)))
            self.calls[key].append(Recorded(self.example, *copied))

    def hook(self, path: str) -> Any:
        def before(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            self.note(path, args, kwargs)

        return before

    def profile(self, wanted: frozenset[Owner]) -> Any:
        owners: dict[CodeType, Owner | None] = {}

        def notice(frame: FrameType, event: str, _: Any) -> None:
            code = frame.f_code
            if code not in owners:
                owner = Owner(code.co_filename, code.co_qualname, code.co_firstlineno)
                owners[code] = owner if owner in wanted else None
            if event == "call" and owners[code] is not None:
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                self.note(owners[code], (), {name: frame.f_locals[name] for name in names if name in frame.f_locals})

        return notice


def compare_call(settings: specs.Settings, eager: Any, scripted: Any, call: Recorded, index: int) -> Verdict:
    """Make one recorded call both ways, and compare."""

    def run(which: Any) -> Any:
        specs.seed_generators(settings.seed + index)
        args, kwargs = clone((call.args, dict(call.kwargs)))
        with torch.set_grad_enabled(not settings.no_grad):
            return which(*args, **kwargs)

    return judge_call(call.example, False, lambda: run(eager), lambda: run(scripted))


def size_of(*values: Any) -> Iterator[int]:
    """The bytes of each tensor in the values."""
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, torch.Tensor):
            yield leaf.element_size() * leaf.numel()
