"""Isolated work inside a task: later work sees none of the classes it compiled or the state it changed.

It runs in a fork if this process can fork. Otherwise it runs in this process, and afterwards the compiler's memory and
the target's state are restored. A crash there ends the whole task.
"""

import contextlib
import copy
import dataclasses
import inspect
import itertools
import operator
import random
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch
import torch._jit_internal
import torch.jit._recursive
import torch.jit._script
import torch.jit._state
import torch.jit.annotations

from pdt_annotate.observers.cells import cell_of_class
from pdt_annotate.processes.fork import can_fork, in_fork
from pdt_annotate.values.live import is_a, module_of_class, state_of
from pdt_annotate.verify.judges.clones import SHARED
from pdt_annotate.verify.judges.scripts import find_names, replaced

A = TypeVar("A")
T = TypeVar("T")

PutBack = Callable[[], None]
APART = tuple(cls for cls in SHARED if cls is not torch.nn.Module)  # classes of objects that no call may change


def run_isolated(work: Callable[[A], T], argument: A, held: Any = None) -> T | None:
    """Do some work on an argument; None if it raised. `held` is the module that it runs, if any."""
    if can_fork():
        return in_fork(work, argument)
    put_back = keep(held)
    try:
        with contextlib.suppress(Exception, SystemExit), remembering_nothing():
            return work(argument)
        return None
    finally:
        put_back()


def keep(callee: Any) -> PutBack:
    """Copy the state of a callee's module and its attributes. Returns a function that restores the same objects."""
    holder = callee if isinstance(callee, torch.nn.Module) else getattr(callee, "__self__", None)
    kept = tuple(_copy_all(holder, set()))

    def put_back() -> None:
        for value, before, grad in kept:
            if is_a(value, torch.Tensor):
                if value.shape == before.shape and not torch.equal(value, before):
                    value.data.copy_(before)
                if value.is_leaf:
                    value.grad = grad
                continue
            now = map(value.get, before) if is_a(value, dict) else value
            then = before.values() if is_a(value, dict) else before
            # Only if it has changed, because dynamo compiles again for a dict that was written.
            if len(value) != len(before) or not all(map(operator.is_, now, then)):
                value.clear()
                (value.update if is_a(value, dict, set) else value.extend)(before)

    return put_back


def _copy_all(value: Any, met: set[int]) -> Iterator[tuple[Any, Any, torch.Tensor | None]]:
    """Yield tensors and containers, outer ones first and each once, with a copy and with the gradient of a leaf."""
    if id(value) in met or is_a(value, *APART):
        return
    met.add(id(value))
    if is_a(value, torch.Tensor):
        if not value.is_meta and value.layout is torch.strided:
            yield value, value.detach().clone(), value.grad if value.is_leaf else None
        return
    inner: list[Any] = []
    state = state_of(value)
    if is_a(value, tuple):
        inner += value
    for held in (value, state):
        if is_a(held, dict, list, set, deque):
            yield held, dict(held) if is_a(held, dict) else list(held), None
            inner += held.values() if is_a(held, dict) else held
    for each in inner:
        yield from _copy_all(each, met)


# The compiler's memory is global and keyed by name. A function that was compiled once is never compiled again, even if
# its annotations change. A class that failed to compile cannot be compiled again. A script class is found by its name,
# so a second version of it is taken for the first. Source: torch 2.13, `torch/jit/_state.py`, `_recursive.py`,
# `_jit_internal.py`.
STATE: Any = torch.jit._state
RECURSIVE: Any = torch.jit._recursive
INTERNAL: Any = torch._jit_internal

OVERRIDE = "_jit_override_qualname"

# For names in torch's own form, "___torch_mangle_0", which torch leaves out of messages and counts from 0.
numbers = itertools.count(1_000_000)

NAMING = (INTERNAL, torch.jit._script, torch.jit.annotations)
"""The modules in which the compiler asks for the qualified name of a class; its C++ part asks the first."""


