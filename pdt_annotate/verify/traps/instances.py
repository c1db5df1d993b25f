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
    compiled = {each.function.__code__ for each in view.functions}
    for path, module, native in view.modules:
        for name, own in state_of(module).items():
            function = function_of(own)
            if function is not None and function.__code__ not in compiled and _replaces(module, native, name, function):
                yield _at(function, METHOD, _replaced(module, path, name))
        if _is_left_out(view, module, compiled):
            own_forward = method_of(module, "forward")
            assert own_forward is not None
            yield _at(own_forward, METHOD, _replaced(module, path, "forward"))
        yield from _hooks(module)


def _replaced(module: torch.nn.Module, path: str, name: str) -> str:
    return (
        f"`{path or type(module).__name__}` has a `{name}` of its own, which Python calls; TorchScript calls another of "
        f"`{type(module).__name__}`; make a subclass with this method"
    )


def _replaces(module: torch.nn.Module, native: Any, name: str, own: FunctionType) -> bool:
    of_class = function_of(inspect.getattr_static(type(module), name, None))
    is_other = of_class is not None and of_class.__code__ is not own.__code__
    return is_other and name != "forward" and bool(native._has_method(name))


def _is_left_out(view: View, module: torch.nn.Module, compiled: set[Any]) -> bool:
    """Whether the compiler took the `forward` of another instance: those that hold alike share one."""
    own = method_of(module, "forward")
    if own is None or own.__code__ in compiled or not view.is_ours(own.__code__):
        return False
    alike = (each for _, each, _ in view.modules if type(each) is type(module))
    return any("forward" in state_of(each) for each in alike) and not hasattr(own, "_torchscript_modifier")


def _hooks(module: torch.nn.Module) -> Iterator[Trap]:
    for kind in BACKWARD:
        for hook in (state_of(module).get(kind) or {}).values():
            function = function_of(hook)
            if function is not None:
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
