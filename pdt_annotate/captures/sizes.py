"""In a trace, sizes are tensors; here they behave as the numbers that they are in eager mode.

    n = x.shape[-1]
    m = n
    n *= 2                     # a tensor would change in place, and m with it
    k = round(n / 3)           # a tensor has no such method, and math.ceil would make a constant of it
    attend(x, causal=n > 1)    # operators take no tensor for a bool
    s = torch.tensor([n, 2])   # the tracer would make a constant of it

A comparison of sizes decides at once, and torch warns that the trace keeps it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

Tensor: Any = torch.Tensor
ROUNDING: dict[str, Callable[[Any], Any]] = {
    "__round__": torch.round,
    "__ceil__": torch.ceil,
    "__floor__": torch.floor,
    "__trunc__": torch.trunc,
}
"""The methods that `round`, `math.ceil`, `math.floor` and `math.trunc` call."""
IN_PLACE = {getattr(Tensor, f"{name}_"): getattr(Tensor, name) for name in ("add", "sub", "mul", "div", "floor_divide")}
IN_PLACE |= {Tensor.remainder_: Tensor.remainder, Tensor.pow_: Tensor.pow}


class _SizesAsNumbers(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self._sizes: dict[int, Any] = {}  # by id; they stay alive, so that no other object gets the id of one

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        passed = kwargs or {}
        if torch._C._get_tracing_state() is None:
            return func(*args, **passed)
        tensors = [each for each in pytree.tree_leaves((args, passed)) if isinstance(each, torch.Tensor)]
        are_sizes = bool(tensors) and all(id(each) in self._sizes for each in tensors)
        if are_sizes and func in (torch.tensor, torch.as_tensor):
            return _tensor_of(*args, **passed)
        result = (IN_PLACE.get(func, func) if are_sizes else func)(*args, **passed)
        if are_sizes or func in (Tensor.size, Tensor.shape.__get__):
            found = result if isinstance(result, tuple) else (result,)
            numbers = [each for each in found if isinstance(each, torch.Tensor) and each.dim() == 0]
            self._sizes.update((id(each), each) for each in numbers)
            if numbers and numbers[0].dtype is torch.bool:
                return bool(result)
        return result


def _tensor_of(data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """The tensor of a size, or of a list of sizes and numbers."""
    items = [torch.as_tensor(each) for each in (data if isinstance(data, (list, tuple)) else (data,))]
    any_float = any(each.is_floating_point() for each in items)
    made = torch.stack([each.to(dtype or (torch.get_default_dtype() if any_float else torch.int64)) for each in items])
    made = made if isinstance(data, (list, tuple)) else made[0]
    return (made.to(device) if device else made).requires_grad_(requires_grad)


@contextlib.contextmanager
def sizes_as_numbers() -> Iterator[None]:
    """Trace inside this block."""
    with contextlib.ExitStack() as stack:
        for name, function in ROUNDING.items():
            if not hasattr(Tensor, name):
                setattr(Tensor, name, lambda tensor, function=function: function(tensor).to(torch.int64))
                stack.callback(delattr, Tensor, name)
        yield stack.enter_context(_SizesAsNumbers())
