"""The compiler's memory: what `torch.jit` keeps of everything that a process scripts.

It is global, and read by name: a function that was compiled once is never compiled again, whatever its annotations are
now; a class that failed to compile cannot be compiled again; and a script class is found by its name, so that a second
version of it is taken for the first. Facts: torch 2.13, `torch/jit/_state.py`, `_recursive.py`, `_jit_internal.py`.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import itertools
import random
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch._jit_internal
import torch.jit._recursive
import torch.jit._script
import torch.jit._state
import torch.jit.annotations

from pdt_annotate.observers.cells import cell_of_class
from pdt_annotate.values.live import module_of_class
from pdt_annotate.verify.judges.scripts import find_names, replaced

STATE: Any = torch.jit._state
RECURSIVE: Any = torch.jit._recursive
INTERNAL: Any = torch._jit_internal

INTERFACE = "__torch_script_interface__"
OVERRIDE = "_jit_override_qualname"

# torch leaves its own marks of this form out of messages, and counts them from 0.
MANGLED = "___torch_mangle_{}"
numbers = itertools.count(1_000_000)

NAMING = (INTERNAL, torch.jit._script, torch.jit.annotations)
"""Where the compiler asks for the qualified name of a class; its C++ part asks the first."""


@contextlib.contextmanager
def remembering_nothing() -> Iterator[None]:
    """Compile inside the block as if nothing were compiled before; afterwards the compiler knows what it knew.

    Classes that a decorator scripts stay scripted. Others that are compiled in the block get names of their own, so
    that no other version of them is found by name; the names stay known, since results hand out objects by them.
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
        undo.enter_context(_same_generators())
        undo.enter_context(reading_cells())
        yield


def _is_decorated(cls: type) -> bool:
    """Whether a class was scripted on purpose; others the compiler met, perhaps with other annotations than now.

    A dataclass is never met: left to itself, the compiler finds no source of what the decorator made.
    """
    if dataclasses.is_dataclass(cls):
        return True
    try:
        lines, _ = inspect.getsourcelines(cls)
    except Exception:  # made at run time, or its module is a lazy one that raises
        return True
    above = itertools.takewhile(lambda line: not line.lstrip().startswith("class "), lines)
    return any("script" in line for line in above)


def _namer(qualified_name: Callable[..., str], known: frozenset[type]) -> Callable[..., str]:
    """torch's `_qualified_name`, but for classes that are compiled now: they get a name that no other class has."""
    names: dict[type, str] = {}

    def name_of(obj: Any, mangle_name: bool = True) -> str:
        name = qualified_name(obj, mangle_name)
        if not (mangle_name and inspect.isclass(obj) and _is_named_anew(obj, known)):
            return name
        if obj not in names:
            module, _, last = name.rpartition(".")
            names[obj] = f"{module}.{MANGLED.format(next(numbers))}.{last}"
        return names[obj]

    return name_of


def _is_named_anew(cls: type, known: frozenset[type]) -> bool:
    """Script classes and Enums; the names of modules are the compiler's own, and a namedtuple is its fields."""
    if cls in known or module_of_class(cls).partition(".")[0] in ("builtins", "torch"):
        return False
    if issubclass(cls, (torch.nn.Module, tuple, torch.Tensor, BaseException)):
        return False
    return not (hasattr(cls, INTERFACE) or hasattr(cls, OVERRIDE))


def reading_cells() -> contextlib.AbstractContextManager[None]:
    """Let `inspect`, which knows no file for the classes of a session, find their cells."""
    original = inspect.getfile

    def getfile(obj: Any) -> str:
        return (cell_of_class(obj) if inspect.isclass(obj) else "") or original(obj)

    return replaced(inspect, "getfile", getfile)


@contextlib.contextmanager
def _same_generators() -> Iterator[None]:
    """Compiling reads properties, which may be code of the user's that draws numbers."""
    python, cpu = random.getstate(), torch.get_rng_state()
    numpy = sys.modules.get("numpy.random")
    drawn = numpy.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(python)
        torch.set_rng_state(cpu)
        if numpy is not None:
            numpy.set_state(drawn)


def register_class(cls: type) -> None:
    """Script a class, so that what is scripted later takes it as it is annotated now; replaces an earlier version."""
    STATE._script_classes.pop(cls, None)
    if OVERRIDE in vars(cls):
        delattr(cls, OVERRIDE)
    if STATE._python_cu.get_class(INTERNAL._qualified_name(cls)) is not None:
        setattr(cls, OVERRIDE, _namer(INTERNAL._qualified_name, frozenset())(cls))
    compile_class: Any = torch.jit._script._compile_and_register_class
    with reading_cells():
        compile_class(cls, find_names(cls), INTERNAL._qualified_name(cls))