@contextlib.contextmanager
def remembering_nothing() -> Iterator[None]:
    """Compile inside the block as if nothing had been compiled before; afterwards the compiler's memory is restored.

    Classes that a decorator scripted stay scripted. Other classes that are compiled in the block get new names, so that
    no other version of them is found by name. These names stay known, because results refer to objects by them.
    """
    known = {cls: type_ for cls, type_ in STATE._script_classes.items() if _is_decorated(cls)}
    memory: tuple[tuple[Any, str, Any], ...] = (
        (STATE, "_jit_caching_layer", weakref.WeakKeyDictionary()),
        (STATE, "_jit_function_overload_caching", weakref.WeakKeyDictionary()),
        (STATE, "_script_classes", known),
        (RECURSIVE, "concrete_type_store", RECURSIVE.ConcreteTypeStore()),
        # Compiling an overloaded function drops the declarations.
        (INTERNAL, "_overloaded_fns", dict(INTERNAL._overloaded_fns)),
        (INTERNAL, "_overloaded_methods", copy.copy(INTERNAL._overloaded_methods)),
    )
    with contextlib.ExitStack() as undo:
        for module, name, value in memory:
            undo.enter_context(replaced(module, name, value))
        name_class = _namer(INTERNAL._qualified_name, frozenset(known))
        for module in NAMING:
            undo.enter_context(replaced(module, "_qualified_name", name_class))
        # Compiling reads properties, whose code may draw random numbers.
        undo.callback(random.setstate, random.getstate())
        undo.callback(torch.set_rng_state, torch.get_rng_state())
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:
            undo.callback(numpy.set_state, numpy.get_state())
        undo.enter_context(reading_cells())
        yield


def _is_decorated(cls: type) -> bool:
    """Whether a class was scripted on purpose. The compiler met the others, perhaps with annotations that changed."""
    if dataclasses.is_dataclass(cls):  # the compiler finds no source for the generated methods, unless it is asked to
        return True
    try:
        lines, _ = inspect.getsourcelines(cls)
    except Exception:  # the class was made at run time, or its module is a lazy one that raises
        return True
    above = itertools.takewhile(lambda line: not line.lstrip().startswith("class "), lines)
    return any("script" in line for line in above)


def _namer(qualified_name: Callable[..., str], known: frozenset[type]) -> Callable[..., str]:
    """torch's `_qualified_name`, except that classes that are compiled now get unique names."""
    names: dict[type, str] = {}

    def name_of(obj: Any, mangle_name: bool = True) -> str:
        name = qualified_name(obj, mangle_name)
        if not (mangle_name and inspect.isclass(obj)) or obj in known:
            return name
        # Only script classes and Enums: the compiler names modules itself, and compares namedtuples by their fields.
        keeps_name = module_of_class(obj).partition(".")[0] in ("builtins", "torch")
        keeps_name = keeps_name or issubclass(obj, (torch.nn.Module, tuple, torch.Tensor, BaseException))
        if keeps_name or hasattr(obj, "__torch_script_interface__") or hasattr(obj, OVERRIDE):
            return name
        if obj not in names:
            module, _, last = name.rpartition(".")
            names[obj] = f"{module}.___torch_mangle_{next(numbers)}.{last}"
        return names[obj]

    return name_of


def reading_cells() -> contextlib.AbstractContextManager[None]:
    """Let `inspect` find the session cells that define classes."""
    original = inspect.getfile
    return replaced(
        inspect, "getfile", lambda obj: (cell_of_class(obj) if inspect.isclass(obj) else "") or original(obj)
    )


def register_class(cls: type) -> None:
    """Script a class with its present annotations, in place of an earlier version."""
    STATE._script_classes.pop(cls, None)
    if OVERRIDE in vars(cls):
        delattr(cls, OVERRIDE)
    if STATE._python_cu.get_class(INTERNAL._qualified_name(cls)) is not None:
        setattr(cls, OVERRIDE, _namer(INTERNAL._qualified_name, frozenset())(cls))
    compile_class: Any = torch.jit._script._compile_and_register_class
    with reading_cells():
        compile_class(cls, find_names(cls), INTERNAL._qualified_name(cls))
