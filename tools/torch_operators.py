"""pdt_annotate/source/torch_operators.json, made from torch's schemas: the operators and the types of their results.

    python tools/torch_operators.py [--check] [FILE]

writes the file. With --check it writes nothing, and exits with 1 if the file is stale. The file is made for one version
of torch, which it names. If another version is installed, --check prints a note and passes.

A type is written as an annotation. It is null if the overloads return different types, if the type depends on values
(`item`), or if there is no annotation for it. Functions that are not operators of TorchScript are left out. "floats"
lists the parameters of functions, layers and methods that take a float.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._jit_internal import boolean_dispatched
from torch.jit._builtins import _find_builtin
from torch.jit.annotations import ann_to_type

from pdt_annotate.source.read_type import read_annotation

FILE = Path(__file__).resolve().parent.parent / "pdt_annotate" / "source" / "torch_operators.json"

SPELLED = {"Device": "torch.device", "ScalarType": "torch.dtype", "NoneType": "None"}
"""The annotations for types that have another name in schemas."""

SCRIPTED = ("torch.functional", "torch.nn.functional")
"""The modules whose functions are written in Python, which the compiler compiles."""

FLOATS = re.compile(r"(Optional\[)?([Ll]ist\[)?float\]*( \| None)?")
"""The annotations of parameters that take a float, or a list of floats."""

EXAMPLE = torch.zeros(())

Results = dict[str, str | None]
"""The type of the result for each name of an operator."""


def make() -> str:
    """The whole file."""
    names = [name for name in dir(torch.Tensor) if not name.startswith("_")]
    methods = [name for name in names if callable(getattr(torch.Tensor, name))]
    table = {
        "version": _version(),
        "torch": _results(dir(torch), lambda name: _of_function(getattr(torch, name))),
        "torch.nn.functional": _results(
            dir(torch.nn.functional), lambda name: _of_function(getattr(torch.nn.functional, name))
        ),
        "methods": _results(methods, _of_method),
        "attributes": _results(sorted({*names} - {*methods}), _of_attribute),
        "floats": dict(sorted([*_floats_of_operators(methods), *_floats()])),
    }
    return json.dumps(table, indent=1) + "\n"


def _version() -> str:
    return torch.__version__.partition("+")[0]


def _results(names: Iterable[str], result: Callable[[str], Sequence[Any]]) -> Results:
    """The operators among the public names, each with its type, or None if its overloads return different types."""
    found = {name: set(map(str, result(name))) for name in names if not name.startswith("_")}
    return {name: _annotation(types) for name, types in sorted(found.items()) if types}


def _annotation(types: set[str]) -> str | None:
    type_ = SPELLED.get(only := next(iter(types)), only)
    return type_ if len(types) == 1 and read_annotation(type_) is not None else None


def _of_function(function: Any) -> Sequence[Any]:
    """The result types of a function's overloads, from the schemas of its operator, or from its source.

    If a flag such as `return_indices` selects the type, this is the type for the default value of the flag.
    """
    operator = _find_builtin(function) if callable(function) else None
    if operator is not None:
        return _of_schemas(operator, lambda schema: any(str(each.type) == "Tensor" for each in _values(schema)))
    while (dispatch := _dispatch(function)) is not None:
        function = dispatch["if_true" if dispatch["default"] else "if_false"]
    if getattr(function, "__module__", "") not in SCRIPTED:
        return []
    declared = function.__annotations__.get("return")
    return [ann_to_type(declared, None)] if declared is not None else _scripted(function)


def _floats() -> Iterator[tuple[str, str]]:
    """The functions and layers that take floats, each with the parameters and their positions: "p@1 eps@3"."""
    for module in (torch, torch.nn, torch.nn.functional):
        for name in (each for each in sorted(dir(module)) if not each.startswith("_")):
            taking = getattr(module, name)
            is_layer = isinstance(taking, type) and issubclass(taking, torch.nn.Module)
            if is_layer or (inspect.isfunction(taking) and taking.__module__ in SCRIPTED):
                parameters = enumerate(inspect.signature(taking).parameters.values())
                floats = [f"{each.name}@{at}" for at, each in parameters if _is_float(each, is_layer)]
                yield from [(f"{module.__name__}.{name}", " ".join(floats))] if floats else []


def _floats_of_operators(methods: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The operators that take floats, in the same form: functions, and methods that change a tensor in place.

    Only tensors have methods with such names.
    """
    operators = [(f"torch.{name}", _find_builtin(each), 0) for name, each in vars(torch).items() if callable(each)]
    operators += [(f"torch.Tensor.{name}", f"aten::{name}", 1) for name in methods if name.endswith("_")]
    for dotted, operator, first in operators:
        schemas = torch._C._jit_get_schemas_for_operator(operator) if operator else []
        schemas = [schema for schema in schemas if not any(argument.is_out for argument in schema.arguments)]
        arguments = enumerate(schemas[0].arguments[first:]) if len(schemas) == 1 else ()
        floats = [f"{each.name}@{at}" for at, each in arguments if str(each.type) in ("float", "Optional[float]")]
        yield from [(dotted, " ".join(floats))] if floats and not dotted.startswith("torch._") else []


