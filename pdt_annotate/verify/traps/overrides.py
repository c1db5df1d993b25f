"""Methods that Python calls implicitly, and TorchScript never: `__call__`, `__setattr__`, `__getattr__` and others.

Also members of one instance that differ from its class's: a method, a `forward`, hooks of the backward pass.
"""

import ast
import contextlib
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, TypeGuard

import torch

from pdt_annotate.source.module import compiled_function
from pdt_annotate.source.syntax import called_name, is_name
from pdt_annotate.values.live import function_of, is_a, state_of
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps.compiled_view import Compiled, View, method_of, trap_at
from pdt_annotate.verify.traps.wrappers import only_passes_on

CODE, METHOD, HOOK = "PDT102", "PDT103", "PDT104"
IN_FORWARD = "but TorchScript calls `forward` directly; move the code to `forward`"
SET_DIRECTLY = "but TorchScript sets the attribute directly; move the code to the line that sets the attribute"
KEPT = "but TorchScript uses the value at the time of scripting; compute it in the method that needs it"
MODE = "it sets every module's mode; set the mode before scripting, or fix it with `torch.jit.freeze`"
LAYERS = "TorchScript uses the stored layers in their order; store the layers in the order in which they are called"
OWN = "make a subclass with this method"
BACKWARD = "but TorchScript does not; register the hook on the tensor or on the scripted module"

HOOKS = ("_backward_hooks", "_backward_pre_hooks")
CONTAINERS = (torch.nn.ModuleList, torch.nn.Sequential)


def find(view: View) -> Iterator[Trap]:
    met: set[type] = set()
    for _, module, native in view.modules:
        if type(module) not in met:
            met.add(type(module))
            functions = {method_of(module, name) for name in native._method_names()}
            methods = [each for each in view.functions if each.function in functions]
            own = _own(view, type(module), "__call__")
            if own is not None and own is not function_of(inspect.getattr_static(type(module), "forward", None)):
                yield trap_at(own, CODE, f"Python calls `{type(module).__name__}.__call__`, {IN_FORWARD}")
            yield from _settings(view, type(module), methods)
            yield from _readings(view, module, methods)
            yield from _modes(view, type(module))
        yield from _elements(view, module)


def _own(view: View, cls: type, name: str) -> FunctionType | None:
    """The user's definition of a method; None if it only passes its arguments to the parent's, or to `forward`."""

    def is_inner(call: ast.Call) -> bool:
        holder = getattr(call.func, "value", None)
        is_of_super = isinstance(holder, ast.Call) and called_name(holder) == "super"
        called = getattr(call.func, "attr", "")
        return (is_of_super and called == name) or (called == "forward" and name == "__call__")

    own = view.overridden(cls, name)
    return None if own is None or only_passes_on(compiled_function(Owner.of(own.__code__)), is_inner) else own


def _settings(view: View, cls: type, methods: list[Compiled]) -> Iterator[Trap]:
    for method in methods if _own(view, cls, "__setattr__") else ():
        for node in method.parts:
            if _is_own(node) and isinstance(node.ctx, ast.Store):
                called = f"Python calls `{cls.__name__}.__setattr__` to set `{node.attr}`"
                yield method.trap(CODE, f"{called}, {SET_DIRECTLY}", node)


def _is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and is_name(node.value, "self")


def _readings(view: View, module: torch.nn.Module, methods: list[Compiled]) -> Iterator[Trap]:
    for name, is_asked in (
        ("__getattr__", _is_missing),
        ("__getattribute__", lambda module, name, constants: name in constants),
    ):
        own = view.overridden(type(module), name)
        definition = compiled_function(Owner.of(own.__code__)) if own else None
        if definition is None:
            continue
        returned = [node.value for node in ast.walk(definition.node) if isinstance(node, ast.Return)]
        computed = (each for each in returned if not isinstance(each, ast.Constant))
        if all(isinstance(each, ast.Call) and called_name(each) in (name, "getattr") for each in computed):
            continue  # it returns a constant, or the attribute of `super()` or of an object
        constants = {each.value for each in ast.walk(definition.node) if isinstance(each, ast.Constant)}
        for method in methods:
            for node in method.parts:
                if _is_own(node) and isinstance(node.ctx, ast.Load) and is_asked(module, node.attr, constants):
                    called = f"Python calls `{type(module).__name__}.{name}` for `{node.attr}` each time"
                    yield method.trap(CODE, f"{called}, {KEPT}", node)


def _is_missing(module: torch.nn.Module, name: str, constants: set[Any]) -> bool:
    """Whether Python asks `__getattr__` for an attribute that a module has; the compiler knows no others."""
    state = state_of(module)
    held = any(name in (state.get(kind) or {}) for kind in ("_parameters", "_buffers", "_modules"))
    return held and name not in state and (name in constants or not any(isinstance(each, str) for each in constants))


def _modes(view: View, cls: type) -> Iterator[Trap]:
    for name in ("train", "eval"):
        own = _own(view, cls, name)
        if own is not None:
            called = f"`{name}()` of the scripted model is torch's own, not `{cls.__name__}.{name}`"
            yield trap_at(own, CODE, f"{called}: {MODE}")


def _elements(view: View, module: torch.nn.Module) -> Iterator[Trap]:
    """A list of layers may return others than it holds, or in another order."""
    if type(module) in CONTAINERS or not is_a(module, *CONTAINERS):
        return
    held = list(module._modules.values())
    asking: dict[str, Callable[[Any], list[Any]]] = {
        "__iter__": list,
        "__getitem__": lambda held: [held[index] for index in range(len(held._modules))],
    }
    for name, ask in asking.items():
        own = view.overridden(type(module), name)
        if own is None:
            continue
        answer: list[Any] | None = None
        with contextlib.suppress(Exception):  # the user's method, called with an argument that it may not have
            answer = ask(module)
        if answer is None or list(map(id, answer)) != list(map(id, held)):
            called = f"Python calls `{type(module).__name__}.{name}` for the layers"
            yield trap_at(own, CODE, f"{called}, but {LAYERS}")


def find_of_instances(view: View) -> Iterator[Trap]:
    first: dict[str, tuple[str, FunctionType | None]] = {}
    for path, module, native in view.modules:
        yield from _methods(path, module, native)
        own = method_of(module, "forward")
        # Instances with like attributes share a type, and with it the `forward` of the first.
        other, compiled = first.setdefault(str(native._type()), (path, own))
        if own and compiled and own.__code__ is not compiled.__code__:
            called = f"`{path}` runs this `forward` in Python, and the `forward` of `{other}`"
            yield trap_at(own, METHOD, f"{called}, another `{type(module).__name__}`, in TorchScript; {OWN}")
        hooks = [hook for kind in HOOKS for hook in (state_of(module).get(kind) or {}).values()]
        for function in filter(None, map(function_of, hooks)):
            called = f"Python calls the hook `{function.__name__}` in the backward pass of `{type(module).__name__}`"
            yield trap_at(function, HOOK, f"{called}, {BACKWARD}")


def _methods(path: str, module: torch.nn.Module, native: Any) -> Iterator[Trap]:
    cls = type(module)
    for name, own in state_of(module).items():
        function = function_of(own) if name != "forward" and native._has_method(name) else None
        of_class = function_of(inspect.getattr_static(cls, name, None)) if function else None
        if function and of_class and of_class.__code__ is not function.__code__:
            called = f"`{path or cls.__name__}` has its own `{name}`, which Python calls"
            yield trap_at(function, METHOD, f"{called}; TorchScript calls the method of `{cls.__name__}`; {OWN}")
