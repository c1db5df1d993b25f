"""What one instance has for itself and its class has otherwise: a method, a `forward`, hooks of the backward pass."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import torch

from pdt_annotate.values.further import Trap
from pdt_annotate.values.live import function_of, state_of
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner
from pdt_annotate.verify.traps.view import View, find_definition, method_of

METHOD, HOOK = "PDT103", "PDT104"
BACKWARD = ("_backward_hooks", "_backward_pre_hooks")


def find(view: View) -> Iterator[Trap]:
    first: dict[str, tuple[str, FunctionType | None]] = {}
    for path, module, native in view.modules:
        yield from _methods(path, module, native)
        own = method_of(module, "forward")
        # Instances that hold alike share a type, and with it the `forward` of the first.
        other, compiled = first.setdefault(str(native._type()), (path, own))
        if own and compiled and own.__code__ is not compiled.__code__:
            name = type(module).__name__
            message = (
                f"`{path}` runs this `forward` in Python, and in TorchScript that of `{other}`, another `{name}`; "
                "make a subclass with this method"
            )
            yield _at(own, METHOD, message)
        yield from _hooks(module)


def _methods(path: str, module: torch.nn.Module, native: Any) -> Iterator[Trap]:
    for name, own in state_of(module).items():
        function = function_of(own) if name != "forward" and native._has_method(name) else None
        of_class = function_of(inspect.getattr_static(type(module), name, None)) if function else None
        if function and of_class and of_class.__code__ is not function.__code__:
            message = (
                f"`{path or type(module).__name__}` has this as a `{name}` of its own, which Python calls; TorchScript "
                f"calls that of `{type(module).__name__}`; make a subclass with this method"
            )
            yield _at(function, METHOD, message)


def _hooks(module: torch.nn.Module) -> Iterator[Trap]:
    hooks = [hook for kind in BACKWARD for hook in (state_of(module).get(kind) or {}).values()]
    for function in filter(None, map(function_of, hooks)):
        message = (
            f"Python calls the hook `{function.__name__}` in the backward pass of `{type(module).__name__}`, "
            "TorchScript does not; register it on the tensor or on the scripted module"
        )
        yield _at(function, HOOK, message)


def _at(function: FunctionType, code: str, message: str) -> Trap:
    owner = Owner.of(function.__code__)
    definition = find_definition(function.__code__)
    place = Place(owner.file, definition.lineno, definition.col_offset + 1) if definition else Place(owner.file)
    return Trap(code, message, place if definition else Place(owner.file, owner.line), owner)
