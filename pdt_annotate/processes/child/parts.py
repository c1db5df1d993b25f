"""The parts of a target, compiled by themselves: the smallest that shows a fault, those that show others side by side,
and what functions return.

Runs in a child, like `child`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeVar

import torch

from pdt_annotate.observers import make_code_filter
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.judges.scripts import Compilation

T = TypeVar("T")


def attempt_part(prepared: Prepared, candidate: Candidate, owner: Owner) -> Trial | None:
    """Compile only the module or function that a function belongs to; None where there is no such part."""
    part = _find_part(prepared, owner)
    if part is None:
        return None
    apply(candidate)
    return _try(part)


def _try(part: Any) -> Trial:
    compilation = Compilation(quick=True)
    compilation.run(part)
    return Trial((compilation.verdict,), tuple(compilation.compiled), tuple(compilation.ignored))


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
    trials = (in_fork(_try, module) for module in unread)
    return tuple(trial for trial in trials if trial is not None and not trial.ok)


def _outermost(module: Any, is_wanted: Callable[[CodeType], bool], read: set[Owner], met: set[type]) -> Iterator[Any]:
    """Submodules whose `forward` was not read, one of a class; what is inside them belongs to them."""
    for child in module.children():
        code = getattr(type(child).forward, "__code__", None)
        if code is None or not is_wanted(code):
            yield from _outermost(child, is_wanted, read, met)
        elif type(child) not in met and Owner(code.co_filename, code.co_qualname, code.co_firstlineno) not in read:
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


def return_types(prepared: Prepared, candidate: Candidate) -> dict[Owner, str]:
    """The result types, as the compiler spells them, of every function that it compiled."""
    apply(candidate)
    compilation = Compilation()
    compilation.run(prepared.built)
    found = dict(_method_returns(prepared.built, compilation.scripted))
    for function, name in list(torch.jit._state._jit_caching_layer.items()):
        compiled: Any = torch.jit._state._python_cu.find_function(name)
        if compiled is not None and hasattr(function, "__code__"):
            found[_owner(function)] = compiled.schema.returns[0].type.annotation_str
    return found


def _method_returns(built: Any, scripted: Any) -> Iterator[tuple[Owner, str]]:
    if not isinstance(built, torch.nn.Module):
        return
    compiled = dict(scripted.named_modules())
    for path, module in built.named_modules():
        native: Any = getattr(compiled.get(path), "_c", None)
        for name in native._method_names() if native is not None else ():
            method = getattr(type(module), name, None)
            if hasattr(method, "__code__"):
                yield _owner(method), native._get_method(name).schema.returns[0].type.annotation_str


def _owner(function: Any) -> Owner:
    code = function.__code__
    return Owner(code.co_filename, code.co_qualname, code.co_firstlineno)


def in_fork(task: Callable[[Any], T], argument: Any) -> T | None:
    """Run a task in a fork, since a failed compile spoils the process for the next; None where it did not return."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        faulthandler.disable()  # a crash is an answer here
        try:
            with contextlib.suppress(Exception), os.fdopen(write, "wb") as out:
                out.write(pickle.dumps(task(argument)))
        finally:  # an exit of the user's code included
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        answer = source.read()
    os.waitpid(pid, 0)
    return pickle.loads(answer) if answer else None