def _is_float(parameter: inspect.Parameter, is_layer: bool) -> bool:
    text = inspect.formatannotation(parameter.annotation)
    is_scale = parameter.name == "scale_factor" and not is_layer  # only overloads of `upsample` have annotations
    return is_scale or type(parameter.default) is float or FLOATS.fullmatch(text) is not None


def _scripted(function: Any) -> list[str]:
    try:
        return [str(torch.jit.script(function).schema.returns[0].type)]
    except (RuntimeError, torch.jit.frontend.NotSupportedError):
        return []


def _dispatch(function: Any) -> Mapping[str, Any] | None:
    return boolean_dispatched.get(function) if callable(function) else None


def _values(schema: Any) -> list[Any]:
    return [*schema.arguments, *schema.returns]


def _of_method(name: str) -> Sequence[Any]:
    """The result types of a method's overloads. Some methods that the compiler knows have no schema (`x.float()`)."""
    found = _of_schemas(f"aten::{name}", lambda schema: [str(each.type) for each in schema.arguments[:1]] == ["Tensor"])
    return found or _compiled(f"x.{name}()")


def _of_schemas(operator: str, is_ours: Callable[[Any], bool]) -> list[str]:
    """The result types of an operator's overloads for Tensors; all overloads if none is for Tensors."""
    schemas = torch._C._jit_get_schemas_for_operator(operator)
    schemas = [schema for schema in schemas if not any(argument.is_out for argument in schema.arguments)]
    return [_result(schema) for schema in list(filter(is_ours, schemas)) or schemas]


def _result(schema: Any) -> str:
    types = [str(each.real_type) for each in schema.returns]
    if not types:
        return "None"
    return types[0] if len(types) == 1 else f"Tuple[{', '.join(types)}]"


def _of_attribute(name: str) -> Sequence[Any]:
    """The compiler's type of an attribute. If it is an int, Python's type is used, because a dtype is an int, too."""
    found = _compiled(f"x.{name}")
    live = type(getattr(EXAMPLE, name)) if found == ["int"] else int
    return found if live is int else [str(live).removeprefix("<class '").removesuffix("'>")]


def _compiled(expression: str) -> list[str]:
    """The type of an expression of a Tensor x; an empty list if it does not compile."""
    try:
        unit = torch.jit.CompilationUnit(f"def f(x: Tensor):\n    return {expression}\n")
    except RuntimeError:
        return []
    return [str(unit.f.schema.returns[0].type)]


def check(file: Path, made: str) -> int:
    """Return 1 and print a diff if the file is stale, otherwise 0."""
    found = file.read_text()
    made_for = json.loads(found)["version"]
    if made_for != _version():
        print(f"{file.name} was made for torch {made_for}, but torch {_version()} is installed: not checked")
        return 0
    sys.stderr.writelines(difflib.unified_diff(found.splitlines(True), made.splitlines(True), str(file), "torch"))
    if found != made:
        print(f"{file.name} is stale: run `make operators`", file=sys.stderr)
    return int(found != made)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=FILE, metavar="FILE", help="the table (%(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the table is stale")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the warnings about deprecated attributes of torch
    if options.check:
        return check(options.file, make())
    options.file.write_text(make())
    return 0


if __name__ == "__main__":
    sys.exit(main())
