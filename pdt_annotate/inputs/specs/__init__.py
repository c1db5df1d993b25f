"""Specs: the example calls on which a target is run. Each format has a reader, found by the file's suffix."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pdt_annotate.inputs.specs.args import check_dtype, parse_args
from pdt_annotate.inputs.specs.python_spec import NAMES, check_python, explain_no_call, read_python
from pdt_annotate.inputs.specs.spec import RunSettings, Spec, check_binding, label, seed_generators
from pdt_annotate.inputs.target import did_you_mean_file
from pdt_annotate.source.module import load_module
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call, SpecSource

if TYPE_CHECKING:
    from pdt_annotate.inputs.specs.yaml_document import Document

__all__ = ["RunSettings", "Spec", "check", "check_binding", "label", "read", "seed_generators"]


@dataclass(frozen=True)
class SpecFormat:
    """The functions of a format: to read, to check without running anything, and to advise on a spec without calls."""

    read: Callable[[str, str, object | None], Spec]
    check: Callable[[str, str], object]
    explain: Callable[[str, str], str]


def _read_yaml(file: str, name: str, target_object: object | None) -> Spec:
    from pdt_annotate.inputs.specs.yaml_spec import read_yaml  # noqa: PLC0415 - a Python spec needs no torch for it

    return read_yaml(file, name, target_object)


def _load_yaml(file: str, name: str) -> Document:
    from pdt_annotate.inputs.specs.yaml_document import load_checked  # noqa: PLC0415 - the schema library is slow to import

    return load_checked(file, name)


PYTHON = SpecFormat(read_python, check_python, explain_no_call)
YAML = SpecFormat(_read_yaml, _load_yaml, lambda file, name: "list example calls under `calls:`")
FORMATS = {".py": PYTHON, ".yaml": YAML, ".yml": YAML, ".json": YAML}


def read(source: SpecSource, target_object: object | None = None) -> Spec:
    """Read the example calls of the file, then the call that `--arg` texts make. Runs the user's code.

    `target_object` is the nn.Module class to construct, for formats that only have its arguments. Raises SpecError if
    the spec cannot be read, or has no call; and UserCodeError if code in it raised.
    """
    seed_generators(RunSettings().seed)
    form = _format_of(source) if source.file else None
    spec = form.read(source.file, source.name, target_object) if form else Spec()
    if source.args:
        spec = replace(spec, calls=(*spec.calls, parse_args(source.args)))
    if not spec.calls and form:
        hint = form.explain(source.file, source.name)
        raise SpecError("the spec has no example call", file=source.file, hint=hint)
    if not spec.calls:
        hint = "give a file of example calls with --inputs, or the arguments of one call with --arg"
        raise SpecError("there is no example call", hint=hint)
    return spec


def check(source: SpecSource, torch: str) -> None:
    """Raise the SpecErrors of `read` that show without running it; `torch` is the directory of the torch to run on."""
    if source.file:
        _format_of(source).check(source.file, source.name)
    if source.args:
        parse_args(source.args, lambda shape, dtype: check_dtype(dtype, torch))


def _format_of(source: SpecSource) -> SpecFormat:
    path = Path(source.file)
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        hint = f"a file of example inputs ends in {', '.join(FORMATS)}"
        raise SpecError("this is not a file of example inputs", file=source.file, hint=hint)
    if not os.path.isfile(path):
        raise SpecError(f"there is no file {source.file}", hint=did_you_mean_file(source.file))
    return found


def call_names(spec: SpecSource) -> list[str]:
    """The names of a spec's calls in messages; empty if the text does not show them."""
    if spec.args:
        return [label(Call(), 0)]
    found = _in_python(spec) if spec.file.endswith(".py") else _in_yaml(spec)
    return [label(Call(name=name), index) for index, name in enumerate(found)]


def _in_yaml(spec: SpecSource) -> Iterator[str]:
    try:
        calls = _load_yaml(spec.file, spec.name).data.get("calls", ())
    except (OSError, SpecError):
        return
    for call in calls:
        name, repeat = call.get("name", ""), call.get("repeat", 1)
        yield from (f"{name}[{n}]" if name and repeat > 1 else name for n in range(1, repeat + 1))


def _in_python(spec: SpecSource) -> Iterator[str]:
    module = load_module(spec.file)
    body = module.tree.body if module else ()
    assigned = [(target, node.value) for node in body if isinstance(node, ast.Assign) for target in node.targets]
    lists = {name.id: value for name, value in assigned if isinstance(name, ast.Name) and isinstance(value, ast.List)}
    wanted = [spec.name] if spec.name else NAMES
    for element in next((lists[name].elts for name in wanted if name in lists), ()):
        keywords = element.keywords if isinstance(element, ast.Call) else ()
        names = (each.value.value for each in keywords if each.arg == "name" and isinstance(each.value, ast.Constant))
        yield str(next(names, ""))
