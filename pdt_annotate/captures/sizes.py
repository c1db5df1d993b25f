"""In a trace, sizes are tensors; here they behave as the numbers that they are in eager mode.

    n = x.shape[-1]
    m = n
    n *= 2                     # a tensor would change in place, and m with it
    k = round(n / 3)           # a tensor has no such method
    h = int(math.sqrt(n))      # the tracer would make a constant of it, as of len(x) and max(n, 3)
    attend(x, causal=n > 1)    # operators take no tensor for a bool
    s = torch.tensor([n, 2])   # the tracer would make a constant of it
    x.as_strided([2, n], [x.stride(0), 1])  # strides, too

The same holds for numbers that code takes from a tensor: `int(x.max())`, `x.max().item()`. A comparison of numbers
decides at once, and torch warns that the trace keeps it.
"""

import builtins
import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import torch
from torch.jit import _trace as tracer
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from pdt_annotate.captures.capturable import module_of
from pdt_annotate.values.live import is_a

Tensor: Any = torch.Tensor
IN_PLACE = {getattr(Tensor, f"{name}_"): getattr(Tensor, name) for name in ("add", "sub", "mul", "div", "floor_divide")}
IN_PLACE |= {Tensor.remainder_: Tensor.remainder, Tensor.pow_: Tensor.pow}
COUNTS = {Tensor.size, Tensor.shape.__get__, Tensor.numel, Tensor.nelement}
MISSING = object()


