"""Decorators and wrappers: behind `functools.wraps` the compiler reads the function inside."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import torch

from pdt_annotate.source.syntax import last_name
from pdt_annotate.values.further import Trap
from pdt_annotate.values.live import METHODS, is_a, module_of_class, qualname_of, state_of
from pdt_annotate.verify.traps.skipped import only_passes_on
from pdt_annotate.verify.traps.view import Compiled, View, find_definition

TORCH = os.path.dirname(str(torch.__file__)) + os.sep
COMPILING = tuple(TORCH + part for part in ("jit", "_jit_internal", "_dynamo", "compiler"))
"""Where torch's own wrappers stand that say how a function is compiled."""

CONTEXTS = os.path.join(TORCH, "utils", "_contextlib.py")
MEMORIES = ("functools",)


def find(view: View) -> Iterator[Trap]:
    for function in view.functions:
        for wrapper, inner in layers(function.handed):
            yield from _judge(function, wrapper, inner)


def layers(value: Any) -> Iterator[tuple[Any, Any]]:
    """What wraps a function, the outermost first, each with what it wraps."""
    met: set[int] = set()
    while id(value) not in met:
        met.add(id(value))
        if is_a(value, *METHODS):
            value = value.__func__
        elif (inner := state_of(value).get("__wrapped__")) is not None:
            yield value, inner
            value = inner


def _judge(function: Compiled, wrapper: Any, inner: Any) -> Iterator[Trap]:
    if is_a(wrapper, FunctionType) and wrapper.__code__.co_filename == CONTEXTS:
        yield from _grad_mode(function, wrapper)
    elif _does_something(wrapper, inner):
        code = getattr(wrapper, "__code__", None)
        name = code.co_qualname.partition(".<locals>")[0] if code else qualname_of(type(wrapper))
        message = (
            f"`{name}` wraps `{function.function.__name__}` and TorchScript compiles the function inside: in Python "
            f"the wrapper runs, in TorchScript it does not; move what it does into `{function.function.__name__}`"
        )
        yield function.trap("PDT100", message, _decorator(function, name))


def _does_something(wrapper: Any, inner: Any) -> bool:
    if not is_a(wrapper, FunctionType):
        return not module_of_class(type(wrapper)).startswith(MEMORIES)  # a cache answers what the function answers
    if wrapper.__code__.co_filename.startswith(COMPILING):
        return False
    names = {name for name, value in _closed_over(wrapper) if value is inner}
    return not only_passes_on(find_definition(wrapper.__code__), lambda call: last_name(call.func) in names)


def _closed_over(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # it has no value yet
            continue


def _grad_mode(function: Compiled, wrapper: FunctionType) -> Iterator[Trap]:
    """`@torch.no_grad()` and the like, where a tensor goes in, or lies in the module, and one comes out."""
    made_by = next((value for name, value in _closed_over(wrapper) if name == "ctx_factory"), None)
    context = type(getattr(made_by, "__self__", None)).__name__
    if not any(_has_gradients(graph) for graph in function.graphs):
        return
    message = (
        f"`@torch.{context}` above `{function.function.__name__}` is dropped: Python computes its result without "
        "gradients, TorchScript with them; write `with torch.no_grad():` inside the function, which TorchScript keeps"
    )
    if context in ("enable_grad", "set_grad_enabled"):
        message = (
            f"`@torch.{context}` above `{function.function.__name__}` is dropped: TorchScript computes gradients where "
            "its caller does; decide that in the caller"
        )
    yield function.trap("PDT101", message, _decorator(function, context))


def _has_gradients(graph: Any) -> bool:
    inputs = [value.type().annotation_str for value in graph.inputs()]
    outputs = [value.type().annotation_str for value in graph.outputs()]
    return any("Tensor" in each or "__torch__" in each for each in inputs) and any("Tensor" in each for each in outputs)


def _decorator(function: Compiled, name: str) -> ast.AST:
    """The decorator of a name; the only one, or the first, where none has it, and the function where there is none."""
    listed: list[ast.expr] = getattr(function.tree, "decorator_list", [])
    named = [each for each in listed if last_name(each.func if isinstance(each, ast.Call) else each) == name]
    return next(iter([*named, *listed]), function.tree)
