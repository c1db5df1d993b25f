"""The tasks that compile parts of a target: the smallest that shows a fault, and those that show others beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType
from typing import Any

import torch

from pdt_annotate.observers import make_code_filter
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.attempt import compile_and_compare
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.fork import in_fork
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Trial


def attempt_part(prepared: Prepared, candidate: Candidate, owner: Owner) -> Trial | None:
    """Compile only the module or function that a function belongs to; None where there is no such part."""
    part = _find_part(prepared, owner)
    if part is None:
        return None
    apply(candidate)
    return compile_and_compare(part, quick=True)


def failing_parts(prepared: Prepared, candidate: Candidate, compiled: tuple[Owner, ...]) -> tuple[Trial, ...]:
    """Trials of the submodules that fail, side by side: of those that a failed compilation of the whole never came to.

    Args:
        prepared: the target.
        candidate: annotations to try.
        compiled: the functions that the compiler read in the whole.
    """
    if not isinstance(prepared.built, torch.nn.Module):
        return ()
    apply(candidate)
    unread = _outermost(prepared.built, make_code_filter(prepared.root, prepared.third_party), set(compiled), set())
    trials = (in_fork(partial(compile_and_compare, quick=True), module) for module in unread)
    return tuple(trial for trial in trials if trial is not None and not trial.ok)


def _outermost(module: Any, is_wanted: Callable[[CodeType], bool], read: set[Owner], met: set[type]) -> Iterator[Any]:
    """Submodules whose `forward` was not read, one of a class; what is inside them belongs to them."""
    for child in module.children():
        code = getattr(type(child).forward, "__code__", None)
        if code is None or not is_wanted(code):
            yield from _outermost(child, is_wanted, read, met)
        elif type(child) not in met and Owner.of(code) not in read:
            met.add(type(child))
            yield child


def _find_part(prepared: Prepared, owner: Owner) -> Any:
    """The smallest module whose class has the method, or the function itself."""
    module = module_of(owner.file)
    function = look_up(module, owner.qualname)
    holder = look_up(module, owner.qualname.rpartition(".")[0]) if "." in owner.qualname else None
    if not isinstance(holder, type):
        return function if callable(function) else None
    if not isinstance(prepared.built, torch.nn.Module):
        return None
    found = [m for m in prepared.built.modules() if isinstance(m, holder) and m is not prepared.built]
    return min(found, key=lambda m: sum(1 for _ in m.modules()), default=None)
