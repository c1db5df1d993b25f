"""The baselines of the benchmark: script a model without pdt-annotate, in a new interpreter.

    python baselines.py WAY TARGET      # in the folder of a fixture with a Python spec

`run` runs the example calls. `script` also scripts the unchanged model and compares the results: on an annotated copy,
this is the minimum cost of a verified run. `example-inputs` scripts with torch's own profile-directed typing. The exit
code is 1 if the model does not script, or if its results differ.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate import Call


def build(target: str) -> torch.nn.Module:
    """The target of a fixture, as its spec constructs it."""
    module, _, name = target.removesuffix("()").partition(":")
    make = getattr(importlib.import_module("spec"), "model", None)
    make = make or getattr(importlib.import_module(module.removesuffix(".py")), name)
    return make()


def run(model: torch.nn.Module, calls: list[Call]) -> None:
    for call in calls:
        answer(model, call)


def script(model: torch.nn.Module, calls: list[Call]) -> None:
    compare(model, torch.jit.script(model), calls)


def script_with_example_inputs(model: Any, calls: list[Call]) -> None:
    """torch accepts only positional arguments, so omitted arguments are replaced by their defaults."""
    seen: dict[Any, list[tuple[Any, ...]]] = {}
    for call in calls:
        if not call.held_back:
            seen.setdefault(callee(model, call), []).append(positional(model, call))
    given = seen if isinstance(model, torch.nn.Module) else seen[model]
    compare(model, torch.jit.script(model, example_inputs=given), calls)


def positional(model: Any, call: Call) -> tuple[Any, ...]:
    called = getattr(model, call.method) if isinstance(model, torch.nn.Module) else model
    bound = inspect.signature(called).bind(*call.args, **call.kwargs)
    bound.apply_defaults()
    return tuple(pytree.tree_map(copy, list(bound.arguments.values())))


def compare(model: Any, scripted: Any, calls: list[Call]) -> None:
    """Compare the results of both on every call."""
    for call in calls:
        torch.testing.assert_close(answer(scripted, call), answer(model, call), rtol=1e-4, atol=1e-5)


def answer(model: Any, call: Call) -> Any:
    torch.manual_seed(0)
    return callee(model, call)(*pytree.tree_map(copy, call.args), **pytree.tree_map(copy, dict(call.kwargs)))


def callee(model: Any, call: Call) -> Any:
    """The callable of a call: the target itself, or one of its methods."""
    return model if call.method == "forward" else getattr(model, call.method)


def copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def judged(way: Callable[[Any, list[Call]], None], model: Any, calls: list[Call]) -> int:
    """Return 1 and print the error to stderr if the model does not script or its results differ, otherwise 0."""
    try:
        way(model, calls)
    except (Exception, AssertionError) as error:
        print(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", file=sys.stderr)
        return 1
    return 0


WAYS: dict[str, Callable[[torch.nn.Module, list[Call]], None]] = {
    "run": run,
    "script": script,
    "example-inputs": script_with_example_inputs,
}


def main() -> int:
    way, target = sys.argv[1:]
    sys.path.insert(0, "")
    model = build(target)
    calls = list(importlib.import_module("spec").calls())
    return judged(WAYS[way], model, calls)


if __name__ == "__main__":
    sys.exit(main())
