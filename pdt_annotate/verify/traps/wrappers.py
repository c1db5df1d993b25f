"""Decorators and wrappers: under `functools.wraps` the compiler reads the function inside, and skips the wrapper.

That is no trap if the wrapper only calls the function inside.
"""

import ast
import os
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import torch

from pdt_annotate.source.definitions import Function
from pdt_annotate.source.module import compiled_function
from pdt_annotate.source.scopes import names_in, parameters
from pdt_annotate.source.syntax import CHANGING, called_name, last_name
from pdt_annotate.values.live import METHODS, is_a, module_of_class, qualname_of, state_of
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps.compiled_view import Compiled, View

SKIPPED = "Python runs the wrapper, and TorchScript compiles only the function inside"
GRADIENTS_ON = ": in TorchScript the caller decides whether gradients are computed; set the mode in the caller"
GRADIENTS_OFF = (
    " by TorchScript, so its result has gradients, unlike in Python; "
    "write `with torch.no_grad():` inside the function, which TorchScript compiles"
)

TORCH = os.path.dirname(str(torch.__file__)) + os.sep
# The files of torch's own wrappers that say how a function is compiled.
COMPILING = tuple(TORCH + part for part in ("jit", "_jit_internal", "_dynamo", "compiler"))
CONTEXTS = os.path.join(TORCH, "utils", "_contextlib.py")


def find(view: View) -> Iterator[Trap]:
    for function in view.functions:
        for wrapper, inner in layers(function.handed):
            if is_a(wrapper, FunctionType) and wrapper.__code__.co_filename == CONTEXTS:
                yield from _grad_mode(function, wrapper)
            elif _does_something(wrapper, inner):
                code = getattr(wrapper, "__code__", None)
                name = code.co_qualname.partition(".<locals>")[0] if code else qualname_of(type(wrapper))
                wrapped = function.function.__name__
                message = f"`{name}` wraps `{wrapped}`: {SKIPPED}; move the wrapper's code into `{wrapped}`"
                yield function.trap("PDT100", message, _decorator(function, name))


def layers(value: Any) -> Iterator[tuple[Any, Any]]:
    """The wrappers of a function, the outermost first, each with the object that it wraps."""
    met: set[int] = set()
    while id(value) not in met:
        met.add(id(value))
        if is_a(value, *METHODS):
            value = value.__func__
        elif (inner := state_of(value).get("__wrapped__")) is not None:
            yield value, inner
            value = inner


def _does_something(wrapper: Any, inner: Any) -> bool:
    if not is_a(wrapper, FunctionType):
        return not module_of_class(type(wrapper)).startswith("functools")  # a cache returns the function's own results
    if wrapper.__code__.co_filename.startswith(COMPILING):
        return False
    names = {name for name, value in _closed_over(wrapper) if value is inner}
    definition = compiled_function(Owner.of(wrapper.__code__))
    return not only_passes_on(definition, lambda call: last_name(call.func) in names)


def _closed_over(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # it has no value yet
            continue


def _grad_mode(function: Compiled, wrapper: FunctionType) -> Iterator[Trap]:
    """`@torch.no_grad()` and the like, if the function takes a tensor, or an object with one, and returns one."""
    made_by = next((value for name, value in _closed_over(wrapper) if name == "ctx_factory"), None)
    context = type(getattr(made_by, "__self__", None)).__name__
    ends = ((graph.inputs(), graph.outputs()) for graph in function.graphs)
    texts = [[" ".join(value.type().annotation_str for value in values) for values in each] for each in ends]
    if not any("Tensor" in returned and ("Tensor" in taken or "__torch__" in taken) for taken, returned in texts):
        return
    ignored = GRADIENTS_ON if context in ("enable_grad", "set_grad_enabled") else GRADIENTS_OFF
    message = f"`@torch.{context}` above `{function.function.__name__}` is ignored{ignored}"
    yield function.trap("PDT101", message, _decorator(function, context))


def _decorator(function: Compiled, name: str) -> ast.AST:
    """The decorator of a name; if none has it the first, and the function if it has no decorator."""
    listed: list[ast.expr] = getattr(function.tree, "decorator_list", [])
    named = [each for each in listed if last_name(each.func if isinstance(each, ast.Call) else each) == name]
    return next(iter([*named, *listed]), function.tree)


# Contexts that do not change the computation inside.
LOOKING_ON = {"record_function", "catch_warnings", "nullcontext", "range", "annotate"}


def only_passes_on(function: Function | None, is_inner: Callable[[ast.Call], bool]) -> bool:
    """Whether a function passes its arguments to the inner one unchanged, returns its result, and checks nothing."""
    definition = function.node if function else None
    calls = [node for node in ast.walk(definition or ast.Pass()) if isinstance(node, ast.Call)]
    inner = [call for call in calls if is_inner(call)]
    if not inner or not isinstance(definition, ast.FunctionDef):
        return False
    taken = {each.arg for each in parameters(definition)}
    for call in inner:
        # It passes every parameter unchanged; `super().f(x)` and the like leave out `self`.
        given = (*call.args, *call.keywords)
        passed = [each.value if isinstance(each, ast.Starred | ast.keyword) else each for each in given]
        if not all(isinstance(each, ast.Name) for each in passed) or not taken - {"self"} <= names_in(*passed):
            return False
    assigning = [node for node in ast.walk(definition) if isinstance(node, ast.Assign) and node.value in inner]
    results = {name for node in assigning for name in _assigned(node)}
    returned = [node.value for node in ast.walk(definition) if isinstance(node, ast.Return) and node.value]
    if not all(each in inner or (isinstance(each, ast.Name) and each.id in results) for each in returned):
        return False
    bare = [node for node in ast.walk(definition) if isinstance(node, ast.Expr) and node.value in inner]
    if any(node not in definition.body for node in bare):
        return False
    return not any(_changes(node, results | taken) for node in ast.walk(definition) if node not in assigning)


def _assigned(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> set[str]:
    return names_in(*(node.targets if isinstance(node, ast.Assign) else [node.target]))


def _changes(node: ast.AST, kept: set[str]) -> bool:
    """Whether a part of the function changes arguments, results or the context of the computation, or checks them."""
    match node:
        case ast.Raise() | ast.Assert() | ast.Yield() | ast.Await():
            return True
        case ast.Try():
            return bool(node.handlers)
        case ast.With():
            contexts = [each.context_expr for each in node.items]
            return not all(isinstance(each, ast.Call) and called_name(each) in LOOKING_ON for each in contexts)
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
            return not kept.isdisjoint(_assigned(node))
        case ast.Call(ast.Attribute(ast.Name(changed), name)):
            is_in_place = name in CHANGING or (name.endswith("_") and not name.startswith("__"))
            return changed in kept and is_in_place
    return False
