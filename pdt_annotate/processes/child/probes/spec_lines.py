"""A call as a line for a spec, in Python or in YAML."""

import enum
import json
import math
from collections.abc import Callable
from typing import Any

import torch
import yaml

from pdt_annotate.inputs.specs.yaml_spec import FORMS
from pdt_annotate.processes.child.probes.argument_tree import SHORT, WHOLE, Fill, is_drawable, like
from pdt_annotate.values.live import is_a, module_of_class, qualname_of
from pdt_annotate.values.runs import Call


def spell(call: Call, language: str, *, raises: bool = False) -> str:
    """The line that makes a call, in the language of a spec. `raises` says that Python should raise in it."""
    given = {"method": call.method if call.method != "forward" else "", "mode": call.mode, "raises": raises}
    said = {name: value for name, value in given.items() if value}
    if language == "yaml":
        entry: dict[str, Any] = {"method": said.pop("method")} if "method" in said else {}
        entry |= {"args": [_yaml(each) for each in call.args]} if call.args else {}
        entry |= {"kwargs": {name: _yaml(each) for name, each in call.kwargs.items()}} if call.kwargs else {}
        entry |= said
        text = yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, allow_unicode=True, width=math.inf)
        return f"- {text.strip()}"
    positional, named = python(call.args), python(dict(call.kwargs))
    if not said and not call.kwargs:
        return positional
    if not said and not call.args:
        return named
    parts = [positional, *([named] if call.kwargs else []), *(f"{name}={python(each)}" for name, each in said.items())]
    return f"pdt_annotate.Call({', '.join(parts)})"


def python(value: Any) -> str:
    """A value as an expression, which names classes as if they were imported."""
    if is_a(value, torch.Tensor):
        return _python_tensor(_as_fill(value), value)
    if is_a(value, Fill):
        is_listed = value.seed is not None and math.prod(value.shape) <= SHORT
        return _python_tensor(value, value.make("cpu") if is_listed else None)
    return next((spell_it(value) for cls, spell_it in PYTHON.items() if is_a(value, cls)), repr(value))


def _python_tuple(value: tuple[Any, ...]) -> str:
    fields = getattr(value, "_fields", None)
    if fields is not None:
        given = ", ".join(f"{name}={python(part)}" for name, part in zip(fields, value, strict=True))
        return f"{qualname_of(value)}({given})"
    inside = ", ".join(map(python, value))
    return f"({inside},)" if len(value) == 1 else f"({inside})"


PYTHON: dict[type, Callable[[Any], str]] = {  # spellers by class; the first that fits counts
    enum.Enum: lambda value: f"{qualname_of(value)}.{value.name}",
    torch.Size: lambda value: f"torch.Size({list(value)})",
    torch.device: lambda value: f'torch.device("{value}")',
    bool: repr,
    float: lambda value: repr(value) if math.isfinite(value) else f'float("{value}")',
    str: lambda value: json.dumps(value, ensure_ascii=False),
    tuple: _python_tuple,
    list: lambda value: "[" + ", ".join(map(python, value)) + "]",
    dict: lambda value: "{" + ", ".join(f"{python(key)}: {python(part)}" for key, part in value.items()) + "}",
}


def _as_fill(tensor: torch.Tensor) -> Fill:
    """A fill like a tensor that was not drawn, for a tensor of too many values to list."""
    shape = tuple(tensor.shape)
    return like(tensor, shape, 1) if is_drawable(tensor) else Fill(shape, tensor.dtype, "zeros")


def _python_tensor(fill: Fill, values: torch.Tensor | None) -> str:
    options = ["requires_grad=True"] if fill.requires_grad else []
    if fill.how in WHOLE or values is None or values.numel() > SHORT:
        return _python_fill(fill, options)
    plain = fill.dtype in (torch.float32, torch.int64, torch.bool)
    typed = [] if plain and values.numel() else [f"dtype={fill.dtype}"]
    return f"torch.tensor({', '.join([python(_listed(values)), *typed, *options])})"


