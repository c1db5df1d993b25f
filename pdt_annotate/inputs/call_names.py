"""The names of the example calls in a spec, read off its text: nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pdt_annotate.inputs.specs.calls import label
from pdt_annotate.inputs.specs.python_spec import NAMES
from pdt_annotate.source.parsing import parse_module
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call, SpecSource


def call_names(spec: SpecSource) -> list[str]:
    """How messages name the calls of a spec; none where the text does not tell."""
    if spec.args:
        return [label(Call(), 0)]
    found = _in_python(spec) if spec.file.endswith(".py") else _in_yaml(spec)
    return [label(Call(name=name), index) for index, name in enumerate(found)]


def _in_yaml(spec: SpecSource) -> Iterator[str]:
    from pdt_annotate.inputs.specs.schema import load_checked  # noqa: PLC0415 - slow to import

    try:
        calls = load_checked(spec.file, spec.name).data.get("calls", ())
    except (OSError, SpecError):
        return
    for call in calls:
        name, repeat = call.get("name", ""), call.get("repeat", 1)
        yield from (f"{name}[{n}]" if name and repeat > 1 else name for n in range(1, repeat + 1))


def _in_python(spec: SpecSource) -> Iterator[str]:
    try:
        body = parse_module(Path(spec.file).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return
    lists = {target: value for target, value in _assigned(body) if isinstance(value, ast.List)}
    wanted = [spec.name] if spec.name else NAMES
    for element in next((lists[name].elts for name in wanted if name in lists), ()):
        yield _name_of(element)


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        if isinstance(statement, ast.Assign):
            yield from ((each.id, statement.value) for each in statement.targets if isinstance(each, ast.Name))


def _name_of(element: ast.expr) -> str:
    """The name that a `Call(…)` gives itself; "" for any other call."""
    keywords = element.keywords if isinstance(element, ast.Call) else ()
    names = (each.value.value for each in keywords if each.arg == "name" and isinstance(each.value, ast.Constant))
    return str(next(names, ""))
