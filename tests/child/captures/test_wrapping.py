"""A module around what is captured has its signature, its answer and its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

from pdt_annotate.captures.subject import as_module

X = torch.arange(4.0)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def encode(self, x: Any, scale: Any = 2.0) -> Any:
        return self.layer(x) * scale

    def forward(self, x: Any) -> Any:
        return self.encode(x)


def positional(x: Any, /, y: Any = X) -> Any:
    return x + y


def only_positional(x: Any, y: Any, /) -> Any:
    return x - y


def named(x: Any, *, scale: Any = 3) -> Any:
    return x * scale


def any_number(x: Any, *rest: Any, scale: Any = 1, **options: Any) -> Any:
    return x + sum(rest) * scale + options.get("shift", 0)


def test_a_module_is_its_own() -> None:
    module = Net()
    assert as_module(module) is module


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (positional, (X,), {}),
        (positional, (X,), {"y": X}),
        (only_positional, (X, X), {}),
        (named, (X,), {"scale": 2}),
        (any_number, (X, X, X), {"scale": 2, "shift": 1}),
        (Net().encode, (X,), {}),
    ],
)
def test_a_wrapper_is_called_as_the_callee_is(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    wrapper = as_module(function)
    own, outer = (inspect.signature(each).parameters for each in (function, wrapper.forward))
    assert [(each.name, each.kind) for each in own.values()] == [(each.name, each.kind) for each in outer.values()]
    assert torch.equal(wrapper(*args, **kwargs), function(*args, **kwargs))


def test_the_parameters_of_a_method_are_those_of_its_module() -> None:
    module = Net()
    assert [id(each) for each in as_module(module.encode).parameters()] == [id(each) for each in module.parameters()]
    assert not list(as_module(named).parameters())


def test_a_wrapped_method_is_traced_by_what_it_calls() -> None:
    graph = torch.fx.symbolic_trace(as_module(Net().encode)).graph
    assert [node.op for node in graph.nodes] == ["placeholder", "placeholder", "call_module", "call_function", "output"]


def test_the_tracer_does_not_compile_the_method_that_is_traced() -> None:
    class Exporting(Net):
        @torch.jit.export
        def encode(self, x: torch.Tensor, scale: float = 2.0) -> Any:
            return self.layer(x) * scale

    module = Exporting()
    traced = torch.jit.trace(as_module(module.encode), (X,))
    assert torch.equal(traced(X), module.encode(X))