def _python_fill(fill: Fill, options: list[str]) -> str:
    sizes = ", ".join(map(str, fill.shape)) if fill.shape else "()"
    dtype = [] if fill.dtype is torch.float32 else [f"dtype={fill.dtype}"]
    if fill.how == "nan":
        return f"torch.full({', '.join([str(fill.shape), python(math.nan), *dtype, *options])})"
    if fill.how in WHOLE:
        return f"torch.{fill.how}({', '.join([sizes, *dtype, *options])})"
    drawn = [] if fill.seed is None else [f"generator=torch.Generator().manual_seed({fill.seed})"]
    if fill.how == "randint":
        text = f"torch.randint({', '.join([str(fill.low), str(fill.high + 1), str(fill.shape), *drawn])})"
        return text if fill.dtype is torch.int64 else f"{text}.to({fill.dtype})"
    is_direct = fill.drawn_in is fill.dtype
    text = f"torch.{fill.how}({', '.join([sizes, *(dtype if is_direct else []), *drawn])})"
    text = text if is_direct else f"{text}.to({fill.dtype})"
    return f"{text}.requires_grad_()" if options else text


def _listed(values: torch.Tensor) -> Any:
    """The values, each in its shortest form that reads back unchanged."""

    def rounded(value: Any) -> Any:
        return [rounded(each) for each in value] if is_a(value, list) else float(f"{value:.8g}")

    listed: Any = values.detach().cpu().tolist()
    return rounded(listed) if values.dtype.is_floating_point and values.dtype is not torch.float64 else listed


def _yaml(value: Any) -> Any:
    if is_a(value, torch.Tensor):
        return _yaml_tensor(_as_fill(value), value)
    if is_a(value, Fill):
        return _yaml_tensor(value, value.make("cpu") if math.prod(value.shape) <= SHORT else None)
    if value is None or (is_a(value, bool, int, float, str) and not is_a(value, enum.Enum)):
        return value
    if is_a(value, dict):
        inside = {key: _yaml(part) for key, part in value.items()}
        return {"dict": inside} if FORMS.keys() & inside.keys() else inside
    return next((spell_it(value) for cls, spell_it in YAML.items() if is_a(value, cls)), repr(value))


def _yaml_tensor(fill: Fill, values: torch.Tensor | None) -> dict[str, Any]:
    name = str(fill.dtype).removeprefix("torch.")
    options: dict[str, Any] = {"requires_grad": True} if fill.requires_grad else {}
    dtype = {} if fill.dtype is torch.float32 else {"dtype": name}
    if fill.how not in WHOLE and values is not None and 0 < values.numel() <= SHORT:
        return {"data": _listed(values), "dtype": name, **options}
    how = {"nan": "full(nan)", "randint": f"randint({fill.low}, {fill.high + 1})"}.get(fill.how, fill.how)
    return {"tensor": list(fill.shape), **dtype, "fill": how, **options}


def _yaml_tuple(value: tuple[Any, ...]) -> dict[str, Any]:
    fields = getattr(value, "_fields", None)
    if fields is None:
        return {"tuple": [_yaml(part) for part in value]}
    named = {name: _yaml(part) for name, part in zip(fields, value, strict=True)}
    return {"namedtuple": _imported(type(value)), "fields": named}


def _imported(cls: type) -> str:
    return f"{module_of_class(cls)}:{qualname_of(cls)}"


YAML: dict[type, Callable[[Any], Any]] = {  # spellers by class; the first that fits counts
    enum.Enum: lambda value: {"enum": f"{_imported(type(value))}.{value.name}"},
    torch.Size: lambda value: {"size": list(value)},
    torch.device: lambda value: {"device": str(value)},
    torch.dtype: lambda value: {"dtype": str(value).removeprefix("torch.")},
    tuple: _yaml_tuple,
    list: lambda value: [_yaml(part) for part in value],
}