class _SizesAsNumbers(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[int, Any] = {}  # by id; they stay alive, so that no other object gets the id of one

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        passed = kwargs or {}
        if not torch.jit.is_tracing():
            return func(*args, **passed)
        tensors = [each for each in pytree.tree_leaves((args, passed)) if isinstance(each, torch.Tensor)]
        are_numbers = bool(tensors) and all(map(self.is_number, tensors))
        if are_numbers and func in (torch.tensor, torch.as_tensor):
            return _tensor_of(*args, **passed)
        if func is Tensor.item and not tensors[0].is_complex() and tensors[0].dtype is not torch.bool:
            return self.keep(_converted(tensors[0], float if tensors[0].is_floating_point() else int))
        if func is Tensor.stride:
            return self._strides(*args, **passed)
        if func in IN_PLACE and self.is_number(args[0]):
            func = IN_PLACE[func]
        if not are_numbers:
            args, passed = self._beside_tensors((args, passed), [each for each in tensors if not self.is_number(each)])
        result = func(*args, **passed)
        if not are_numbers and func not in COUNTS:
            return result
        found = result if isinstance(result, tuple) else (result,)
        scalars = [each for each in found if isinstance(each, torch.Tensor) and each.dim() == 0]
        if len(scalars) == 1 and scalars[0].dtype is torch.get_default_dtype() is not torch.float64:
            result, *scalars = [func(*_as_doubles(args), **_as_doubles(passed))] * 2  # as Python computes
        for each in scalars:
            self.keep(each)
        return bool(result) if scalars and scalars[0].dtype is torch.bool else result

    def is_number(self, value: Any) -> bool:
        return id(value) in self._numbers

    def keep(self, number: Any) -> Any:
        self._numbers[id(number)] = number
        return number

    def _beside_tensors(self, tree: Any, tensors: list[Any]) -> Any:
        """Numbers with the type that they have for operators on these tensors: they do not change the tensors' type."""

        def as_scalar(number: Any) -> Any:
            if number.is_floating_point():
                floating = (each.dtype for each in tensors if each.is_floating_point())
                return number.to(next(floating, torch.get_default_dtype()))
            dtypes = {each.dtype for each in tensors if not each.dim()} - {torch.bool}
            return number.to(dtypes.pop()) if len(dtypes) == 1 else number

        are_mixed = bool(tensors) and any(map(self.is_number, pytree.tree_leaves(tree)))
        return pytree.tree_map_only(self.is_number, as_scalar, tree) if are_mixed else tree

    def _strides(self, tensor: Any, dim: int | None = None) -> Any:
        found = [self.keep(_stride(tensor, each)) for each in (range(tensor.dim()) if dim is None else [dim])]
        return tuple(found) if dim is None else found[0]


@torch.jit.script_if_tracing  # type: ignore[untyped-decorator]
def _stride(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """A function of its own in the saved file: the tracer records no strides."""
    return torch.tensor(tensor.stride(dim))


def _as_doubles(tree: Any) -> Any:
    return pytree.tree_map_only(torch.Tensor, lambda each: each.to(torch.float64), tree)


def _converted(tensor: Any, number: type) -> Any:
    """A tensor of one element as the tensor of an int or a float."""
    exact = tensor.reshape(()).detach()
    return exact.to(torch.float64) if number is float else torch.trunc(exact).to(torch.int64)


def _as_tensor(number: Any) -> Any:
    dtype = torch.float64 if isinstance(number, float) else None
    return number if isinstance(number, torch.Tensor) else torch.full((), number, dtype=dtype)


def _tensor_of(data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """The tensor of a number, or of a list of numbers."""
    items = [_as_tensor(each) for each in (data if isinstance(data, (list, tuple)) else (data,))]
    any_float = any(each.is_floating_point() for each in items)
    made = torch.stack([each.to(dtype or (torch.get_default_dtype() if any_float else torch.int64)) for each in items])
    made = made if isinstance(data, (list, tuple)) else made[0]
    return (made.to(device) if device else made).requires_grad_(requires_grad)


class _Number(type):
    """The class of `int` and `float` that convert a tensor to a number of a trace."""

    mode: _SizesAsNumbers
    base: type

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and torch.jit.is_tracing() and isinstance(args[0], torch.Tensor):
            return cls.mode.keep(_converted(args[0], cls.base))
        return cls.base(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.base)

    def __eq__(cls, other: object) -> bool:  # `type(n) == int`
        return other is cls or other is cls.base

    def __hash__(cls) -> int:
        return hash(cls.base)


def _functions(mode: _SizesAsNumbers) -> Iterator[tuple[Any, str, Any]]:
    """The functions of Python, `math` and numpy that compute with numbers of a trace: module, name, function."""

    def on_numbers(owner: Any, name: str, on_tensors: Callable[..., Any]) -> tuple[Any, str, Any]:
        function = getattr(owner, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            given = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
            are_numbers = torch.jit.is_tracing() and not kwargs and any(map(mode.is_number, given))
            result = on_tensors(*map(_as_tensor, given)) if are_numbers else None
            return function(*args, **kwargs) if result is None else mode.keep(result)

        return owner, name, functools.wraps(function)(called)

    def length(value: Any) -> Any:
        is_tensor = torch.jit.is_tracing() and isinstance(value, torch.Tensor) and value.dim()
        return value.size(0) if is_tensor else len(value)

    def extreme(choose: Any, *numbers: Any) -> Any:
        are_alike = len({each.is_floating_point() for each in numbers}) == 1
        return functools.reduce(choose, numbers) if are_alike else None  # Python keeps the type of the one it takes

    def exactly(function: Any, *numbers: Any) -> Any:
        return function(*_as_doubles(numbers)) if len(numbers) == (2 if function is torch.pow else 1) else None

    def has_class(value: Any, classes: Any) -> bool:
        return isinstance((0.0 if value.is_floating_point() else 0) if mode.is_number(value) else value, classes)

    yield builtins, "len", length
    yield builtins, "isinstance", has_class
    yield torch, "is_tensor", lambda value: has_class(value, torch.Tensor)
    yield on_numbers(builtins, "max", functools.partial(extreme, torch.maximum))
    yield on_numbers(builtins, "min", functools.partial(extreme, torch.minimum))
    names, numpy = ("sqrt", "log", "log2", "log10", "exp", "pow"), sys.modules.get("numpy")
    for owner, each in ((math, names), (numpy, (*names, "ceil", "floor"))):
        for name in each if owner else ():
            if hasattr(owner, name):
                yield on_numbers(owner, name, functools.partial(exactly, getattr(torch, name)))
    if numpy:
        yield on_numbers(numpy, "prod", lambda *numbers: functools.reduce(torch.mul, numbers))


def _rounding(function: Any) -> Any:
    return lambda tensor: function(tensor).to(torch.int64)


# The methods that `round`, `math.ceil`, `math.floor`, `math.trunc` and `divmod` call.
METHODS = {f"__{name}__": _rounding(getattr(torch, name)) for name in ("round", "ceil", "floor", "trunc")}
METHODS["__divmod__"] = lambda tensor, other: (tensor // other, tensor % other)


def _exchange(names: list[list[Any]]) -> None:
    """Give names of modules and classes their other values, and keep the present ones: owner, name, value."""
    for each in names:
        owner, name, other = each
        each[2] = vars(owner).get(name, MISSING)
        if other is MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, other)


@contextlib.contextmanager
def sizes_as_numbers(callee: Any) -> Iterator[None]:
    """Trace inside this block: the code of the packages that have the callee and its modules computes so."""
    mode = _SizesAsNumbers()
    new = {id(getattr(owner, name)): (owner, name, function) for owner, name, function in _functions(mode)}
    for base in (int, float):
        new[id(base)] = (builtins, base.__name__, _Number(base.__name__, (base,), {"mode": mode, "base": base}))
    found = [(Tensor, name, method) for name, method in METHODS.items() if not hasattr(Tensor, name)]
    found += [each for each in new.values() if each[0] is not builtins]
    holder = module_of(callee)
    parts = [callee] if holder is None else [type(each) for each in holder.modules()]
    packages = {str(each.__module__).partition(".")[0] for each in parts} - {"torch"}
    named = (each for name, each in list(sys.modules.items()) if name.partition(".")[0] in packages)
    for module in [each for each in named if is_a(each, ModuleType)]:
        known = {**vars(builtins), **vars(module)}
        found += [(module, name, new[id(value)][-1]) for name, value in known.items() if id(value) in new]
    # A module may have two names.
    names = list({(id(owner), name): [owner, name, other] for owner, name, other in found}.values())
    script = vars(tracer)["script"]

    def script_plainly(*args: Any, **kwargs: Any) -> Any:
        """Compile a function for `script_if_tracing`. The compiler knows only Python's own functions and types."""
        _exchange(names)
        try:
            return script(*args, **kwargs)
        finally:
            _exchange(names)

    names.append([tracer, "script", script_plainly])
    _exchange(names)
    try:
        with mode:
            yield
    finally:
        _exchange(names)
