"""The captured object: wrapper modules, the common names of operators, and the lines of errors."""

import inspect
import operator
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
import torch
from loaded import load
from torch.fx.experimental.proxy_tensor import make_fx as traced_fx
from torch.nn import functional as F

from pdt_annotate.captures.capturable import Capturable, as_module, count_operators, definition_of, reason_of
from pdt_annotate.captures.ways import fx, jit
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Place


class Own(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        return x


class Tracer(torch.fx.Tracer):
    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        return True


class Layered(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2), Own()])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return operator.add(F.softmax(torch.relu(F.linear(x, x)), 0).sigmoid(), torch.nn.functional.gelu(x))[0]


def test_modules_functions_and_methods_have_the_names_by_which_they_are_called() -> None:
    module = Layered()
    graph = torch.fx.GraphModule(module, Tracer().trace(module)).graph
    modules = {"nn.Linear": 1, "Own": 1}
    functions = {"F.linear": 1, "F.softmax": 1, "F.gelu": 1, "torch.relu": 1, "operator.add": 1, "operator.getitem": 1}
    assert count_operators([graph]) == modules | functions | {"Tensor.sigmoid": 1}


def test_operators_of_aten_have_their_overload_and_those_of_branches_are_counted_the_most_frequent_first() -> None:
    graph = traced_fx(lambda x: x.relu() + 1 + 2)(torch.ones(2)).graph
    assert count_operators([graph]) == {"aten.add.Tensor": 2, "aten.relu.default": 1}

    def f(x: torch.Tensor) -> torch.Tensor:
        if bool(x.sum() > 0):
            return x * 2
        return x * 3

    found = count_operators([torch.jit.script(f).graph])
    assert found == {"aten::mul": 2, "aten::sum": 1, "aten::gt": 1, "aten::Bool": 1, "prim::If": 1}
    counted = count_operators([{"aten.add": 1, "aten.mul": 2}, {"aten.mul": 1}])
    assert list(counted.items()) == [("aten.mul", 3), ("aten.add", 1)]


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
def test_a_wrapper_is_called_alike(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    wrapper = as_module(function)
    own, outer = (inspect.signature(each).parameters for each in (function, wrapper.forward))
    assert [(each.name, each.kind) for each in own.values()] == [(each.name, each.kind) for each in outer.values()]
    assert torch.equal(wrapper(*args, **kwargs), function(*args, **kwargs))


def test_keywords_that_a_star_takes_become_parameters() -> None:
    wrapper = as_module(any_number, {"scale": 2, "shift": X})
    assert torch.equal(wrapper(X, X, scale=2, shift=X), any_number(X, X, scale=2, shift=X))

    class Shifted(Net):
        def forward(self, x: torch.Tensor, scale: float = 1.0, **options: torch.Tensor) -> torch.Tensor:
            return x * scale + options["shift"]

    module = Shifted()
    assert as_module(module, ("scale",)) is module
    traced = torch.jit.trace(as_module(module, ("shift",)), example_kwarg_inputs={"x": X, "shift": X + 1})
    assert torch.equal(traced(x=X, shift=-X), module(X, shift=-X))


def test_a_wrapped_method_has_the_parameters_of_its_module_and_is_traced_by_what_it_calls() -> None:
    module = Net()
    assert [id(each) for each in as_module(module.encode).parameters()] == [id(each) for each in module.parameters()]
    assert not list(as_module(named).parameters())
    graph = torch.fx.symbolic_trace(as_module(Net().encode)).graph
    assert [node.op for node in graph.nodes] == ["placeholder", "placeholder", "call_module", "call_function", "output"]

    class Exporting(Net):
        @torch.jit.export
        def encode(self, x: torch.Tensor, scale: float = 2.0) -> Any:
            return self.layer(x) * scale

    module = Exporting()
    assert torch.equal(torch.jit.trace(as_module(module.encode), (X,))(X), module.encode(X))


MODEL = """\
    import torch
    from torch import nn
    import torch.nn.functional as F

    def helper(x):
        if x.sum() > 0:
            return x
        return -x

    class Branch(nn.Module):
        def forward(self, x):
            return helper(x) * 2

    class Item(nn.Module):
        def forward(self, x):
            return x[: int(x.sum())]

    class Many(nn.Module):
        def forward(self, x):
            return {"a": x}

    class Wrong(nn.Module):
        def forward(self, x):
            return F.linear(x, torch.ones(3, 5))

    class Keyword(nn.Module):
        def forward(self, x, **options):
            return x
"""

ROWS = torch.ones(2, 4)
RUNS_ONE_WAY = "depends on the value of a tensor"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("model") / "reasons_model.py", dedent(MODEL))


def compile_whole(subject: Capturable) -> Any:
    from pdt_annotate.captures.ways import compile  # noqa: PLC0415 - its imports take a second in every worker

    return compile.capture_whole(subject)


@pytest.mark.parametrize(
    ("name", "capture", "line", "said"),
    [
        ("Branch", fx.capture, 6, "symbolically traced variables cannot be used as inputs to control flow"),
        ("Branch", compile_whole, 6, RUNS_ONE_WAY),
        ("Branch", fx.capture_export, 6, RUNS_ONE_WAY),
        ("Branch", fx.capture_made, 6, "Python reads the value of a tensor"),
        ("Item", fx.capture_made, 16, "Python reads the value of a tensor"),
        ("Item", fx.capture, 16, "int() argument must be a string"),
        ("Keyword", jit.capture_script, 27, "Compiled functions can't take variable number of arguments"),
        ("Many", jit.capture, 19, "the result is a dict, which a trace returns only with strict=False"),
        ("Wrong", jit.capture, 24, "mat1 and mat2 shapes cannot be multiplied (2x4 and 5x3)"),
        ("Wrong", compile_whole, 24, "if the values of tensors are unknown, the model raises"),
        ("Wrong", fx.capture_export, 24, "a and b must have same reduction dim, but got [2, 4] X [5, 3]"),
    ],
)
def test_the_reason_is_one_sentence_at_a_line_of_the_users(
    model: ModuleType, name: str, capture: Callable[[Capturable], Any], line: int, said: str
) -> None:
    callee, root = getattr(model, name)(), str(Path(str(model.__file__)).parent)
    subject = Capturable(callee, (Call((ROWS,)),), root, lambda: callee)
    with pytest.raises(Exception) as raised:
        capture(subject)
    failure = reason_of(raised.value, root, callee)
    assert (failure.place.file, failure.place.line) == (model.__file__, line)
    assert said in failure.message
    assert "\n" not in failure.message and "http" not in failure.message


def test_an_error_that_names_none_of_the_users_lines_is_at_the_definition(model: ModuleType) -> None:
    callee = model.Branch()
    failure = reason_of(RuntimeError("no.\n\nSee https://a.b"), str(Path(str(model.__file__)).parent), callee)
    assert failure.place == definition_of(callee) == Place(str(model.__file__), 11)
    assert failure.message == "no"
    assert failure.text == "no.\n\nSee https://a.b"
    assert definition_of(len) == definition_of(None) == NO_PLACE
